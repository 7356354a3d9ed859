import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import * as fixture from './fixture.ts'
import { endRows, type Inserted, insertRow, readInventory } from './number-world.ts'
import type { Sheets } from './read-sheets.ts'

/**
 * A stock small enough to count by hand. Berlin has +49305550000 to 0009 without 0004. 0 and 1 are assigned
 * in August, 2 and 3 since September 15. On November 10, 2 is assigned to another user, and the assignment of
 * 1 ends. 9 is pending.
 */
const SETTINGS = { quarantineDays: 30, prices: { DE: { Toll: 2.5 } } }
let database: TestDatabase
let warehouse: Warehouse
let sheets: Sheets

beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, poolSize: 2 })
  const august = await night('2026-08-01')
  await berlin(august)
  await others(august)
  await september(await night('2026-09-15'))
  const november = await night('2026-11-10')
  for (const id of ['b1', 'b2'])
    await endRows(warehouse, ['phone_number_assignments', 'phone_number_id', id], november)
  await hold('b2', 'u2', november)
  await night('2026-11-20')
  sheets = await readInventory(warehouse, { settings: SETTINGS })
  // An inventory as of an earlier time must not contain the data of this later run.
  const later = await night('2026-11-25')
  await endRows(warehouse, ['phone_number_assignments', 'phone_number_id', 'b0'], later)
  await endRows(warehouse, ['phone_numbers', 'id', 'b8'], later)
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

async function night(day: string): Promise<Inserted> {
  const run = await fixture.insertRun(warehouse, fixture.numbersRun('hand', `${day}T03:00:00Z`))
  if (day === '2026-08-01')
    await fixture.insertRun(warehouse, fixture.usersRun('hand', `${day}T03:30:00Z`))
  return { run, at: `${day}T02:59:00Z` }
}

const put = (stream: string, row: Record<string, unknown>, seen: Inserted): Promise<void> =>
  insertRow(warehouse, [stream, row], seen)

async function hold(id: string, user: string, seen: Inserted): Promise<void> {
  const held = { phone_number_id: id, assigned_to_type: 'User', assigned_to_id: user }
  const rest = { source_channel: '', ordinal: 0, assigned_to_name: user }
  await put('phone_number_assignments', { ...held, ...rest }, seen)
}

async function berlin(seen: Inserted): Promise<void> {
  for (const n of [0, 1, 2, 3, 5, 6, 7, 8, 9])
    await put(
      'phone_numbers',
      {
        id: `b${n}`,
        number: `+4930555000${n}`,
        allocated_product: 'SVC_PHONE',
        number_type: 'Toll',
        source: 'Svc',
        status: n === 9 ? 'Pending' : 'Normal',
        location_country: 'DE',
        site_name: 'Berlin office',
      },
      seen,
    )
  await hold('b0', 'u1', seen)
  await hold('b1', 'u2', seen)
}

async function september(seen: Inserted): Promise<void> {
  await hold('b2', 'u1', seen)
  await hold('b3', 'u2', seen)
  await endRows(warehouse, ['phone_numbers', 'id', 'gone'], seen)
}

/** Adds five assigned numbers in Paris, an unassigned one in Lyon, and one that is removed in September. */
async function others(seen: Inserted): Promise<void> {
  const address = '{"city": "Paris"}'
  const able = ['Incoming', 'EmergencyCalls']
  const paris = [
    { id: 'e1', capability: able, sip_group_id: 'g1' },
    { id: 'e2', capability: ['Incoming', 'Messaging'], sip_group_id: 'unknown' },
    {
      id: 'e3',
      capability: [...able, 'Messaging'],
      emergency_address: address,
      address_update_required: true,
      source: 'BYOCCloud',
    },
    { id: 'e4' },
    { id: 'e5', capability: [...able, 'Messaging'], emergency_address: address },
  ]
  for (const [at, row] of paris.entries()) {
    const more = { number: `+331555${at}0000`, status: 'Normal', site_name: 'Paris office' }
    await put('phone_numbers', { allocated_product: 'SVC_PHONE', ...more, ...row }, seen)
    await hold(row.id, 'u3', seen)
  }
  const lyon = { id: 'f1', number: '+33475550000', number_type: 'National', location_country: 'FR' }
  await put('phone_numbers', { ...lyon, status: 'Normal' }, seen)
  await put('phone_numbers', { id: 'gone', number: '+33999990000', status: 'Normal' }, seen)
  await put('users', { id: 'u1', display_name: 'Ada', dept: 'Sales', status: 'active' }, seen)
  await put('users', { id: 'u2', display_name: 'Ben', status: 'active' }, seen)
  await put('users', { id: 'u3', display_name: 'Zoë', dept: 'Sales', status: 'inactive' }, seen)
}

const pickOf = (sheet: string, ...titles: string[]): unknown[][] =>
  sheets.lines(sheet).map((line) => titles.map((title) => line[title]))

describe('the inventory', () => {
  it('begins with actions: first possible savings, then what endangers people', () => {
    expect(sheets.notes('Summary').split('\n').slice(-3)).toEqual([
      '7 of 15 numbers are unassigned: return up to 5 to save up to EUR 10 a month, not counting 1 number ' +
        'without a price (set reports.settings.number-inventory.prices); keep a reserve for growth.',
      '1 number in use can make emergency calls without an address; ' +
        '1 emergency address needs an update: correct the addresses.',
      '5 numbers are assigned to inactive users: reassign or return them.',
    ])
    const links = ['Reclaimable', 'Emergency addresses', 'Inactive users']
    expect(sheets.links('Summary')).toEqual(links)
  })

  it('lists only numbers that can make emergency calls without a valid address, the worst first', () => {
    expect(pickOf('Emergency addresses', 'Number', 'Has an address', 'Needs an update')).toEqual([
      ['+33155500000', false, null],
      ['+33155520000', true, true],
    ])
    expect(sheets.notes('Emergency addresses')).toContain('capability EmergencyCalls')
  })

  it('shows since when a number is idle, its cost, and whether it can be reclaimed', () => {
    const titles = ['Number', 'Reclaimable', 'Idle since', 'Days idle', 'Quarantine days left']
    const since = '2026-08-01T02:59:00'
    expect(pickOf('Unassigned', ...titles)).toEqual([
      ['+33475550000', true, since, 111, 0],
      ['+49305550005', true, since, 111, 0],
      ['+49305550006', true, since, 111, 0],
      ['+49305550007', true, since, 111, 0],
      ['+49305550008', true, since, 111, 0],
      ['+49305550009', false, since, 111, 0],
      ['+49305550001', false, '2026-11-10T02:59:00', 10, 20],
    ])
    const known = pickOf('Unassigned', 'Based on').flat()
    expect([known[0], known[6]]).toEqual(['first seen on 2026-08-01', 'end of the last assignment'])
    expect(sheets.figures('Reclaimable')).toEqual({
      Unassigned: 7,
      'In quarantine': 1,
      'Status not Normal': 1,
      Reclaimable: 5,
      'Reclaimable without a price': 1,
      'Monthly cost (EUR), priced numbers only': 10,
    })
    expect(sheets.notes('Reclaimable')).toContain('The sums exclude 1 reclaimable number without')
  })

  it('treats the cost of a number without a price as unknown, not as zero', async () => {
    const unpriced = await readInventory(warehouse, { endedBy: '2026-11-21T00:00:00Z' })
    expect(unpriced.figures('Reclaimable')['Monthly cost (EUR), priced numbers only']).toBeNull()
    expect(unpriced.lines('Unassigned').map((line) => line['Monthly cost (EUR)'])).toEqual(
      Array.from({ length: 7 }, () => null),
    )
    expect(unpriced.notes('Reclaimable')).toContain('has no prices')
    expect(unpriced.notes('Summary')).toContain(
      '7 of 15 numbers are unassigned: return up to 6; keep a reserve for growth. To see what that ' +
        'saves, set reports.settings.number-inventory.prices.',
    )
  })

  it('groups consecutive numbers into ranges, with gaps and free blocks', () => {
    expect(sheets.lines('Ranges')).toEqual([
      {
        From: '+49305550000',
        To: '+49305550009',
        Numbers: 9,
        Assigned: 3,
        Free: 6,
        Used: 3 / 9,
        'Not in the account': 1,
        Gaps: 1,
        'Longest free block': 5,
        'Block from': '+49305550005',
        Site: 'Berlin office',
        Product: 'SVC_PHONE',
      },
    ])
    expect(sheets.notes('Ranges')).toContain('6 single numbers')
  })

  it('estimates when the free numbers of a site run out, from the growth of 90 days', () => {
    const titles = ['Site', 'Free', 'Assigned 2026-08-22', 'Net growth', 'Days left']
    // Berlin has five free numbers in normal use, and one assignment more than 90 days ago.
    expect(pickOf('Days to exhaustion', ...titles, 'Outlook')).toEqual([
      ['Berlin office', 5, 2, 1, 450, 'runs out'],
      ['Paris office', 0, 5, 0, null, 'no growth'],
      ['(none)', 1, 0, 0, null, 'no growth'],
    ])
  })

  it('shows the stock at the end of each month, from the history', () => {
    expect(pickOf('Trend', 'Date', 'Numbers', 'Assigned', 'Pending')).toEqual([
      ['2026-08-31', 16, 7, 1],
      ['2026-09-30', 15, 9, 1],
      ['2026-10-31', 15, 9, 1],
      ['2026-11-20', 15, 8, 1],
    ])
  })

  it('marks data that was never read as unknown', () => {
    for (const sheet of ['Porting', 'SIP trunks', 'Peering', 'SMS coverage'])
      expect([sheet, sheets.notes(sheet)]).toEqual([sheet, expect.stringContaining('never read')])
    expect(sheets.notes('Assignees')).toContain('cost centers are unknown')
  })

  it('uses no data of later runs', async () => {
    const endedBy = '2026-11-21T00:00:00Z'
    const again = await readInventory(warehouse, { settings: SETTINGS, endedBy })
    for (const sheet of ['Unassigned', 'Days to exhaustion', 'Trend', 'Ranges'])
      expect(again.lines(sheet)).toEqual(sheets.lines(sheet))
    const later = await readInventory(warehouse, { settings: SETTINGS })
    const idle = later.lines('Unassigned').map((line) => line.Number)
    expect([idle.includes('+49305550000'), idle.includes('+49305550008')]).toEqual([true, false])
  })

  it('advises no returns if assignments may be missing', async () => {
    await sql`update callsheet.slices set state = 'failed'
      where account = 'hand' and stream = 'phone_numbers'`.execute(warehouse.db)
    const notes = (await readInventory(warehouse, { settings: SETTINGS })).notes('Summary')
    expect(notes).toContain('may be reclaimable. Not all assignments were read')
    expect(notes).not.toContain('return up to')
  })
})
