import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import * as fixture from './fixture.ts'
import { type Inserted, insertRow, readInventory } from './number-world.ts'
import type { Sheets } from './read-sheets.ts'

/** A few numbers, and orders, policies, trunks and a partner with data that contradicts them. */
let database: TestDatabase
let warehouse: Warehouse
let sheets: Sheets

beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, poolSize: 2 })
  const users = await run('users', '02:00', ['users', 'user_details'])
  const settings = await run('number-settings', '02:30', [
    'sms_consents',
    'sms_consent_numbers',
    'ported_orders',
    'sip_groups',
    'sip_trunks',
    'peering_numbers',
    'sms_consent_details',
    'ported_order_details',
  ])
  const numbers = await run('phone-numbers', '03:00', ['phone_numbers'])
  await stock(numbers, users)
  await orders(settings)
  await policies(settings)
  await trunks(settings)
  await partner(settings)
  sheets = await readInventory(warehouse, {})
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

async function run(job: string, time: string, streams: readonly string[]): Promise<Inserted> {
  const finishedAt = `2026-11-20T${time}:00Z`
  const slices = streams.map((stream) => ({ stream, slice: 'all' }))
  const id = await fixture.insertRun(warehouse, { account: 'hand', job, finishedAt, slices })
  return { run: id, at: '2026-11-20T01:00:00Z' }
}

const put = (stream: string, row: Record<string, unknown>, seen: Inserted): Promise<void> =>
  insertRow(warehouse, [stream, row], seen)

/** Adds the numbers: Ada has a and b, Ben has c, a queue has d, and e is unassigned. */
async function stock(numbers: Inserted, users: Inserted): Promise<void> {
  const rows = [
    { id: 'a', capability: ['Messaging'], sip_group_id: 'g1', source: 'BYOCCloud' },
    { id: 'b', capability: ['Messaging', 'Incoming'], sip_group_id: 'gX', sip_group_name: 'Old' },
    { id: 'c', capability: ['Messaging'], source: 'BYOCPremises' },
    { id: 'd', capability: ['Incoming'] },
    { id: 'e', capability: ['Messaging'] },
  ]
  for (const [at, row] of rows.entries()) {
    const number = `+4930111${at}000`
    await put(
      'phone_numbers',
      { allocated_product: 'SVC_PHONE', status: 'Normal', number, ...row },
      numbers,
    )
  }
  const holders = [
    ['a', 'User', 'u1'],
    ['b', 'User', 'u1'],
    ['c', 'User', 'u2'],
    ['d', 'CallQueue', 'q1'],
  ]
  for (const [phone_number_id, assigned_to_type, assigned_to_id] of holders)
    await put(
      'phone_number_assignments',
      { phone_number_id, assigned_to_type, assigned_to_id, source_channel: '', ordinal: 0 },
      numbers,
    )
  await put('users', { id: 'u1', display_name: 'Ada', dept: 'Sales', status: 'active' }, users)
  await put('users', { id: 'u2', display_name: 'Ben', status: 'inactive' }, users)
  await put('user_details', { id: 'u1', dept: 'Sales', cost_center: 'CC-1' }, users)
  await put('user_details', { id: 'u2', dept: 'Legal', cost_center: 'CC-2' }, users)
}

async function orders(seen: Inserted): Promise<void> {
  const all: [id: string, status: string, day: string, numbers: string[], asked?: string][] = [
    ['rejected', 'Rejected', '2026-11-10', ['+49888']],
    ['asked for', 'Processing', '2026-11-15', ['+49777'], '2026-11-18'],
    ['in time', 'Waiting', '2026-11-01', ['+49666']],
    ['for long', 'Waiting', '2026-09-01', ['+49555']],
    ['later', 'FOC', '2026-09-15', ['+49444'], '2026-12-01'],
    ['done', 'Successfully', '2026-08-01', ['+49301110000']],
    ['short', 'Successfully', '2026-08-02', ['+49301111000', '+49333']],
    ['canceled', 'Canceled', '2026-08-03', ['+49222'], '2026-08-04'],
  ]
  for (const [order_id, status, day, numbers, asked] of all) {
    const submission_date_time = `${day}T10:00:00Z`
    await put('ported_orders', { order_id, status, submission_date_time, numbers }, seen)
    const details = { order_id, customer_requested_date: asked ?? null }
    await put('ported_order_details', details, seen)
  }
}

async function policies(seen: Inserted): Promise<void> {
  const all = [
    ['c1', 'Offers', 95, true],
    ['c2', 'Alerts', 3, false],
    ['c3', 'News', 89, true],
  ]
  for (const [consent_id, consent_name, used_number, status] of all)
    await put('sms_consents', { consent_id, consent_name, used_number, status }, seen)
  for (const consent_id of ['c1', 'c3'])
    await put('sms_consent_details', { consent_id, capacity: 100 }, seen)
  for (const [consent_id, phone_number_id] of [
    ['c1', 'a'],
    ['c2', 'a'],
    ['c2', 'b'],
  ])
    await put(
      'sms_consent_numbers',
      { consent_id, phone_number_id, phone_number: phone_number_id },
      seen,
    )
}

async function trunks(seen: Inserted): Promise<void> {
  for (const [sip_group_id, display_name, sip_trunk_id] of [
    ['g1', 'East', 't1'],
    ['g2', 'West', 't9'],
  ])
    await put('sip_groups', { sip_group_id, display_name, sip_trunk_id, sip_trunk_name: 'T' }, seen)
  for (const [sip_trunk_id, name] of [
    ['t1', 'One'],
    ['t2', 'Two'],
  ])
    await put('sip_trunks', { sip_trunk_id, name }, seen)
}

/**
 * Adds the partner's numbers: b is inactive there but in use here, e is assigned only there, d has another
 * product there, and c agrees.
 */
async function partner(seen: Inserted): Promise<void> {
  const all = [
    ['+49301111000', false, true, 'SVC_PHONE'],
    ['+49301112000', true, true, 'SVC_PHONE'],
    ['+49301113000', true, true, 'UNALLOCATED'],
    ['+49301114000', true, true, 'SVC_PHONE'],
    ['+49999', true, false, 'SVC_PHONE'],
  ]
  for (const [phone_number, status, assigned, allocated_product] of all)
    await put('peering_numbers', { phone_number, status, assigned, allocated_product }, seen)
}

const pickOf = (at: [sheet: string, table?: string], ...titles: string[]): unknown[][] =>
  sheets.lines(...at).map((line) => titles.map((title) => line[title]))

describe('the inventory', () => {
  it('says first which orders are stuck, and which numbers lack a policy', () => {
    const notes = sheets.notes('Summary').split('\n')
    expect(notes.slice(-3)).toEqual([
      '1 porting order rejected, 2 porting orders overdue: contact the carrier.',
      '1 number in use can send messages without a consent policy: add a policy.',
      '1 number is assigned to inactive users: reassign or return them.',
    ])
  })

  it('lists rejected orders first, then overdue ones, then waiting ones', () => {
    const at: [string, string] = ['Porting', 'Orders that need attention']
    expect(pickOf(at, 'Order', 'Overdue', 'Not in the account')).toEqual([
      ['rejected', false, 1],
      ['for long', true, 1],
      ['asked for', true, 1],
      ['later', false, 1],
      ['in time', false, 1],
      ['short', false, 1],
    ])
    expect(pickOf(['Porting', 'Orders by status'], 'Status', 'Orders', 'Overdue')).toEqual([
      ['Rejected', 1, 0],
      ['Processing', 1, 1],
      ['Waiting', 2, 1],
      ['FOC', 1, 0],
      ['Successfully', 2, 0],
      ['Canceled', 1, 0],
    ])
  })

  it('counts the SMS-capable numbers with an active, an inactive or no policy', () => {
    expect(sheets.figures('SMS coverage')).toEqual({
      'Can send messages': 4,
      'Under an active policy': 1,
      'Under inactive policies only': 1,
      'Under no policy': 2,
      'Under no policy, in use': 1,
    })
    expect(pickOf(['SMS without policy'], 'ID', 'In use', 'Inactive policies')).toEqual([
      ['c', true, 0],
      ['e', false, 0],
      ['b', true, 1],
    ])
  })

  it('lists nearly full policies, and notes policies with unknown capacity', () => {
    const titles = ['Policy', 'Nearly full', 'Used', 'Free', 'Numbers listed']
    expect(pickOf(['SMS coverage', 'Policies'], ...titles)).toEqual([
      ['Offers', true, 95, 5, 1],
      ['News', false, 89, 11, 0],
      ['Alerts', null, 3, null, 2],
    ])
    expect(sheets.notes('SMS coverage')).toContain('1 of 3 policies was never read')
  })

  it('compares SIP groups and trunks with the numbers', () => {
    expect(pickOf(['SIP trunks', 'SIP groups'], 'Group', 'Issue', 'Numbers')).toEqual([
      ['Old', 'not listed by the service', 1],
      ['West', 'no numbers', 0],
      [null, 'carrier numbers without a group', 1],
      ['East', '', 1],
    ])
    expect(pickOf(['SIP trunks'], 'Trunk', 'Issue', 'Groups', 'Numbers')).toEqual([
      ['T', 'not listed by the service', 1, 0],
      ['Two', 'no groups', 0, 0],
      ['One', '', 1, 1],
    ])
  })

  it('compares a partner’s numbers with the account', () => {
    expect(pickOf(['Peering'], 'Number', 'Mismatch')).toEqual([
      ['+49301111000', 'inactive at the partner, but in use'],
      ['+49301114000', 'assigned on one side only'],
      ['+49301113000', 'different product'],
      ['+49999', 'not in the account'],
      ['+49301112000', null],
    ])
  })

  it('lists the assignees with department and cost center', () => {
    const titles = ['Department', 'Cost center', 'People', 'Numbers', 'Of inactive users']
    expect(pickOf(['Assignees', 'By department and cost center'], ...titles)).toEqual([
      ['Sales', 'CC-1', 1, 2, 0],
      ['Legal', 'CC-2', 1, 1, 1],
    ])
    expect(pickOf(['Assignee list'], 'Assigned to', 'Kind', 'Numbers', 'Number list')).toEqual([
      ['Ben', 'User', 1, '+49301112000'],
      ['Ada', 'User', 2, '+49301110000, +49301111000'],
      [null, 'CallQueue', 1, '+49301113000'],
    ])
  })
})
