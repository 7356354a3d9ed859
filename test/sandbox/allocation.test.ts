import { describe, expect, it } from 'vitest'
import type { Caller } from './caller.ts'
import {
  ALLOCATION,
  expectTruth,
  type Item,
  NUMBERS,
  numbersOf,
  numberWith,
  told,
  withCaller,
} from './number-bench.ts'

const SITE = 'site-Lon'
const FREE = { allocated_product: 'UNALLOCATED' }
const NATIVE = ['Svc', 'SvcPorted', 'SvcReserved']
const isNative = ({ source }: Item) => NATIVE.includes(String(source))
const placeOf = ({ location }: Item) => (location as { country: string }).country

const allocate = (caller: Caller, numbers: unknown, more: Item) =>
  caller.send('PATCH', ALLOCATION, { numbers, ...more })
const detailOf = async (caller: Caller, { id }: Item) =>
  (await caller.get(`${NUMBERS}/${String(id)}`)).body

describe('allocating numbers', () => {
  it('moves a number from UNALLOCATED to a product and back, in the list and the detail', () =>
    withCaller({}, async (caller, sandbox) => {
      const free = numberWith(await numbersOf(caller), { ...FREE, number_type: 'Toll' })
      const toPhone = { allocated_product: 'SVC_PHONE', site_id: SITE }
      expect(await allocate(caller, [free.id], toPhone)).toMatchObject({ status: 204, body: {} })
      const site = { site_id: SITE, name: 'London office' }
      const phone = { allocated_product: 'SVC_PHONE', number_type: 'Toll', site }
      const listed = numberWith(await numbersOf(caller), { id: free.id })
      expect(listed).toMatchObject(phone)
      expect(listed.assigned_list ?? []).toEqual([])
      expect(await detailOf(caller, free)).toMatchObject({ ...phone, assigned_list: [] })
      expect((await allocate(caller, [free.id], FREE)).status).toBe(204)
      expect((await allocate(caller, [free.id], { allocated_product: CONTACT })).status).toBe(204)
      expect(await detailOf(caller, free)).toMatchObject({
        allocated_product: CONTACT,
        number_type: 'VirtualService',
        assigned_list: [],
      })
      await expectTruth(sandbox)
    }))

  it('removes a number’s assignment when it is unallocated, and does not restore it', () =>
    withCaller({}, async (caller, sandbox) => {
      const held = (await numbersOf(caller)).find(
        ({ allocated_product, assigned_list }) =>
          allocated_product === 'SVC_PHONE' && Array.isArray(assigned_list) && assigned_list[0],
      )
      if (held === undefined) throw new Error('nobody has a number')
      expect((await allocate(caller, [held.id], FREE)).status).toBe(204)
      expect(await detailOf(caller, held)).toMatchObject({ ...FREE, assigned_list: [] })
      const back = { allocated_product: 'SVC_PHONE', site_id: SITE }
      expect((await allocate(caller, [held.id], back)).status).toBe(204)
      expect(await detailOf(caller, held)).toMatchObject({ assigned_list: [] })
      await expectTruth(sandbox)
    }))

  it('moves a phone number to another site and keeps its assignment', () =>
    withCaller({}, async (caller) => {
      const numbers = await numbersOf(caller)
      const held = numbers.find(
        ({ allocated_product, assigned_list }) =>
          allocated_product === 'SVC_PHONE' && Array.isArray(assigned_list) && assigned_list[0],
      )
      const to = { allocated_product: 'SVC_PHONE', site_id: 'site-Tok' }
      expect((await allocate(caller, [held?.id], to)).status).toBe(204)
      const after = numberWith(await numbersOf(caller), { id: held?.id })
      expect(after.site).toEqual({ site_id: 'site-Tok', name: 'Tokyo office' })
      expect(after.assigned_list).toEqual(held?.assigned_list)
    }))

  it('refuses the whole request if one number, product or site is wrong', () =>
    withCaller({}, async (caller) => {
      const before = await numbersOf(caller)
      const free = numberWith(before, FREE).id
      const contact = numberWith(before, { allocated_product: CONTACT }).id
      const phone = { allocated_product: 'SVC_PHONE' }
      const refusals: [unknown, Item, unknown][] = [
        [[free, 'nobody'], { ...phone, site_id: SITE }, 100002],
        [[free, contact], { ...phone, site_id: SITE }, 200002],
        [[free], { site_id: SITE }, '1002_006'],
        [[free], { ...phone, site_id: 'site-none' }, '1002_010'],
        [[free], phone, '1002_003'],
        [[free], { allocated_product: 'SVC_ROOM' }, 999],
        [[], { allocated_product: CONTACT }, 999],
        ['free', { allocated_product: CONTACT }, 999],
      ]
      for (const [numbers, more, code] of refusals)
        expect(await told(allocate(caller, numbers, more))).toEqual({ status: 400, code })
      expect(await told(caller.send('PATCH', ALLOCATION))).toEqual({ status: 400, code: 999 })
      expect(await numbersOf(caller)).toEqual(before)
    }))

  it('refuses to move a number from the phone product to the contact center', () =>
    withCaller({}, async (caller) => {
      const { id } = numberWith(await numbersOf(caller), { allocated_product: 'SVC_PHONE' })
      const answer = told(allocate(caller, [id], { allocated_product: CONTACT }))
      expect(await answer).toEqual({ status: 400, code: 200002 })
    }))

  it('needs no site if the account has only one', () =>
    withCaller({ switches: { multipleSites: false } }, async (caller) => {
      const free = numberWith(await numbersOf(caller), FREE)
      const phone = { allocated_product: 'SVC_PHONE' }
      expect((await allocate(caller, [free.id], phone)).status).toBe(204)
      expect(await detailOf(caller, free)).toMatchObject({ ...phone, site: free.site })
    }))

  it('accepts several native numbers only if they share a country and a type', () =>
    withCaller({}, async (caller) => {
      const free = (await numbersOf(caller)).filter(
        ({ allocated_product }) => allocated_product === 'UNALLOCATED',
      )
      const one = free.find((number) => isNative(number) && number.number_type === 'Toll')
      const alike = (country: boolean, type: boolean) => (number: Item) =>
        isNative(number) &&
        number !== one &&
        (placeOf(number) === placeOf(one ?? {})) === country &&
        (number.number_type === one?.number_type) === type
      const to = { allocated_product: CONTACT }
      for (const other of [alike(false, true), alike(true, false)]) {
        const pair = [one?.id, free.find(other)?.id]
        expect(await told(allocate(caller, pair, to))).toEqual({ status: 400, code: 999 })
      }
      const same = [one?.id, free.find(alike(true, true))?.id]
      expect((await allocate(caller, same, to)).status).toBe(204)
      const carried = free.filter((number) => !isNative(number))
      expect(new Set(carried.map(placeOf)).size).toBeGreaterThan(3)
      const ids = carried.map(({ id }) => id)
      expect((await allocate(caller, ids, to)).status).toBe(204)
    }))
})

describe('deleting numbers', () => {
  const remove = (caller: Caller, ids: readonly unknown[]) =>
    caller.send('DELETE', `${NUMBERS}?${ids.map((id) => `numbers=${String(id)}`).join('&')}`)

  it('removes them from the list, the detail and the consent policies', () =>
    withCaller({}, async (caller, sandbox) => {
      const before = await numbersOf(caller)
      const { consent, under } = await consentWithNumbers(caller)
      const gone = [under[0], under[1]]
      expect(await remove(caller, gone)).toMatchObject({ status: 204, body: {} })
      expect(await numbersOf(caller)).toHaveLength(before.length - 2)
      const detail = told(caller.get(`${NUMBERS}/${String(gone[0])}`))
      expect(await detail).toEqual({ status: 400, code: 100002 })
      const after = await caller.get(`/number_management/sms_consent/${consent}`)
      expect(after.body.used_number).toBe(under.length - 2)
      await expectTruth(sandbox)
    }))

  it('is refused as a whole for an unknown ID, and for no ID at all', () =>
    withCaller({}, async (caller) => {
      const before = await numbersOf(caller)
      const some = remove(caller, [before[0]?.id, 'nobody'])
      expect(await told(some)).toEqual({ status: 400, code: 100002 })
      expect(await told(caller.send('DELETE', NUMBERS))).toEqual({ status: 400, code: 999 })
      expect(await numbersOf(caller)).toHaveLength(before.length)
    }))

  it('needs a scope of its own', () =>
    withCaller(
      { accounts: [{ scopes: ['number_management_numbers:write:admin'] }] },
      async (caller) =>
        expect(await told(remove(caller, ['x']))).toEqual({ status: 400, code: 4711 }),
    ))
})

async function consentWithNumbers(caller: Caller): Promise<{ consent: string; under: unknown[] }> {
  const { body } = await caller.get('/number_management/sms_consent')
  const [consent] = (body.sms_consent as Item[]).filter(
    ({ used_number }) => Number(used_number) > 2,
  )
  const id = String(consent?.consent_id)
  const path = `/number_management/sms_consent/${id}/phone_numbers`
  const under = (await caller.drain(path, 'sms_consent_number')) as Item[]
  return { consent: id, under: under.map(({ phone_number_id }) => phone_number_id) }
}

const CONTACT = 'SVC_CONTACT_CENTER'
