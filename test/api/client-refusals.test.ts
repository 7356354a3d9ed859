import { describe, expect, it } from 'vitest'
import type { CallArguments, Operation } from '../../src/core/define/operation.ts'
import { MissingScopeError, RateLimitedError, ServiceError } from '../../src/core/errors.ts'
import { wordsOf } from '../../src/core/notifications/words.ts'
import { listSipGroups } from '../../src/resources/number-settings.ts'
import { getPhoneNumber } from '../../src/resources/phone-numbers.ts'
import { deleteStorageLocation, getStorageLocation } from '../../src/resources/storage-locations.ts'
import { getUser, listUsers } from '../../src/resources/users.ts'
import { type Answer, page, send } from './fault-server.ts'
import { servedClient as open } from './served-client.ts'

// H1, H2, ... are the faults in docs/internals/faults.md.

describe('a missing scope', () => {
  it.each([4711, 104])(
    '(code %i) is named, and the call is neither repeated nor given a new token',
    async (code) => {
      const message = 'Invalid access token, does not contain scopes:[user:read:admin, user:read]'
      const { fetch, server, replacements } = await open([send(400, { code, message })])
      const error = await fetch()
      expect(error).toBeInstanceOf(MissingScopeError)
      expect((error as MissingScopeError).scopes).toEqual(['user:read:admin', 'user:read'])
      expect([server.requests.length, replacements()]).toEqual([1, 0])
    },
  )
})

describe('a documented term that the service refuses', () => {
  const advice = 'if the service uses another word for SVC_PHONE, set it in accounts[].words'
  const query = { allocated_product: 'SVC_PHONE' }
  it.each([
    ['by its code', send(400, { code: 999, message: 'Invalid' }), advice],
    ['by an undocumented code', send(400, { code: 4, message: 'Bad value' }), advice],
    ['with a 422', send(422, { message: 'Bad value' }), advice],
    ['inside a success', send(200, { code: 999, message: 'Invalid' }), advice],
  ])('causes an error that names the setting if it is refused %s', async (_how, answer, todo) => {
    const { fetch } = await open([answer])
    expect(await fetch(listSipGroups, { query })).toMatchObject({ facts: { todo } })
  })

  it.each([
    ['a page token', send(400, { code: 1003100, message: 'Page token' })],
    ['the calling user', send(403, { code: 3, message: 'Forbidden' })],
  ])('causes no advice about words if the service refuses %s', async (_what, answer) => {
    const { fetch } = await open([answer])
    const error = (await fetch(listSipGroups, { query })) as ServiceError
    expect(error).toBeInstanceOf(ServiceError)
    expect(error.message).not.toContain('words')
  })

  it('causes an error with the sent term if the account configured one', async () => {
    const { fetch, server } = await open([send(400, { code: 999, message: 'Invalid' })], {
      words: wordsOf({ svc: 'acme' }),
    })
    const todo = advice.replace('SVC_PHONE', 'ACME_PHONE')
    expect(await fetch(listSipGroups, { query })).toMatchObject({ facts: { todo } })
    expect(server.requests[0]?.path).toContain('allocated_product=ACME_PHONE')
  })
})

describe('a missing record', () => {
  it.each<[Operation, CallArguments['path'], Answer, number]>([
    [getUser, { userId: 'u' }, send(404, { code: 1001, message: '' }), 404],
    [getUser, { userId: 'u' }, send(400, { code: '1120', message: '' }), 400],
    [getPhoneNumber, { phoneNumberId: 'n' }, send(400, { code: 100002, message: '' }), 400],
  ])(
    'is returned as deleted if status and code say so: %#',
    async (...[operation, path, answer, status]) => {
      const { client } = await open([answer])
      const gone = await client.fetchDetail(operation, { path: path ?? {} })
      expect(gone).toMatchObject({ state: 'deleted', status })
    },
  )

  it.each([
    ['another code', send(404, { code: 7, message: 'No such route' })],
    ['no code', send(404, '<html>not found</html>')],
  ])('is not assumed from a 404 with %s', async (_name, answer) => {
    const { client } = await open([answer])
    await expect(client.fetchDetail(getUser, { path: { userId: 'u' } })).rejects.toThrow(
      ServiceError,
    )
  })

  it.each([{ code: 7 }, { message: 'a status line' }])(
    'is not assumed for an existing record with a similar field: %j',
    async (own) => {
      const { client } = await open([send(200, { id: 'u', ...own })])
      expect(await client.fetchDetail(getUser, { path: { userId: 'u' } })).toMatchObject({
        state: 'found',
        record: { id: 'u' },
      })
    },
  )
})

describe('a response with 429', () => {
  const perSecond = 'You have reached the maximum per-second rate limit for this API.'
  const daily = 'You have reached the maximum daily rate limit for this API.'

  it('H6 stops the label in the ledger for as long as the service asks, and then resumes it', async () => {
    const refusal = send(429, { code: 429, message: perSecond }, { 'retry-after': '7' })
    const { fetch, ledger, clock } = await open([refusal, refusal, page()])
    const before = clock.now()
    expect(await fetch()).toMatchObject({ records: [] })
    expect(clock.now() - before).toBeGreaterThanOrEqual(14_000)
    const held = ledger.labels.get('MEDIUM')
    expect(held?.reason).toBe('rate')
    expect(held?.retryAtMs).toBeGreaterThanOrEqual(before + 14_000)
  })

  it('H8 is followed by our own backoff if the header is missing or useless', async () => {
    const useless = ['', 'soon', '-5', '0', 'Thu, 01 Jan 1970 00:00:00 GMT']
    const refusals = useless.map((value) => send(429, '', { 'retry-after': value }))
    const { fetch, server, clock } = await open([...refusals, ...refusals, ...refusals, page()])
    const before = clock.now()
    expect(await fetch()).toMatchObject({ records: [] })
    expect(server.requests).toHaveLength(16)
    expect(clock.now() - before).toBeGreaterThan(15_000)
  })

  it('H9 pauses the label until 00:00 UTC if its message says daily, whatever the headers say', async () => {
    const refusal = send(
      429,
      { code: 429, message: daily },
      { 'x-ratelimit-type': 'QPS', 'retry-after': '1' },
    )
    const { fetch, server, ledger } = await open([refusal])
    const error = await fetch()
    expect(error).toBeInstanceOf(RateLimitedError)
    expect(error).toMatchObject({ scope: 'daily', exitCode: 3 })
    expect(ledger.labels.get('MEDIUM')?.reason).toBe('daily')
    expect(await fetch()).toMatchObject({ scope: 'daily' })
    expect(server.requests).toHaveLength(1)
  })

  it('H21 inside a 403 or a 200 is treated as a 429', async () => {
    const { fetch, server } = await open([
      send(403, { code: 403, message: perSecond }),
      send(200, { code: 429, message: perSecond }),
      page(),
    ])
    expect(await fetch()).toMatchObject({ records: [] })
    expect(server.requests).toHaveLength(3)
  })
})

it('H10 a 503 with Retry-After is repeated no sooner than the header says', async () => {
  const { fetch, clock } = await open([send(503, '', { 'retry-after': '40' }), page()])
  await fetch()
  expect(clock.sleeps.some((ms) => ms >= 39_000 && ms <= 40_000)).toBe(true)
})

it('H10 a 503 that asks for hours is left to the next run', async () => {
  const { fetch, clock } = await open([send(503, '', { 'retry-after': '7200' }), page()])
  expect(await fetch()).toMatchObject({ code: 'service_error' })
  expect(clock.elapsed()).toBeLessThan(60_000)
})

describe('an abort signal', () => {
  it('ends a running call with the given reason', async () => {
    const { client, server } = await open([() => {}])
    const stop = new AbortController()
    const call = client.fetchPage(listUsers, {}, { signal: stop.signal })
    while (server.requests.length === 0) await new Promise(setImmediate)
    stop.abort(new Error('interrupted'))
    await expect(call).rejects.toThrow('interrupted')
    expect(server.requests).toHaveLength(1)
  })
})

it('a documented refusal is explained, with a remedy if there is one', async () => {
  const { client } = await open([send(405, { code: 3312, message: 'Storage in use.' })])
  const path = { storageLocationId: 'l-1' }
  const error = await client.fetchDetail(getStorageLocation, { path }).catch((reason) => reason)
  expect(error).toMatchObject({ status: 405, serviceCode: '3312' })
  const declared = { ...getStorageLocation, errors: deleteStorageLocation.errors }
  const explained = await client.fetchDetail(declared, { path }).catch((reason) => reason)
  expect(String(error)).not.toContain('is in use')
  expect(String(explained)).toContain('3312')
  expect(String(explained)).toContain('the storage location is in use')
  expect(String(explained)).toContain('select another location')
})
