import { describe, expect, it } from 'vitest'
import type { Caller } from '../caller.ts'
import { failuresOf, type Item, told, withCaller } from '../number-bench.ts'
import { byNumber, listOf, NEW, OTHER, OWN, PATH, some } from '../peering-bench.ts'

describe('changing peering numbers', () => {
  it('can activate a number and give it a product, which cannot be changed again', () =>
    withCaller({}, async (caller) => {
      await caller.send('POST', PATH, { phone_numbers: [NEW] })
      const { phone_number } = NEW
      const change = (more: Item, allocated_product?: string) =>
        caller.send('PATCH', PATH, {
          phone_numbers: [{ phone_number, ...more }],
          allocated_product,
        })
      const shown = async () => byNumber(await listOf(caller), NEW)
      expect(await change({ status: true })).toMatchObject({ status: 204, body: {} })
      expect(await shown()).toMatchObject({ status: true, allocated_product: 'UNALLOCATED' })
      expect((await change({}, 'SVC_PHONE')).status).toBe(204)
      const phone = { status: true, allocated_product: 'SVC_PHONE' }
      expect(await shown()).toMatchObject(phone)
      for (const product of ['SVC_CONTACT_CENTER', 'UNALLOCATED']) {
        const refused = told(change({ status: false }, product))
        expect(await refused).toEqual({ status: 400, code: 200002 })
      }
      expect(await shown()).toMatchObject(phone)
      expect((await change({ service_info: 'Ours' }, 'SVC_PHONE')).status).toBe(204)
      expect(await shown()).toMatchObject({ ...phone, service_info: 'Ours' })
    }))

  it('reports the numbers that failed, and changes the others', () =>
    withCaller({}, async (caller) => {
      await caller.send('POST', PATH, { phone_numbers: some(2) })
      const [first, second] = some(2).map(({ phone_number }) => phone_number)
      const phone_numbers = [
        { phone_number: first, status: true },
        { phone_number: second, sip_trunk_name: 'none' },
        { phone_number: '+442079999999', status: true },
      ]
      expect(failuresOf(await caller.send('PATCH', PATH, { phone_numbers }))).toEqual([
        { phoneNumber: second, reason: 'Invalid SIP trunk.' },
        { phoneNumber: '+442079999999', reason: 'Number does not exist.' },
      ])
      expect(byNumber(await listOf(caller), { phone_number: first })).toMatchObject({
        status: true,
      })
    }))

  it('accepts at most two hundred at once, but no empty, unknown or invalid input', () =>
    withCaller({}, async (caller) => {
      await caller.send('POST', PATH, { phone_numbers: some(200) })
      const active = some(201).map(({ phone_number }) => ({ phone_number, status: true }))
      const refusals: [unknown, number][] = [
        [{ phone_numbers: active }, 1003],
        [{ phone_numbers: [] }, 1002],
        [{ phone_numbers: active.slice(0, 1), carrier_code: 1 }, 1001],
        [{ phone_numbers: [{ ...active[0], number_type: 'Mobile' }] }, 999],
        [{ phone_numbers: [{ ...active[0], billing_ref_id: 'b'.repeat(61) }] }, 999],
      ]
      for (const [body, code] of refusals)
        expect(await told(caller.send('PATCH', PATH, body))).toEqual({ status: 400, code })
      const most = { phone_numbers: active.slice(0, 200) }
      expect((await caller.send('PATCH', PATH, most)).status).toBe(204)
    }))
})

describe('removing peering numbers', () => {
  const remove = (caller: Caller, numbers: readonly unknown[], more = '') => {
    const words = numbers.map((number) => `phone_numbers=${encodeURIComponent(String(number))}`)
    return caller.send('DELETE', `${PATH}?${words.join('&')}${more}`)
  }

  it('removes numbers that the partner added, so another product may use them', () =>
    withCaller({}, async (caller) => {
      const sent = { phone_numbers: [NEW], allocated_product: 'SVC_PHONE' }
      await caller.send('POST', PATH, sent)
      const answer = await remove(caller, [NEW.phone_number], `&carrier_code=${OWN}`)
      expect(answer).toMatchObject({ status: 200, body: {} })
      expect(await listOf(caller, { phone_number: NEW.phone_number })).toEqual([])
      const again = { phone_numbers: [NEW], allocated_product: 'SVC_CONTACT_CENTER' }
      expect((await caller.send('POST', PATH, again)).status).toBe(201)
    }))

  it('keeps numbers that the partner did not add, and those of other carriers', () =>
    withCaller({}, async (caller) => {
      const ours = await listOf(caller, { carrier_code: String(OWN) })
      const [other] = await listOf(caller, { carrier_code: String(OTHER) })
      const numbers = [...ours, other].map((number) => number?.phone_number)
      const failures = failuresOf(await remove(caller, numbers)) as Item[]
      const left = failures.filter(({ reason }) => String(reason).includes('not added'))
      expect(left.length).toBeGreaterThan(0)
      expect(failures.at(-1)).toEqual({
        phoneNumber: other?.phone_number,
        reason: 'Number does not exist.',
      })
      const after = await listOf(caller, { carrier_code: String(OWN) })
      expect(after.map(({ phone_number }) => phone_number)).toEqual(
        left.map(({ phoneNumber }) => phoneNumber),
      )
    }))

  it('accepts at most two hundred at once, at least one, and only a known carrier', () =>
    withCaller({}, async (caller) => {
      await caller.send('POST', PATH, { phone_numbers: some(200) })
      const numbers = some(201).map(({ phone_number }) => phone_number)
      expect(await told(remove(caller, numbers))).toEqual({ status: 400, code: 1003 })
      expect(await told(remove(caller, []))).toEqual({ status: 400, code: 1002 })
      const unknown = remove(caller, numbers.slice(0, 1), '&carrier_code=1')
      expect(await told(unknown)).toEqual({ status: 400, code: 1001 })
      expect((await remove(caller, numbers.slice(0, 200))).status).toBe(200)
    }))
})
