import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../../src/account/catalog.ts'
import { statesRelease } from '../../../src/account/state-decisions.ts'
import { placeHold, releaseHold } from '../../../src/archive/sql/holds.ts'
import { approveDeletions } from '../../../src/sync/ledger/deletion-guard.ts'
import { syncAccount } from '../../../src/sync/sync.ts'
import { erase, openedOf, stating } from '../../erasure/stage.ts'
import { OWNER, verifyWorld } from '../../helpers/stated-world.ts'
import { openWorld, TINY, type World } from '../../helpers/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  await world.sync()
})
afterAll(() => world.close())

const account = OWNER
const found = async () => (await verifyWorld(world)).findings

async function first<T>(query: ReturnType<typeof sql<T>>): Promise<T> {
  const [row] = (await query.execute(world.warehouse.db)).rows
  if (row === undefined) throw new Error('there is no row')
  return row
}

const entriesAbout = async (subject: string): Promise<string[]> => {
  const { rows } = await sql<{ kind: string }>`
    select kind from callsheet.manifest where subject ~ ${subject} order by seq`.execute(
    world.warehouse.db,
  )
  return rows.map(({ kind }) => kind)
}

describe('verify finds nothing', () => {
  it('after the erasure of a person with an ID that names a slice', async () => {
    const named = await first(sql<{ id: string; stream: string; run_id: number; batch: number }>`
      select split_part(slice, '=', 2) as id, stream, run_id, batch from callsheet.slices
      where slice ~ '^user=' and split_part(slice, '=', 2) in (select id from svc.users)
      order by slice limit 1`)
    const { id, stream, run_id: run, batch } = named
    await erase(world, { persons: [id] })
    const { rows } = await sql`select 1 from callsheet.slices where slice ~ ${id}`.execute(
      world.warehouse.db,
    )
    expect(rows).toEqual([])
    const about = await entriesAbout(`^ledger/slices/${stream}/${run}/${batch}$`)
    expect(about.slice(0, 2)).toEqual(['statement', 'erasure'])
    expect(await found()).toEqual([])
    await world.sync()
    expect(await found()).toEqual([])
  })

  it('after an approved drop and the run that deletes its rows', async () => {
    await world.faults([{ kind: 'empty-list', operation: 'users.list' }])
    const tripped = (await world.sync()).filter(({ trippedGuards }) => trippedGuards.length > 0)
    const runId = tripped[0]?.runId ?? 0
    const onDecided = statesRelease(openedOf(world).wiring, { account, run: runId })
    expect(await approveDeletions(world.warehouse, { account, runId, onDecided })).toEqual([
      'users',
    ])
    expect(await entriesAbout(`^ledger/releases/users/${runId}$`)).toEqual(['statement'])
    expect(await found()).toEqual([])
    await world.sync()
    await world.faults([])
    await world.sync()
    expect(await found()).toEqual([])
  })

  it('after a hold was placed, and after it was released', async () => {
    const hold = { account, name: 'case-3', ...stating(world) }
    await placeHold(world.warehouse, { ...hold, reason: 'a case', placedBy: 'a test' })
    expect(await found()).toEqual([])
    await releaseHold(world.warehouse, { ...hold, releasedBy: 'a test' })
    expect(await entriesAbout('^ledger/holds/')).toEqual(['statement', 'statement'])
    expect(await found()).toEqual([])
  })

  it('after a run was killed, and after the next run closed that run', async () => {
    const { id } = await first(sql<{ id: number }>`
      insert into callsheet.runs (account, job, epoch, state, started_at)
      values (${account}, 'users', 0, 'running', callsheet.clock()) returning id`)
    expect(await found()).toEqual([])
    await world.sync()
    const run = await first(sql`select state from callsheet.runs where id = ${id}`)
    expect(run).toEqual({ state: 'interrupted' })
    expect(await entriesAbout(`^ledger/runs/${id}$`)).toEqual(['statement'])
    expect(await found()).toEqual([])
  })

  it('after a period without configured files', async () => {
    const { archive, ...rest } = world.account.deps
    if (archive === undefined) throw new Error('there is no archive')
    const settings = { ...archive.settings, files: false, recordings: false }
    const { signal } = new AbortController()
    const before = (await entriesAbout('^ledger/slices/')).length
    const deps = { ...rest, archive: { ...archive, settings } }
    await syncAccount(deps, { account, jobs, full: true, signal })
    expect((await entriesAbout('^ledger/slices/')).length).toBeGreaterThan(before)
    expect(await found()).toEqual([])
    await world.sync()
    expect(await found()).toEqual([])
  })

  it('after days of changes in the account', async () => {
    for (let night = 1; night <= 2; night++) {
      await world.advance(26 * 3_600_000)
      await world.mutate({ scale: 2 })
      await world.sync()
    }
    expect(await found()).toEqual([])
  })
})
