import { describe, expect, it } from 'vitest'
import type { Caller } from './caller.ts'
import {
  expectTruth,
  failuresOf,
  type Item,
  numbersOf,
  numberWith,
  told,
  withCaller,
} from './number-bench.ts'

const PATH = '/number_management/byoc_numbers'
const SITE = 'site-Mad'
const some = (count: number) =>
  Array.from({ length: count }, (_, n) => `+346${String(10_000_000 + n)}`)

describe('adding a carrier’s numbers', () => {
  it('accepts them in several notations, and shows them in the list', () =>
    withCaller({}, async (caller, sandbox) => {
      const group = await groupOf(caller, 'SVC_PHONE')
      const phone_numbers = ['+34 911 222 333', '+34800111222']
      const sent = { ...phone(group), phone_numbers, enable_pci_pal: false }
      expect(await caller.send('POST', PATH, sent)).toMatchObject({ status: 201, body: {} })
      const after = await numbersOf(caller)
      const toll = {
        allocated_product: 'SVC_PHONE',
        number_type: 'Toll',
        source: 'BYOCCloud',
        status: 'Normal',
        site: { site_id: SITE, name: 'Madrid office' },
        sip_group: { id: group.sip_group_id },
        capability: ['Incoming', 'Outgoing'],
        location: { country: 'ES' },
      }
      expect(numberWith(after, { number: '+34911222333' })).toMatchObject(toll)
      expect(numberWith(after, { number: '+34800111222' }).number_type).toBe('TollFree')
      const { id } = numberWith(after, { number: '+34911222333' })
      const detail = await caller.get(`/number_management/numbers/${String(id)}`)
      expect(detail.body).toMatchObject({ number: '+34911222333', assigned_list: [] })
      await expectTruth(sandbox)
    }))

  it('accepts local numbers only with a known country', () =>
    withCaller({}, async (caller) => {
      const local = {
        ...phone(await groupOf(caller, 'SVC_PHONE')),
        phone_numbers: ['0911 444 555'],
      }
      const without = caller.send('POST', PATH, local)
      expect(await told(without)).toEqual({ status: 400, code: 999 })
      const nowhere = caller.send('POST', PATH, { ...local, country_iso: 'QQ' })
      expect(await told(nowhere)).toEqual({ status: 400, code: 999 })
      expect((await caller.send('POST', PATH, { ...local, country_iso: 'ES' })).status).toBe(201)
      expect(numberWith(await numbersOf(caller), { number: '+34911444555' })).toBeDefined()
    }))

  it('accepts at most 99 numbers at once', () =>
    withCaller({}, async (caller) => {
      const common = phone(await groupOf(caller, 'SVC_PHONE'))
      const { length } = await numbersOf(caller)
      const hundred = caller.send('POST', PATH, { ...common, phone_numbers: some(100) })
      expect(await told(hundred)).toEqual({ status: 400, code: '1003_001' })
      const fewer = await caller.send('POST', PATH, { ...common, phone_numbers: some(99) })
      expect(fewer.status).toBe(201)
      expect(await numbersOf(caller)).toHaveLength(length + 99)
      const none = caller.send('POST', PATH, { ...common, phone_numbers: [] })
      expect(await told(none)).toEqual({ status: 400, code: 999 })
    }))

  it('reports each number that fails, and adds the others', () =>
    withCaller({}, async (caller) => {
      const [known] = await numbersOf(caller)
      const phone_numbers = ['+34911000001', String(known?.number), '+34x', '+34911000001']
      const body = { ...phone(await groupOf(caller, 'SVC_PHONE')), phone_numbers }
      expect(failuresOf(await caller.send('POST', PATH, body))).toEqual([
        { phoneNumber: known?.number, reason: 'Number already exists.' },
        { phoneNumber: '+34x', reason: 'Format is invalid.' },
        { phoneNumber: '+34911000001', reason: 'Number already exists.' },
      ])
      const added = (await numbersOf(caller)).filter(({ number }) => number === '+34911000001')
      expect(added).toHaveLength(1)
    }))

  it('requires a product, and an existing SIP group and site', () =>
    withCaller({}, async (caller) => {
      const group = await groupOf(caller, 'SVC_PHONE')
      const { sip_group_id } = await groupOf(caller, 'SVC_CONTACT_CENTER')
      const common = { ...phone(group), phone_numbers: some(1) }
      const refusals: [Item, unknown][] = [
        [{ allocated_product: undefined }, '1002_006'],
        [{ allocated_product: 'UNALLOCATED' }, 999],
        [{ sip_group_id: 'sg-none' }, '100_001'],
        [{ sip_group_id }, '100_001'],
        [{ sip_group_id: undefined }, 999],
        [{ allocated_product: 'SVC_CONTACT_CENTER', sip_group_id: undefined }, 999],
        [{ site_id: undefined }, '1002_003'],
        [{ site_id: 'site-none' }, 1002010],
      ]
      for (const [other, code] of refusals) {
        const answer = told(caller.send('POST', PATH, { ...common, ...other }))
        expect(await answer).toEqual({ status: 400, code })
      }
      const contact = { allocated_product: 'SVC_CONTACT_CENTER', sip_group_id }
      const added = { phone_numbers: some(1), ...contact }
      expect((await caller.send('POST', PATH, added)).status).toBe(201)
      const number = numberWith(await numbersOf(caller), { number: some(1)[0] })
      expect(number).toMatchObject({ number_type: 'VirtualService', site: null })
    }))

  it('enables PCI calls only in SIP groups that support them', () =>
    withCaller({}, async (caller) => {
      const outcomes = new Map<unknown, Item>()
      for (const [n, group] of (await groupsOf(caller, 'SVC_PHONE')).entries()) {
        const phone_numbers = [`+34922${String(100_000 + n)}`]
        const body = { ...phone(group), phone_numbers, enable_pci_pal: true }
        const { status, code } = await told(caller.send('POST', PATH, body))
        outcomes.set(status === 201 ? status : code, { number: phone_numbers[0] })
      }
      expect(new Set(outcomes.keys())).toEqual(new Set([201, '200_005']))
      const added = numberWith(await numbersOf(caller), outcomes.get(201) ?? {})
      expect(added.capability).toContain('PCIPal')
    }))

  it('is refused if the account lacks carrier numbers or PCI', async () => {
    const body = { allocated_product: 'SVC_PHONE', phone_numbers: some(1), site_id: SITE }
    await withCaller({ switches: { carrierNumbers: false } }, async (caller) =>
      expect(await told(caller.send('POST', PATH, body))).toEqual({ status: 400, code: 1004 }),
    )
    const pci = { ...body, enable_pci_pal: true }
    await withCaller({ switches: { pciPal: false } }, async (caller) =>
      expect(await told(caller.send('POST', PATH, pci))).toEqual({ status: 400, code: '200_005' }),
    )
  })

  it('needs no site and SIP group for the phone product if the account has only one of each', () =>
    withCaller({ switches: { multipleSites: false, carrierGroups: false } }, async (caller) => {
      const body = { allocated_product: 'SVC_PHONE', phone_numbers: some(1) }
      expect((await caller.send('POST', PATH, body)).status).toBe(201)
      const number = numberWith(await numbersOf(caller), { number: some(1)[0] })
      expect(number.site).toBeNull()
      expect(number).not.toHaveProperty('sip_group')
    }))
})

const phone = ({ sip_group_id }: Item) => ({
  allocated_product: 'SVC_PHONE',
  sip_group_id,
  site_id: SITE,
})

async function groupsOf(caller: Caller, allocated_product: string): Promise<Item[]> {
  const { body } = await caller.get('/number_management/sip_groups', { allocated_product })
  return body.sip_groups as Item[]
}

/** Returns a group that belongs to this product only. */
async function groupOf(caller: Caller, product: string): Promise<Item> {
  return numberWith(await groupsOf(caller, product), { source_system: product })
}
