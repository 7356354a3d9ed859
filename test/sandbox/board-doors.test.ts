import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { DOCUMENTED } from '../conformance/documented.ts'
import { type Caller, oauthCaller } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'
import { boardWith, CALLED_AT, coded, withCaller } from './with-caller.ts'

const boardCalls = DOCUMENTED.filter(({ document, item }) => document === 2 && item <= 18)
const allScopes = [
  ...new Set(boardCalls.flatMap(({ scopes, granularScopes }) => [...scopes, ...granularScopes])),
]
const readOnly = allScopes.filter((scope) => /:read\b/.test(scope))

let sandbox: Sandbox
let callers: Map<string, Caller>
beforeAll(async () => {
  const apps = [['user:read:admin'], readOnly, ...allScopes.map((scope) => [scope])]
  sandbox = await startSandbox({
    nowMs: Date.parse(CALLED_AT),
    sizes: SMALL_SIZES,
    accounts: apps.map((scopes) => ({ accountId: 'one', scopes })),
  })
  callers = new Map()
  for (const [ordinal, scopes] of apps.entries())
    callers.set(ordinal === 1 ? 'reader' : (scopes[0] ?? ''), await oauthCaller(sandbox, ordinal))
})
afterAll(() => sandbox.close())

describe('the scopes of the whiteboard calls', () => {
  it('are tested for all eighteen calls', () => {
    expect(boardCalls.map(({ item }) => item)).toEqual(Array.from({ length: 18 }, (_, n) => n + 1))
    expect(readOnly.length).toBeGreaterThan(10)
  })

  it.each(boardCalls)('give access to $call, and no other scope does', async (documented) => {
    const { call, scopes, granularScopes } = documented
    const opening = [...scopes, ...granularScopes]
    expect(opening.length).toBeGreaterThan(1)
    const opened = []
    for (const scope of allScopes)
      if ((await ask(callers.get(scope), call)).body.code !== 4711) opened.push(scope)
    expect(opened.toSorted()).toEqual([...new Set(opening)].toSorted())
  })

  it.each(boardCalls)(
    'are named in the error of $call if they are missing',
    async ({ call, scopes }) => {
      const refused = await ask(callers.get('user:read:admin'), call)
      expect(coded(refused)).toEqual({ status: 400, code: 4711 })
      for (const scope of scopes) expect(refused.body.message).toContain(scope)
    },
  )

  it('for reading give no access to writes', async () => {
    const writes = boardCalls.filter(({ call }) => !call.startsWith('GET'))
    expect(writes).toHaveLength(10)
    for (const { call, scopes } of writes) {
      const refused = await ask(callers.get('reader'), call)
      expect(coded(refused)).toEqual({ status: 400, code: 4711 })
      expect(refused.body.message).toContain(scopes[0])
    }
    for (const { call } of boardCalls.filter((one) => one.call.startsWith('GET')))
      expect((await ask(callers.get('reader'), call)).body.code).not.toBe(4711)
  })
})

describe('the sandbox as a government cluster', () => {
  it('lacks only whiteboard content and the removal of a board’s label', () =>
    withCaller({ switches: { commercialCluster: false } }, async (caller) => {
      const lacking = []
      for (const { item, call } of boardCalls) {
        const { status, body } = await ask(caller, call)
        if (status === 404 && body.code === 404) lacking.push(item)
      }
      expect(lacking).toEqual([10, 15, 16, 17])
    }))
})

describe('an account without data classification', () => {
  it('lacks only labels and the classification of boards', () =>
    withCaller({ switches: { classification: false } }, async (caller) => {
      const lacking = []
      for (const { item, call } of boardCalls)
        if ((await ask(caller, call)).body.code === 34004) lacking.push(item)
      expect(lacking).toEqual([4, 5, 6, 7, 8, 9, 10])
    }))
})

describe('a board of the sandbox', () => {
  const ofOneBoard = boardCalls.filter(({ call }) => call.includes('{whiteboardId}'))
  const shutBy = (item: number) => ({ status: 403, code: item < 11 ? 34009 : 111804 })

  it.each(ofOneBoard)('that is missing or withheld refuses the call $call', ({ item, call }) =>
    withCaller({}, async (caller, own) => {
      const shut = await boardWith(own, 4, { withheld: true })
      expect(coded(await ask(caller, call, 'wb-none'))).toEqual({ status: 404, code: 34007 })
      expect(coded(await ask(caller, call, shut))).toEqual(shutBy(item))
      own.mutate({ ops: [{ kind: 'boards', action: 'remove', index: 4 }] })
      expect(coded(await ask(caller, call, shut))).toEqual({ status: 404, code: 34007 })
    }),
  )

  it.each(ofOneBoard)('accepts no query parameter in the call $call', async ({ call }) => {
    await withCaller({}, async (caller, own) => {
      const board = await boardWith(own, 4)
      const refused = await ask(caller, `${call}?page_size=50`, board)
      expect(coded(refused)).toEqual({ status: 400, code: 34002 })
      expect(refused.body.errors).toMatchObject([{ field: 'page_size' }])
    })
  })
})

/** Sends a documented call for this board. All other IDs in the path are unknown. */
async function ask(caller: Caller | undefined, call: string, board = 'none') {
  const [method = '', path = ''] = call.split(' ')
  const answer = await caller?.send(
    method,
    path.replace('{whiteboardId}', board).replaceAll(/\{\w+\}/g, 'none'),
  )
  if (answer === undefined) throw new Error(`nobody to call ${call}`)
  return answer
}
