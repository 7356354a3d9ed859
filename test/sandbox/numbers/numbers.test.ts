import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts'
import { type Caller, oauthCaller } from '../caller.ts'
import { type Item, NOW_MS, NUMBERS, numbersOf, told } from '../number-bench.ts'
import { SMALL_SIZES } from '../sizes.ts'

let sandbox: Sandbox
let caller: Caller
let all: Item[]

beforeAll(async () => {
  sandbox = await startSandbox({ nowMs: NOW_MS, sizes: SMALL_SIZES })
  caller = await oauthCaller(sandbox)
  all = await numbersOf(caller)
})
afterAll(() => sandbox.close())

describe("the account's numbers", () => {
  it.each([
    ['allocated_product', 'SVC_PHONE', ({ allocated_product: is }: Item) => is === 'SVC_PHONE'],
    ['number_type', 'VirtualService', ({ number_type: is }: Item) => is === 'VirtualService'],
    ['number_status', 'Pending', ({ status: is }: Item) => is === 'Pending'],
    ['number_source', 'SvcPorted', ({ source: is }: Item) => is === 'SvcPorted'],
    ['site_id', 'site-Lon', ({ site: is }: Item) => (is as Item | null)?.site_id === 'site-Lon'],
    ['assigned_to_type', 'CallQueue', (number: Item) => typesOf(number).includes('CallQueue')],
    ['keyword', '+4420', ({ number: is }: Item) => String(is).startsWith('+4420')],
  ])('are filtered by %s', async (name, value, fits) => {
    const query = { page_size: '200', [name]: value }
    const listed = await caller.drain(NUMBERS, 'numbers', query)
    expect(listed.length).toBeGreaterThan(2)
    expect(listed.length).toBeLessThan(all.length)
    expect(listed).toEqual(all.filter(fits))
  })

  it('have a type that fits their product', () => {
    for (const { allocated_product: product, number_type: type } of all)
      if (product === 'SVC_CONTACT_CENTER')
        expect(['VirtualService', 'TollFree', 'Mobile']).toContain(type)
      else expect(type).not.toBe('VirtualService')
  })

  it('supplied by carriers belong to a listed SIP group', async () => {
    const listed = new Set<unknown>()
    for (const allocated_product of ['SVC_PHONE', 'SVC_CONTACT_CENTER'])
      for (const group of await caller.drain('/number_management/sip_groups', 'sip_groups', {
        allocated_product,
      }))
        listed.add((group as Item).sip_group_id)
    const used = all.flatMap(({ sip_group: group }) => (group === undefined ? [] : [group as Item]))
    expect(used.length).toBeGreaterThan(100)
    expect(used.filter(({ id }) => !listed.has(id))).toEqual([])
  })

  it('use SIP trunks, whose list has pages of thirty by default and a hundred at most', async () => {
    const added = Array.from({ length: 200 }, () => ({ kind: 'trunks', action: 'add' }) as const)
    sandbox.mutate({ ops: added })
    const path = '/number_management/sip_trunks'
    const shown = async (query: Record<string, string>): Promise<unknown> => {
      const { body } = await caller.get(path, { allocated_product: 'SVC_PHONE', ...query })
      expect(body.total_records).toBe((body.byoc_sip_trunk as Item[]).length)
      return body.total_records
    }
    expect(await shown({})).toBe(30)
    expect(await shown({ page_size: '100' })).toBe(100)
    expect(await shown({ page_size: '101' })).toBe(100)
  })

  it('have more assignment fields in the detail, and most of all for a meeting service', async () => {
    const detailOf = async (type: string): Promise<Item> => {
      const number = all.find((one) => typesOf(one)[0] === type)
      const { body } = await caller.get(`${NUMBERS}/${String(number?.id)}`)
      return (body.assigned_list as Item[])[0] ?? {}
    }
    const queue = await detailOf('CallQueue')
    expect(Object.keys(queue)).toEqual(expect.arrayContaining(['display_number', 'label']))
    expect(queue).toHaveProperty('assgined_to_name')
    expect(queue).not.toHaveProperty('assigned_to_name')
    expect(queue).not.toHaveProperty('greeting')
    expect(await detailOf('MeetingService')).toMatchObject({
      meeting_id: expect.any(String) as string,
      greeting: { id: expect.any(String) as string, name: expect.any(String) as string },
      on_hold_music: { id: expect.any(String) as string, name: expect.any(String) as string },
    })
  })

  it('and their settings refuse unknown values with number management’s error codes', async () => {
    const invalid = { status: 400, code: 999 }
    expect(await told(caller.get(NUMBERS, { colour: 'red' }))).toEqual(invalid)
    expect(await told(caller.get(NUMBERS, { page_size: '0' }))).toEqual(invalid)
    expect(await told(caller.get(`${NUMBERS}/none`))).toEqual({ status: 400, code: 100002 })
    const order = caller.get('/number_management/ported_numbers/orders/none')
    expect(await told(order)).toEqual({ status: 400, code: 400 })
    const groups = caller.get('/number_management/sip_groups')
    expect(await told(groups)).toEqual({ status: 400, code: '1002_006' })
    for (const list of ['sip_groups', 'sip_trunks']) {
      const path = `/number_management/${list}`
      const other = caller.get(path, { allocated_product: 'UNALLOCATED' })
      expect(await told(other)).toEqual(invalid)
    }
  })
})

function typesOf({ assigned_list: list }: Item): unknown[] {
  return ((list ?? []) as Item[]).map(({ assigned_to_type }) => assigned_to_type)
}
