import { describe, expect, it } from 'vitest'
import {
  AuthenticationError,
  NotAllowedError,
  PageTokenError,
  ServiceError,
} from '../../src/core/errors.ts'
import { listPhoneNumbers } from '../../src/resources/phone-numbers.ts'
import { listUsers } from '../../src/resources/users.ts'
import { getWhiteboardSession } from '../../src/resources/whiteboard-archives.ts'
import { page, send } from './fault-server.ts'
import { servedClient as open } from './served-client.ts'

// H1, H2, ... are the faults in docs/internals/faults.md.

const EXPIRED = send(401, { code: 124, message: 'Access token is expired.' })
const WITH_TOKEN = { query: { next_page_token: 'page-2' } }

describe('a refused bearer token', () => {
  it.each([
    ['401', EXPIRED],
    ['401 without a body', send(401)],
    ['400 with 124', send(400, { code: 124, message: 'Invalid access token.' })],
    ['200 with 124', send(200, { code: 124, message: 'Invalid access token.' })],
  ])('H1 (%s) is replaced once, and the same page is requested again', async (_name, refusal) => {
    const { fetch, server, replacements, clock } = await open([refusal, page({ id: 'u' })])
    expect(await fetch()).toMatchObject({ records: [{ id: 'u' }] })
    expect(server.requests.map(({ bearer }) => bearer)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ])
    expect(server.requests[0]?.path).toBe(server.requests[1]?.path)
    expect(replacements()).toBe(1)
    expect(clock.sleeps).toEqual([])
  })

  it('H1 is an authentication error if the new token is refused too', async () => {
    const { fetch, server } = await open([EXPIRED])
    expect(await fetch()).toBeInstanceOf(AuthenticationError)
    expect(server.requests).toHaveLength(2)
  })

  it('means that an operation is not allowed if the token works elsewhere', async () => {
    const { fetch, server, replacements } = await open([page(), EXPIRED, EXPIRED, page(), EXPIRED])
    await fetch(listUsers)
    const forbidden = await fetch(listPhoneNumbers)
    expect(forbidden).toBeInstanceOf(NotAllowedError)
    expect((forbidden as ServiceError).message).toContain('not allowed')
    // Whether the new token works is not assumed: an earlier successful request is repeated.
    expect(server.requests.map(({ path, bearer }) => [path.split('?')[0], bearer])).toEqual([
      ['/v2/users', 'Bearer token-1'],
      ['/v2/number_management/numbers', 'Bearer token-1'],
      ['/v2/number_management/numbers', 'Bearer token-2'],
      ['/v2/users', 'Bearer token-2'],
    ])
    await fetch(listPhoneNumbers)
    expect(replacements()).toBe(1)
    expect(server.requests).toHaveLength(5)
  })

  it.each([
    ['a 401', EXPIRED],
    ['a code inside a 200', send(200, { code: 124, message: 'Invalid access token.' })],
  ])('is an authentication error if %s follows on every operation', async (_, answer) => {
    const { fetch, server } = await open([page(), answer])
    await fetch(listUsers)
    const refused = await fetch(listPhoneNumbers)
    expect(refused).toBeInstanceOf(AuthenticationError)
    expect((refused as AuthenticationError).message).toContain('no other program uses the app')
    // Five tokens; after four of them an earlier successful request is repeated.
    expect(server.requests).toHaveLength(10)
  })

  it('H33 is replaced again if the new one has expired too', async () => {
    const answers = [page(), EXPIRED, EXPIRED, EXPIRED, EXPIRED, EXPIRED, page({ id: 'u' })]
    for (const operation of [listUsers, listPhoneNumbers]) {
      const { fetch, server } = await open([...answers.slice(0, -1), page({ id: 'u' })])
      await fetch(listUsers)
      const got = await fetch(operation)
      // The body does not fit the list of numbers; only that no authentication error came counts.
      expect(got).not.toBeInstanceOf(AuthenticationError)
      expect(server.requests.at(-1)?.bearer).toBe('Bearer token-4')
    }
  })

  it('H33 does not make an operation forbidden only because the token worked before', async () => {
    const numbers = send(200, { numbers: [{ id: 'n' }], next_page_token: '' })
    const { fetch } = await open([page(), EXPIRED, EXPIRED, EXPIRED, numbers])
    await fetch(listUsers)
    expect(await fetch(listPhoneNumbers)).toMatchObject({ records: [{ id: 'n' }] })
  })

  it('H33 is replaced for a request with a page token until the page is returned', async () => {
    const answers = [page(), EXPIRED, EXPIRED, EXPIRED, EXPIRED, EXPIRED, page({ id: 'u' })]
    const { fetch } = await open(answers)
    await fetch(listUsers)
    // After each refusal the page is requested without its token; after the second, also an earlier success.
    expect(await fetch(listUsers, WITH_TOKEN)).toMatchObject({ records: [{ id: 'u' }] })
  })

  it('counts as accepted if a check is refused for another reason, but not after a 503', async () => {
    const gone = send(404, { code: 7, message: 'x' })
    const none = send(200, { numbers: [], next_page_token: '' })
    for (const [witness, cut] of [
      [gone, false],
      [send(503, ''), true],
    ] as const) {
      const { fetch, server } = await open([page(), EXPIRED, EXPIRED, witness, EXPIRED, none])
      await fetch(listUsers)
      expect(await fetch(listPhoneNumbers)).toEqual(
        cut ? expect.objectContaining({ records: [] }) : expect.any(NotAllowedError),
      )
      expect(server.requests).toHaveLength(cut ? 6 : 4)
    }
  })
})

describe('a refused page token', () => {
  it.each([
    ['300', listUsers, 300],
    ['1003100 on numbers', listPhoneNumbers, 1003100],
    ['34002 on whiteboards', getWhiteboardSession, '34002'],
    ['400 without a code', listUsers, undefined],
  ])('H2 (%s) restarts the list, without a new bearer token', async (_name, operation, code) => {
    const { fetch, server, replacements } = await open([send(400, { code, message: 'Invalid.' })])
    const args = { ...WITH_TOKEN, path: { seesionId: 's' } }
    expect(await fetch(operation, args)).toBeInstanceOf(PageTokenError)
    expect(replacements()).toBe(0)
    expect(server.requests).toHaveLength(1)
  })

  it('H2 is not assumed for code 34002 without a page token', async () => {
    const { fetch } = await open([send(400, { code: 34002, message: 'Invalid.' })])
    expect(await fetch(getWhiteboardSession, { path: { seesionId: 's' } })).toBeInstanceOf(
      ServiceError,
    )
  })

  it('H2 is tested for by a request without it before an ambiguous 401 replaces the bearer', async () => {
    const { fetch, server, replacements } = await open([EXPIRED, page()])
    expect(await fetch(listUsers, WITH_TOKEN)).toBeInstanceOf(PageTokenError)
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v2/users?next_page_token=page-2&page_size=300',
      '/v2/users?page_size=300',
    ])
    expect(replacements()).toBe(0)
  })

  it('H2 is not assumed if that test is refused too: the bearer is replaced', async () => {
    const { fetch, server, replacements } = await open([EXPIRED, EXPIRED, page({ id: 'u' })])
    expect(await fetch(listUsers, WITH_TOKEN)).toMatchObject({ records: [{ id: 'u' }] })
    expect(server.requests[2]?.path).toContain('next_page_token=page-2')
    expect(replacements()).toBe(1)
  })

  it('H2 is reported as the cause only if the request works without it', async () => {
    const works = 'accepts the same request without it'
    const probed = await (await open([EXPIRED, page()])).fetch(listUsers, WITH_TOKEN)
    expect((probed as PageTokenError).message).toContain(works)
    const refused = await (await open([EXPIRED])).fetch(listUsers, WITH_TOKEN)
    expect(refused).toBeInstanceOf(PageTokenError)
    expect((refused as PageTokenError).message).not.toContain(works)
  })
})
