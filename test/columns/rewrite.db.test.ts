import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs, streams } from '../../src/account/catalog.ts'
import { columnPolicyOf } from '../../src/account/column-policy.ts'
import { openErasure } from '../../src/account/open-erasure.ts'
import { type RewrittenColumns, rewriteColumns } from '../../src/erasure/rewrite-columns.ts'
import { openedOf, tablesWith, tell, verify } from '../erasure/stage.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { PLANTED, POLICY, plant } from './planted.ts'

/** Rewrites as the command does, under another policy than the configured one. */
async function rewrite(
  world: World,
  columns: object,
  { dryRun = false, aborted }: { dryRun?: boolean; aborted?: { after: number } } = {},
): Promise<RewrittenColumns> {
  const account = 'account-0'
  const opened = openedOf(world)
  const stop = new AbortController()
  const { signal } = stop
  const settings = { name: account, columns: columns as typeof POLICY }
  const policy = columnPolicyOf(opened.wiring.config, settings)
  const { deps, close } = await openErasure(opened, { account, signal })
  let left = aborted?.after ?? Infinity
  const warehouse: typeof deps.warehouse = {
    ...deps.warehouse,
    transaction: async (work, options) => {
      const done = await deps.warehouse.transaction(work, options)
      if (--left <= 0) throw new Error('killed')
      return done
    },
  }
  try {
    return await rewriteColumns(
      { ...deps, warehouse },
      { account, policy, settled: false, dryRun, signal },
    )
  } finally {
    await close()
  }
}

const deps = (world: World, columns: object) => ({
  ...world.account.deps,
  columns: columnPolicyOf(openedOf(world).wiring.config, {
    name: 'account-0',
    columns: columns as typeof POLICY,
  }),
})

/** The jobs that read planted values. */
const OURS = jobs.filter(({ name }) => !name.startsWith('whiteboard'))

describe('a policy that is set when rows are stored', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ sizes: TINY, altered: true })
    world.ways.tell = plant
    await world.sync({ jobs: OURS })
    await world.mutate()
    await world.sync({ jobs: OURS })
    await tell(world, {
      event: 'visitor_management.invitation_created',
      event_ts: 1_751_900_000_000,
      payload: {
        object: {
          invitation_id: 'i1',
          visitor_email: 'planted@guest.example',
          visitor_name: 'Planted',
        },
      },
    })
  })
  afterAll(() => world.close())

  const syncUnder = (columns: object) =>
    world.sync({
      account: { ...world.account, deps: deps(world, columns) },
      jobs: OURS,
      full: true,
    })

  it('stops a sync, which names the command', async () => {
    await expect(syncUnder(POLICY)).rejects.toThrow(
      /changed for users, .*callsheet erase --columns --dry-run --account account-0/,
    )
  })

  it('is listed by table without changing anything', async () => {
    const before = await tablesWith(world.warehouse, [PLANTED])
    expect(before).toEqual(expect.arrayContaining(['svc.users', 'callsheet.notifications']))
    const { tables } = await rewrite(world, POLICY, { dryRun: true })
    expect(Object.keys(tables)).toEqual(expect.arrayContaining(before))
    expect(await tablesWith(world.warehouse, [PLANTED])).toEqual(before)
  })

  it('rewrites everything, however often it is killed, and the evidence agrees', async () => {
    let kills = 0
    for (let after = 1; kills < 200; after += 7) {
      const done = await rewrite(world, POLICY, { aborted: { after } }).catch((error: Error) => {
        expect(error.message).toBe('killed')
      })
      if (done !== undefined) break
      kills++
      await expect(syncUnder(POLICY)).rejects.toThrow('erase --columns')
    }
    expect(kills).toBeGreaterThan(3)
    expect(await tablesWith(world.warehouse, [PLANTED])).toEqual([])
    expect((await verify(world)).findings).toEqual([])
  })

  it('leaves rows that the next sync finds unchanged, and then recognizes at once', async () => {
    const runs = await syncUnder(POLICY)
    expect(runs.flatMap(({ problems }) => problems)).toEqual([])
    const written = runs.flatMap(({ tables }) =>
      Object.entries(tables).flatMap(([table, { inserted, updated, deleted }]) =>
        inserted + updated + deleted > 0 ? [{ table, inserted, updated, deleted }] : [],
      ),
    )
    expect(written).toEqual([])
    for (const { name } of streams) {
      const { rows } = await sql<{
        left: number
      }>`select count(*)::int as left from ${sql.id('svc', name)}
        where substring(_hash from 13) = '\\x00000000' and _deleted_at is null`.execute(
        world.warehouse.db,
      )
      expect({ name, left: rows[0]?.left }).toEqual({ name, left: 0 })
    }
  })
})
