import { describe, expect, it } from 'vitest'
import type { Caller } from '../caller.ts'
import {
  expectTruth,
  failuresOf,
  type Item,
  NOW_MS,
  numbersOf,
  told,
  withCaller,
} from '../number-bench.ts'

const PATH = '/number_management/sms_consent'
const MESSAGES = {
  opt_in_message: { prompt: 'Answer YES.', keywords: ['YES'], confirmation_message: 'In.' },
  opt_out_message: { message: 'Out.', keywords: ['STOP'] },
  help_message: { message: 'Call us.', keywords: ['HELP'] },
  disclaimer: { enable: true, message: 'Rates may apply.' },
}
const POLICY = { consent_name: 'Ours', status: true, in_out_bound: MESSAGES }
const at = (consent: Item, more = ''): string => `${PATH}/${String(consent.consent_id)}${more}`
const idsOf = (items: readonly Item[]) => items.map(({ id }) => id)

describe('a consent policy', () => {
  it('can be created, read, partly changed and deleted', () =>
    withCaller({}, async (caller, sandbox) => {
      const { status, body } = await caller.send('POST', PATH, POLICY)
      expect(status).toBe(201)
      const fresh = { ...POLICY, used_number: 0, capacity: 10_000, account_id: 'acct-1' }
      expect(body).toMatchObject(fresh)
      expect(typeof body.user_id).toBe('string')
      expect(body).not.toHaveProperty('description')
      expect((await caller.get(at(body))).body).toEqual(body)
      sandbox.advance(60_000)
      const changes = { status: false, in_out_bound: { disclaimer: { enable: false } } }
      expect(await caller.send('PATCH', at(body), changes)).toMatchObject({ status: 204, body: {} })
      const after = (await caller.get(at(body))).body
      const disclaimer = { ...MESSAGES.disclaimer, enable: false }
      expect(after).toMatchObject({
        consent_name: 'Ours',
        status: false,
        in_out_bound: { ...MESSAGES, disclaimer },
        create_time: body.create_time,
      })
      expect(instant(after.modify_time) - instant(body.modify_time)).toBe(60_000)
      const later = await expectTruth(sandbox)
      const consent_ids = [body.consent_id]
      expect(await later.send('DELETE', PATH, { consent_ids })).toMatchObject({ status: 204 })
      expect(await told(later.get(at(body)))).toEqual({ status: 404, code: 1002013 })
      await expectTruth(sandbox)
    }))

  it('is listed without its capacity or creator', () =>
    withCaller({}, async (caller) => {
      const { body } = await caller.send('POST', PATH, { ...POLICY, description: 'Why' })
      const listed = (await listOf(caller)).find(({ consent_id }) => consent_id === body.consent_id)
      expect(listed).toMatchObject({ ...POLICY, description: 'Why', used_number: 0 })
      expect(listed).not.toHaveProperty('capacity')
      expect(listed).not.toHaveProperty('user_id')
    }))

  it('is not created from an invalid body', () =>
    withCaller({}, async (caller) => {
      const { length } = await listOf(caller)
      const { disclaimer: _, ...fewer } = MESSAGES
      const bodies = [
        undefined,
        {},
        { ...POLICY, status: 'yes' },
        { ...POLICY, consent_name: undefined },
        { ...POLICY, in_out_bound: fewer },
        { ...POLICY, in_out_bound: { ...MESSAGES, help_message: { message: 'Call us.' } } },
        { ...POLICY, colour: 'red' },
      ]
      for (const body of bodies)
        expect(await told(caller.send('POST', PATH, body))).toEqual({ status: 400, code: 1002 })
      expect(await listOf(caller)).toHaveLength(length)
    }))

  it('is changed and deleted only if it exists and the body is valid', () =>
    withCaller({}, async (caller) => {
      const before = await listOf(caller)
      const [one = {}] = before
      const missing = { status: 404, code: 1002013 }
      const ids = [one.consent_id, 'cs-none']
      expect(await told(caller.send('DELETE', PATH, { consent_ids: ids }))).toEqual(missing)
      expect(await told(caller.send('PATCH', `${PATH}/cs-none`, {}))).toEqual(missing)
      for (const path of ['', '/phone_numbers'])
        expect(await told(caller.get(`${PATH}/cs-none${path}`))).toEqual(missing)
      const invalid = { status: 400, code: 999 }
      expect(await told(caller.send('PATCH', at(one), { status: 1 }))).toEqual(invalid)
      expect(await told(caller.send('PATCH', at(one), { capacity: 1 }))).toEqual(invalid)
      expect(await told(caller.send('DELETE', PATH, { consent_ids: [] }))).toEqual(invalid)
      expect(await listOf(caller)).toEqual(before)
    }))
})

describe('the numbers under a policy', () => {
  it('can be added and removed, and are counted', () =>
    withCaller({}, async (caller, sandbox) => {
      const consent = await withSome(caller)
      const before = await under(caller, consent)
      const others = (await numbersOf(caller)).filter(({ id }) => !before.includes(id)).slice(0, 3)
      const ids = idsOf(others)
      const put = await caller.send('POST', at(consent, NUMBERS), { phone_number_ids: ids })
      expect(put).toMatchObject({ status: 201, body: {} })
      expect(await under(caller, consent)).toEqual([...before, ...ids])
      expect((await caller.get(at(consent))).body.used_number).toBe(before.length + 3)
      const taken = [before[0], ids[1]]
      const away = await caller.send('DELETE', at(consent, NUMBERS), { phone_number_ids: taken })
      expect(away).toMatchObject({ status: 204, body: {} })
      const left = [...before, ...ids].filter((id) => !taken.includes(id))
      expect(await under(caller, consent)).toEqual(left)
      const later = await expectTruth(sandbox)
      const again = await later.send('POST', at(consent, NUMBERS), { phone_number_ids: taken })
      expect(again.status).toBe(201)
      expect(new Set(await under(later, consent))).toEqual(new Set([...before, ...ids]))
      const { body } = await later.get(at(consent, NUMBERS))
      expect((body.sms_consent_number as Item[])[0]).toMatchObject({ account_id: 'acct-1' })
      await expectTruth(sandbox)
    }))

  it('are limited to 199 in one request', () =>
    withCaller({}, async (caller) => {
      const consent = (await caller.send('POST', PATH, POLICY)).body
      const all = idsOf(await numbersOf(caller))
      for (const method of ['POST', 'DELETE']) {
        const many = caller.send(method, at(consent, NUMBERS), {
          phone_number_ids: all.slice(0, 200),
        })
        expect(await told(many)).toEqual({ status: 400, code: 1003 })
        const fewer = { phone_number_ids: all.slice(0, 199) }
        const { status } = await caller.send(method, at(consent, NUMBERS), fewer)
        expect(status).toBe(method === 'POST' ? 201 : 204)
        expect(await under(caller, consent)).toHaveLength(method === 'POST' ? 199 : 0)
      }
    }))

  it('are reported one by one if they cannot be added or removed', () =>
    withCaller({}, async (caller) => {
      const consent = await withSome(caller)
      const numbers = await numbersOf(caller)
      const before = await under(caller, consent)
      const inside = numbers.find(({ id }) => before.includes(id))
      const outside = numbers.find(({ id }) => !before.includes(id))
      const phone_number_ids = [inside?.id, outside?.id]
      const put = await caller.send('POST', at(consent, NUMBERS), { phone_number_ids })
      const reason = 'Number already exists.'
      expect(failuresOf(put)).toEqual([{ phoneNumber: inside?.number, reason }])
      expect(await under(caller, consent)).toEqual([...before, outside?.id])
      const first = { phone_number_ids: [outside?.id] }
      expect((await caller.send('DELETE', at(consent, NUMBERS), first)).status).toBe(204)
      const away = await caller.send('DELETE', at(consent, NUMBERS), { phone_number_ids })
      expect(failuresOf(away)).toEqual([
        { phoneNumber: outside?.number, reason: 'Number does not exist.' },
      ])
      expect(await under(caller, consent)).toEqual(before.filter((id) => id !== inside?.id))
    }))

  it('are changed only if all of them and the policy exist', () =>
    withCaller({}, async (caller) => {
      const consent = await withSome(caller)
      const before = await under(caller, consent)
      const known = (await numbersOf(caller)).find(({ id }) => !before.includes(id))?.id
      for (const method of ['POST', 'DELETE']) {
        const send = (path: string, phone_number_ids: unknown) =>
          told(caller.send(method, path, { phone_number_ids }))
        const path = at(consent, NUMBERS)
        expect(await send(path, [known, 'none'])).toEqual({ status: 400, code: 100002 })
        expect(await send(path, [])).toEqual({ status: 400, code: 999 })
        expect(await send(path, undefined)).toEqual({ status: 400, code: 999 })
        const nowhere = `${PATH}/cs-none${NUMBERS}`
        expect(await send(nowhere, [known])).toEqual({ status: 404, code: 1002013 })
      }
      expect(await under(caller, consent)).toEqual(before)
    }))

  it('cannot exceed the policy’s capacity', () =>
    withCaller({ sizes: { ...SMALL, numbers: 10_002 } }, async (caller, sandbox) => {
      const [consent = {}] = await listOf(caller)
      const full = (numbers: number) =>
        sandbox.mutate({
          ops: [{ kind: 'consents', action: 'change', index: 0, patch: { numbers } }],
        })
      full(9_999)
      const inside = new Set(await under(caller, consent))
      const ids = idsOf(await numbersOf(caller)).filter((id) => !inside.has(id))
      const put = (phone_number_ids: unknown[]) =>
        caller.send('POST', at(consent, NUMBERS), { phone_number_ids })
      expect(await told(put(ids.slice(0, 2)))).toEqual({ status: 400, code: 1003 })
      expect((await put(ids.slice(0, 1))).status).toBe(201)
      const { used_number, capacity } = (await caller.get(at(consent))).body
      expect(used_number).toBe(capacity)
    }))
})

async function listOf(caller: Caller): Promise<Item[]> {
  return (await caller.drain(PATH, 'sms_consent')) as Item[]
}

/** Returns a policy with more than three numbers. */
async function withSome(caller: Caller): Promise<Item> {
  const found = (await listOf(caller)).find(({ used_number }) => Number(used_number) > 3)
  if (found === undefined) throw new Error('no policy has numbers')
  return found
}

async function under(caller: Caller, consent: Item): Promise<unknown[]> {
  const query = { page_size: '300' }
  const items = await caller.drain(at(consent, NUMBERS), 'sms_consent_number', query)
  return (items as Item[]).map(({ phone_number_id }) => phone_number_id)
}

/** Parses a time, which must be less than an hour from now. Returns it without fractions of a second. */
function instant(text: unknown): number {
  const plain = String(text).replace(' ', 'T')
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(plain) ? plain : `${plain}Z`)
  expect(Math.abs(ms - NOW_MS)).toBeLessThan(3_600_000)
  return Math.floor(ms / 1000) * 1000
}

const NUMBERS = '/phone_numbers'
const SMALL = { users: 50, sessions: 50, whiteboards: 30, activities: 50, recordings: 20 }
