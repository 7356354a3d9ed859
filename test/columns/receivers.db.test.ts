import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs, streams } from '../../src/account/catalog.ts'
import { openErasure } from '../../src/account/open-erasure.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { type ColumnSettings, openColumnPolicy } from '../../src/core/records/column-policy.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { rewriteColumns } from '../../src/erasure/rewrite-columns.ts'
import { receiveNotification } from '../../src/serve/notifications/receive-notification.ts'
import { openedOf, tablesWith } from '../erasure/stage.ts'
import { openWorld, TINY, TOLD_SECRET, type World } from '../helpers/world.ts'
import { PLANTED } from './planted.ts'

const account = 'account-0'
const IN_FORCE: ColumnSettings = { notifications: { visitor_email: 'hash', visitor_name: 'drop' } }
const policyOf = (columns: ColumnSettings, key = 'the key of all machines') =>
  openColumnPolicy(columns, { streams, key: () => Buffer.from(key) })

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  const deps = { ...world.account.deps, columns: policyOf(IN_FORCE) }
  await world.sync({
    account: { ...world.account, deps },
    jobs: jobs.filter(({ name }) => name === 'users'),
  })
})
afterAll(() => world.close())

let numbered = 0
/** Receives a new notification as a machine with this policy does. */
async function receive(columns: ReturnType<typeof policyOf> | undefined): Promise<string> {
  const object = {
    invitation_id: `i${++numbered}`,
    visitor_email: 'planted@guest.example',
    visitor_name: 'Planted',
  }
  const event = 'visitor_management.invitation_created'
  const body = { event, event_ts: 1_751_900_000_000 + numbered, payload: { object } }
  return await receiveNotification(
    { warehouse: world.warehouse, clock: systemClock, observer: silentObserver },
    { account, accountId: null, clientId: null, secret: TOLD_SECRET, columns },
    Buffer.from(JSON.stringify(body)),
  ).catch((error: { code: string }) => error.code)
}

const stored = async () =>
  (
    await sql<{ rows: number }>`select count(*)::int as rows from callsheet.notifications`.execute(
      world.warehouse.db,
    )
  ).rows[0]?.rows

const STRICTER: ColumnSettings = {
  notifications: { visitor_email: 'drop', visitor_name: 'drop', invitation_id: 'drop' },
}
const LOOSER: ColumnSettings = { notifications: { visitor_email: 'hash' } }
const HASHING: ColumnSettings = { notifications: { visitor_email: 'hash', visitor_name: 'hash' } }

describe('a machine that receives notifications', () => {
  it.each([
    ['the policy in force', policyOf(IN_FORCE), 'stored'],
    ['a stricter policy', policyOf(STRICTER), 'stored'],
    ['no policy', undefined, 'columns_differ'],
    ['a policy with fewer fields', policyOf(LOOSER), 'columns_differ'],
    ['a policy that hashes a dropped field', policyOf(HASHING), 'columns_differ'],
    ['another key', policyOf(IN_FORCE, 'another key'), 'columns_differ'],
  ] as const)(
    'checks its policy against the one in force before it stores: %s',
    async (_name, columns, expected) => {
      const before = await stored()
      expect(await receive(columns)).toBe(expected)
      expect(await stored()).toBe((before ?? 0) + (expected === 'stored' ? 1 : 0))
      expect(await tablesWith(world.warehouse, [PLANTED])).toEqual([])
    },
  )

  it('leaves no value that the new policy keeps out, even if it stores during a rewrite', async () => {
    const { signal } = new AbortController()
    const { deps, close } = await openErasure(openedOf(world), { account, signal })
    const rewrite = (policy: ReturnType<typeof policyOf> | undefined) =>
      rewriteColumns(deps, { account, policy, settled: false, dryRun: false, signal })
    await rewrite(undefined)
    expect(await receive(undefined)).toBe('stored')
    const states: string[] = []
    listenAtPoints(async (name) => {
      if (name === 'erase:finishing') states.push(await receive(undefined))
    })
    try {
      await rewrite(policyOf(IN_FORCE))
    } finally {
      listenAtPoints(undefined)
      await close()
    }
    expect(states).toEqual(['stored'])
    expect(await receive(undefined)).toBe('columns_differ')
    expect(await tablesWith(world.warehouse, [PLANTED])).toEqual([])
  })
})
