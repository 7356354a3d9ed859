import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts'
import { declaredStreams } from '../../../src/resources/declared.ts'
import { users } from '../../../src/resources/users.ts'
import { byKey, readStream, truthRows } from '../read-stream.ts'
import { SMALL_SIZES, WIDE_QUOTAS } from '../sizes.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({
    seed: 7,
    nowMs: Date.parse('2026-06-10T09:00:00Z'),
    sizes: SMALL_SIZES,
    quotas: WIDE_QUOTAS,
    accounts: [{}, {}],
  })
})
afterAll(() => sandbox.close())

describe('the sandbox’s truth equals its lists', () => {
  it.each(declaredStreams.map((stream) => ({ name: stream.name, stream })))(
    'for $name',
    async ({ stream }) => {
      const truth = byKey(stream, await truthRows(sandbox, stream))
      const listed = byKey(stream, await readStream(sandbox, stream))
      expect(truth.length).toBeGreaterThan(8)
      expect(listed.length).toBe(truth.length)
      expect(listed).toEqual(truth)
    },
  )

  it('for a second account with other rows under the same IDs', async () => {
    const first = await truthRows(sandbox, users, 'acct-1')
    const second = await truthRows(sandbox, users, 'acct-2')
    expect(byKey(users, await readStream(sandbox, users, 1))).toEqual(byKey(users, second))
    const ids = new Set(first.map(({ id }) => id))
    expect(second.filter(({ id }) => ids.has(id)).length).toBeGreaterThan(800)
    expect(second[0]?.display_name).not.toBe(first[0]?.display_name)
  })
})
