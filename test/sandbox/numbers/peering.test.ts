import { describe, expect, it } from 'vitest'
import { failuresOf, told, withCaller } from '../number-bench.ts'
import { byNumber, listOf, NEW, OTHER, PATH, some } from '../peering-bench.ts'

const CARRIER_PATH = '/number_management/carrier/peering_numbers'

describe('the lists of peering numbers', () => {
  it('show the account its own numbers, and the carrier those of all its customers', () =>
    withCaller({}, async (caller) => {
      const account = await listOf(caller)
      const carriers = await listOf(caller, {}, CARRIER_PATH)
      for (const [numbers, more] of [
        [account, []],
        [carriers, ['customer_account_name', 'customer_account_number']],
      ] as const) {
        expect(numbers.length).toBeGreaterThan(30)
        for (const number of numbers) {
          const due = ['allocated_product', 'assigned', 'phone_number', 'sip_trunk_name', 'status']
          for (const field of [...due, ...more]) expect(number).toHaveProperty(field)
          expect(Object.keys(number).filter((name) => !FIELDS.has(name))).toEqual(more)
        }
      }
      const customers = new Set(carriers.map((number) => number.customer_account_name))
      expect(customers.size).toBe(3)
      const texts = new Set(account.map(({ phone_number }) => phone_number))
      expect(carriers.some(({ phone_number }) => texts.has(phone_number))).toBe(true)
      expect(carriers.some(({ phone_number }) => !texts.has(phone_number))).toBe(true)
    }))

  it('have pages with a total but no page size', () =>
    withCaller({}, async (caller) => {
      const { body } = await caller.get(PATH, { page_size: '5' })
      expect(body.numbers).toHaveLength(5)
      expect(body).not.toHaveProperty('page_size')
      expect(body.total_records).toBe((await listOf(caller)).length)
      const token = told(caller.get(PATH, { next_page_token: 'none' }))
      expect(await token).toEqual({ status: 400, code: 1003100 })
    }))

  it('can be filtered by number and by a known carrier', () =>
    withCaller({}, async (caller) => {
      const all = await listOf(caller)
      const phone_number = String(all[3]?.phone_number)
      expect(await listOf(caller, { phone_number })).toEqual([all[3]])
      const ofOne = await listOf(caller, { carrier_code: String(OTHER) })
      expect(ofOne.length).toBeGreaterThan(2)
      expect(ofOne.length).toBeLessThan(all.length)
      expect(ofOne.every(({ sip_trunk_name }) => String(sip_trunk_name).includes('5457'))).toBe(
        true,
      )
      for (const path of [PATH, CARRIER_PATH]) {
        const unknown = told(caller.get(path, { carrier_code: '1' }))
        expect(await unknown).toEqual({ status: 400, code: 1001 })
        const wrong = told(caller.get(path, { carrier_code: 'x' }))
        expect(await wrong).toEqual({ status: 400, code: 999 })
      }
    }))

  it('are only for provider-exchange partners, and so are changes', () =>
    withCaller({ switches: { providerExchange: false } }, async (caller) => {
      for (const path of [PATH, CARRIER_PATH]) expect((await caller.get(path)).status).toBe(403)
      for (const method of ['POST', 'PATCH', 'DELETE'])
        expect((await caller.send(method, PATH, { phone_numbers: [NEW] })).status).toBe(403)
    }))
})

describe('adding peering numbers', () => {
  it('stores the supplied fields and fills in the defaults', () =>
    withCaller({}, async (caller) => {
      const said = { billing_ref_id: 'b'.repeat(60), service_info: 's'.repeat(255) }
      const sent = { phone_numbers: [{ ...NEW, ...said }] }
      expect(await caller.send('POST', PATH, sent)).toMatchObject({ status: 201, body: {} })
      const shown = {
        ...NEW,
        ...said,
        billing_ref_id: 'b'.repeat(36),
        allocated_product: 'UNALLOCATED',
        assigned: false,
        voice_direction: 'INBOUND_AND_OUTBOUND',
        voice_msg_capacity: 'MULTI_USE',
        outbound_cli_share_not_supported: false,
        outbound_dialer_not_supported: false,
        message_capability: 'SUPPORTED',
      }
      const { phone_number } = NEW
      expect(await listOf(caller, { phone_number })).toEqual([shown])
      expect(await listOf(caller, { phone_number }, CARRIER_PATH)).toMatchObject([shown])
    }))

  it('lets only mobile numbers choose their message capability', () =>
    withCaller({}, async (caller) => {
      const message_capability = 'NOT_APPLICABLE'
      const [first, second] = some(2)
      const mobile = { ...first, number_type: 'Mobile', message_capability }
      const toll = { ...second, number_type: 'Toll', message_capability }
      await caller.send('POST', PATH, { phone_numbers: [mobile, toll] })
      const all = await listOf(caller)
      expect(byNumber(all, first)).toMatchObject({ message_capability })
      expect(byNumber(all, second)).toMatchObject({ message_capability: 'SUPPORTED' })
    }))

  it('accepts at most two hundred at once', () =>
    withCaller({}, async (caller) => {
      const { length } = await listOf(caller)
      const many = told(caller.send('POST', PATH, { phone_numbers: some(201) }))
      expect(await many).toEqual({ status: 400, code: 1003 })
      const most = await caller.send('POST', PATH, { phone_numbers: some(200) })
      expect(most.status).toBe(201)
      expect(await listOf(caller)).toHaveLength(length + 200)
    }))

  it('reports the numbers that failed, and adds the others', () =>
    withCaller({}, async (caller) => {
      const [known] = await listOf(caller)
      const phone_numbers = [
        NEW,
        { ...NEW, phone_number: known?.phone_number },
        { ...NEW, phone_number: '0207' },
        { ...NEW, phone_number: '+442071230002', sip_trunk_name: 'none' },
      ]
      expect(failuresOf(await caller.send('POST', PATH, { phone_numbers }))).toEqual([
        { phoneNumber: known?.phone_number, reason: 'Number already exists.' },
        { phoneNumber: '0207', reason: 'Format is invalid.' },
        { phoneNumber: '+442071230002', reason: 'Invalid SIP trunk.' },
      ])
      expect(byNumber(await listOf(caller), NEW)).toBeDefined()
    }))

  it('refuses empty, unknown or invalid input', () =>
    withCaller({}, async (caller) => {
      const before = await listOf(caller)
      const refusals: [unknown, number][] = [
        [undefined, 1002],
        [{}, 1002],
        [{ phone_numbers: [] }, 1002],
        [{ phone_numbers: [NEW], carrier_code: 1 }, 1001],
        [{ phone_numbers: [NEW], allocated_product: 'SVC_ROOM' }, 999],
        [{ phone_numbers: [{ ...NEW, assigned: true }] }, 999],
        [{ phone_numbers: [{ ...NEW, status: undefined }] }, 999],
        [{ phone_numbers: [{ ...NEW, sip_trunk_name: undefined }] }, 999],
        [{ phone_numbers: [{ ...NEW, billing_ref_id: 'b'.repeat(61) }] }, 999],
        [{ phone_numbers: [{ ...NEW, service_info: 's'.repeat(256) }] }, 999],
      ]
      for (const [body, code] of refusals)
        expect(await told(caller.send('POST', PATH, body))).toEqual({ status: 400, code })
      expect(await listOf(caller)).toEqual(before)
    }))

  it.each([
    ['UNALLOCATED', 'VirtualService', 400],
    ['SVC_PHONE', 'VirtualService', 400],
    ['SVC_PHONE', 'Toll', 201],
    ['SVC_CONTACT_CENTER', 'Toll', 400],
    ['SVC_CONTACT_CENTER', 'VirtualService', 201],
    ['SVC_CONTACT_CENTER', 'Mobile', 201],
  ])(
    'to the product %s with the type %s is answered %s',
    (allocated_product, number_type, status) =>
      withCaller({}, async (caller) => {
        const phone_numbers = [{ ...NEW, number_type }]
        const answer = await caller.send('POST', PATH, { phone_numbers, allocated_product })
        expect(answer.status).toBe(status)
        if (status === 400) expect(answer.body.code).toBe(999)
        else expect(byNumber(await listOf(caller), NEW)).toMatchObject({ allocated_product })
      }),
  )
})

const FIELDS = new Set([
  'phone_number',
  'sip_trunk_name',
  'status',
  'assigned',
  'allocated_product',
  'billing_ref_id',
  'message_capability',
  'outbound_cli_share_not_supported',
  'outbound_dialer_not_supported',
  'service_info',
  'voice_direction',
  'voice_msg_capacity',
])
