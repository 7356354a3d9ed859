import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/core/define/operation.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { getPortedOrder, listSipTrunks } from '../../src/resources/number-settings.ts'
import { getSessionRecordings } from '../../src/resources/recordings.ts'
import { listStorageLocations } from '../../src/resources/storage-locations.ts'
import { getUser, listUsers } from '../../src/resources/users.ts'
import { listWhiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import type { ReadPage } from './client-under-test.ts'
import { send } from './fault-server.ts'
import { servedClient } from './served-client.ts'

/** Fields by which an answer reports an error, and a part of our error's text. */
const ERRORS: readonly [object, string][] = [
  [{ success: false }, 'success: false'],
  [{ success: 'False' }, 'success: <name>'],
  [{ isSuccess: 0 }, 'isSuccess: 0'],
  [{ ok: false }, 'ok: false'],
  [{ success: false, message: 'down for repair' }, 'down for repair'],
  [{ error: 'internal failure' }, 'internal failure'],
  [{ error: { code: 5001, message: 'failed' } }, 'code 5001, "failed"'],
  [{ error: { message: 'failed' } }, '"failed"'],
  [{ error: true }, 'error: true'],
  [{ code: 0, error: { reason: 'x' } }, 'HTTP 200, "error"'],
  [{ errors: [{ field: 'from', message: 'bad' }] }, 'HTTP 200, "errors"'],
  [{ errors: [{}] }, 'errors'],
  [{ errors: { from: ['bad'] } }, 'errors'],
  [{ error_code: 17 }, 'error_code: 17'],
  [{ errorMessage: 'timed out' }, 'errormessage: timed out'],
  [{ hasErrors: true }, 'haserrors: true'],
  [{ status: 'error' }, 'status: error'],
  [{ status: 'FAILED' }, 'status: FAILED'],
  [{ status: 'failure' }, 'status: failure'],
  [{ result: 'fail' }, 'result: fail'],
  [{ status: 'internal_error' }, 'status: internal_error'],
  [{ status: 404 }, 'code 404'],
  [{ statusCode: '403' }, 'code 403'],
  [{ code: 7, message: 'No permission' }, 'code 7, "No permission"'],
  [{ code: 200, message: 'You do not have the right permissions' }, 'code 200'],
]

/** Fields that report success, or nothing. */
const FINE: readonly object[] = [
  { code: 0 },
  { code: '0', message: 'ok' },
  { code: 200, message: 'success' },
  { errors: [], error: null, success: true },
  { error: '', errors: {}, ok: 'true' },
  { error: { code: 0, message: '' }, errors: null },
  { error: false, hasErrors: false, error_code: 0 },
  { success: null, status: 'ok' },
  { status: 200, result: 'success' },
  { status: 'no_error' },
  { meta: { status: 200, errors: [] }, title: 'Users' },
  { message: 'No users were found' },
  { message: 'The list was read without errors' },
]

/** Errors in an object of the envelope. A record may have such objects as its own. */
const WITHIN: typeof ERRORS = [
  [{ meta: { error: 'backend' } }, 'meta.error: backend'],
  [{ response: { status: 503 } }, 'code 503'],
]

const users = (records: object[], beside: object, token = '') =>
  send(200, { ...beside, users: records, next_page_token: token })

const text = (error: unknown): string => (error as Error).message.toLowerCase()

describe('a success response that mentions an error', () => {
  it.each([...ERRORS, ...WITHIN])(
    'is an error along with an empty or a full list: %j',
    async (beside, said) => {
      for (const records of [[], [{ id: 'u1', status: 'active' }]]) {
        const { fetch } = await servedClient([users(records, beside)])
        const error = await fetch()
        expect(error).toBeInstanceOf(ServiceError)
        expect(text(error)).toContain(said.toLowerCase())
      }
    },
  )

  it.each(ERRORS)('is an error on a later page: %j', async (beside) => {
    const { fetch } = await servedClient([users([{ id: 'u2' }], beside)])
    expect(await fetch(undefined, { query: { next_page_token: 'page-2' } })).toBeInstanceOf(Error)
  })

  it.each(ERRORS)('is an error even if only the caller checks the records: %j', async (beside) => {
    const { client } = await servedClient([users([{ id: 'u1' }], beside)])
    await expect(client.fetchPage(listUsers, {}, { unproven: true })).rejects.toThrow(ServiceError)
  })

  it.each(ERRORS)('is an error in a record: %j', async (beside) => {
    const whole = { ...beside, id: 'u1', session_id: 's1', email: 'zoe@corp.example' }
    // A user's `status` is a field of the user, not of the answer.
    const isStatus = Object.keys(beside)[0] === 'status'
    for (const [operation, path] of [
      [getUser, { userId: 'u1' }],
      [getSessionRecordings, { sessionId: 's1' }],
    ] as const) {
      const { client } = await servedClient([send(200, whole)])
      const detail = await client
        .fetchDetail<Operation>(operation, { path })
        .catch((error: unknown) => error)
      if (isStatus && operation === getUser) expect(detail).toMatchObject({ state: 'found' })
      else expect(detail).toBeInstanceOf(Error)
    }
  })

  it.each(ERRORS)('is an error in place of a list that is not in a field: %j', async (beside) => {
    const path = { whiteboardId: 'w1' }
    for (const [operation, args] of [
      [listWhiteboardCollaborators, { path }],
      [listStorageLocations, {}],
    ] as const) {
      const { fetch } = await servedClient([send(200, beside)])
      expect(await fetch(operation, args)).toBeInstanceOf(Error)
    }
  })

  it.each(ERRORS)('is an error in the response to any call: %j', async (beside) => {
    const { client } = await servedClient([send(200, { ...beside, byoc_sip_trunk: [] })])
    await expect(client.call(listSipTrunks, {})).rejects.toThrow(ServiceError)
  })

  it.each([
    { message: 'The service is unavailable, try again later' },
    { message: 'Backend overloaded' },
    { message: 'Quota exceeded' },
    { message: "The list couldn't be read" },
    { msg: 'Invalid request' },
    { title: 'Service Unavailable', detail: 'node 7' },
  ])('is an error by its text alone if nothing is listed: %j', async (beside) => {
    const { fetch } = await servedClient([users([], beside)])
    expect(await fetch()).toBeInstanceOf(ServiceError)
    const { fetch: full } = await servedClient([users([{ id: 'u1' }], beside)])
    expect(((await full()) as ReadPage).records).toHaveLength(1)
  })

  it('is requested once more, because it may be temporary', async () => {
    const { fetch, server } = await servedClient([users([], { success: false })])
    expect(await fetch()).toBeInstanceOf(ServiceError)
    expect(server.requests).toHaveLength(2)
    const passing = await servedClient([
      users([], { success: false }),
      users([{ id: 'u1' }], { success: true }),
    ])
    expect(((await passing.fetch()) as ReadPage).records).toEqual([{ id: 'u1' }])
  })
})

describe('a success response without an error', () => {
  it.each(FINE)('is a valid page and a valid record: %j', async (beside) => {
    for (const records of [[], [{ id: 'u1', error: 'own', success: false, status: 'failed' }]]) {
      const { fetch } = await servedClient([users(records, beside)])
      expect(((await fetch()) as ReadPage).records).toEqual(records)
    }
    const { client } = await servedClient([send(200, { ...beside, id: 'u1' })])
    expect(await client.fetchDetail(getUser, { path: { userId: 'u1' } })).toMatchObject({
      state: 'found',
    })
  })

  it('is a valid order, even if the order’s documented status is "failed"', async () => {
    const { client } = await servedClient([send(200, { order_id: 'o1', status: 'Failed' })])
    const detail = await client.fetchDetail(getPortedOrder, { path: { orderId: 'o1' } })
    expect(detail).toMatchObject({ state: 'found', record: { status: 'Failed' } })
  })
})
