import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FaultRule } from '../../../sandbox/protocol/faults.ts'
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts'
import { type Caller, oauthCaller } from '../caller.ts'

let sandbox: Sandbox
let caller: Caller

beforeAll(async () => {
  sandbox = await startSandbox({ nowMs: 1_780_000_000_000, sizes: { users: 300 } })
  caller = await oauthCaller(sandbox)
})
afterAll(() => sandbox.close())

describe('injected faults', () => {
  it('occur in the rule’s operation, after its start, and as often as it says', async () => {
    await inject([{ kind: 'status', status: 503, operation: 'users.list', after: 1, count: 2 }])
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await caller.get('/users')).status)
    expect(statuses).toEqual([200, 503, 503, 200])
    expect((await caller.get('/users/me')).status).toBe(200)
  })

  it('can be triggered by a sentinel value in the query or path', async () => {
    expect((await caller.get('/users', { role_id: 'fault:502' })).status).toBe(502)
    expect((await caller.get('/users/fault:invalid-token')).body.code).toBe(124)
    expect((await caller.get('/users/fault:error-in-200')).body.code).toBe(200)
    expect((await caller.get('/users', { role_id: 'fault:empty-list' })).body.users).toEqual([])
  })

  it.each(['html', 'broken-json', 'truncated', 'reset'])(
    'can break a response: %s',
    async (kind) => {
      await expect(caller.get('/users', { role_id: `fault:${kind}` })).rejects.toThrow(
        /JSON|terminated|fetch failed|other side closed/,
      )
      expect((await caller.get('/users')).status).toBe(200)
    },
  )

  it('occur with the probability that a rule gives', async () => {
    await inject([{ kind: 'status', probability: 0.3 }])
    const statuses = []
    for (let n = 0; n < 60; n++) statuses.push((await caller.get('/users/me')).status)
    const failed = statuses.filter((status) => status === 500).length
    expect(failed).toBeGreaterThan(8)
    expect(failed).toBeLessThan(32)
    await inject([])
  })
})

async function inject(rules: FaultRule[]): Promise<void> {
  await fetch(`${sandbox.url}/__sandbox/faults`, {
    method: 'POST',
    body: JSON.stringify({ rules }),
  })
}
