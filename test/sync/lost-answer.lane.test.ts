import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { FencedError, LoadError } from '../../src/core/errors.ts'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, type World } from '../helpers/world.ts'

const streams = jobs.flatMap((job) => job.streams)
const SIZES = {
  users: 60,
  sessions: 40,
  whiteboards: 6,
  activities: 30,
  recordings: 12,
  numbers: 30,
}

const LOST = new Set([0, 3, 7, 12])

afterEach(() => listenAtPoints(undefined))

/** The results of runs without their IDs and durations. */
const told = (results: readonly RunResult[]) =>
  results.map(({ job, state, tables, slices, problems, trippedGuards }) => {
    return { job, state, tables, slices, problems, trippedGuards }
  })

/**
 * Loses the responses to some commits of the jobs, after the commit succeeded. It loses one fewer than a
 * batch has tries, so that no batch fails.
 */
function loseAnswers(first: number): { lost: number } {
  const heard = { lost: 0, commits: 0, opening: false }
  listenAtPoints((name) => {
    heard.opening ||= name === 'run:opening'
    if (!heard.opening || name !== 'commit:after' || !LOST.has(heard.commits++ - first))
      return undefined
    heard.lost++
    throw new LoadError('commit_unknown', { tried: 'committing', came: 'nothing' })
  })
  return heard
}

async function ledger({ warehouse }: World) {
  const runs = await sql`select job, state from callsheet.runs order by job, id`.execute(
    warehouse.db,
  )
  const written =
    await sql`select stream, sum(inserted)::int as inserted, sum(updated)::int as updated,
    sum(deleted)::int as deleted from callsheet.batches group by stream order by stream`.execute(
      warehouse.db,
    )
  const trippedGuards =
    await sql`select stream, missing, owned from callsheet.deletion_guards order by stream`.execute(
      warehouse.db,
    )
  return { runs: runs.rows, written: written.rows, trippedGuards: trippedGuards.rows }
}

test('a commit with a lost response is counted once, with its real result', {
  timeout: 120_000,
}, async () => {
  const open = () => openWorld({ seed: 31, sizes: SIZES })
  const [calm, lossy] = await Promise.all([open(), open()])
  try {
    for (const [first, round] of ['first', 'changed', 'emptied'].entries()) {
      for (const world of [calm, lossy]) {
        if (round === 'changed') await world.mutate({ scale: 20 })
        if (round === 'emptied')
          await world.faults([{ kind: 'empty-list', operation: 'phone_numbers.list' }])
      }
      const expected = told(await calm.sync())
      const heard = loseAnswers(first)
      const came = told(await lossy.sync())
      listenAtPoints(undefined)
      expect(heard.lost, 'answers that were lost').toBe(LOST.size)
      expect(came).toEqual(expected)
      expect(await ledger(lossy)).toEqual(await ledger(calm))
    }
    const { trippedGuards } = await ledger(lossy)
    expect(trippedGuards).toEqual([expect.objectContaining({ stream: 'phone_numbers' })])
  } finally {
    await Promise.all([calm.close(), lossy.close()])
  }
})

test('a run that lost its lease reports a failure and leaves its record open', async () => {
  const world = await openWorld({ seed: 32, sizes: SIZES })
  try {
    listenAtPoints(async (name) => {
      if (name !== 'run:closing') return
      await sql`update callsheet.leases set epoch = epoch + 1`.execute(world.warehouse.db)
    })
    const users = jobs.filter(({ name }) => name === 'users')
    const [zombie] = await world.sync({ jobs: users })
    listenAtPoints(undefined)
    expect(zombie).toMatchObject({ state: 'failed' })
    expect(zombie?.error).toBeInstanceOf(FencedError)
    const state = () =>
      sql`select state from callsheet.runs where id = ${zombie?.runId}`.execute(world.warehouse.db)
    expect((await state()).rows).toEqual([{ state: 'running' }])
    const numbers = jobs.filter(({ name }) => name === 'phone-numbers')
    await sql`update callsheet.leases set holder = null`.execute(world.warehouse.db)
    await world.sync({ jobs: numbers })
    // A run of another job does that too: no other process can be working on the account.
    expect((await state()).rows).toEqual([{ state: 'interrupted' }])
    await world.sync()
    await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
  } finally {
    await world.close()
  }
})

test('a run that resumes one with a tripped deletion guard is also incomplete', async () => {
  const world = await openWorld({ seed: 33, sizes: SIZES })
  const numbers = jobs.filter(({ name }) => name === 'phone-numbers')
  try {
    await world.sync({ jobs: numbers })
    await world.faults([{ kind: 'empty-list', operation: 'phone_numbers.list' }])
    // Ends like a killed process, whose run stays open.
    listenAtPoints((name) => {
      if (name === 'run:closing') throw new Error('killed')
      return undefined
    })
    await expect(world.sync({ jobs: numbers })).rejects.toThrow('killed')
    listenAtPoints(undefined)
    await world.faults([])
    const [again] = await world.sync({ jobs: numbers })
    expect(again).toMatchObject({
      state: 'incomplete',
      trippedGuards: [{ stream: 'phone_numbers' }],
    })
    const [anew] = await world.sync({ jobs: numbers })
    expect(anew).toMatchObject({ state: 'complete', trippedGuards: [] })
  } finally {
    await world.close()
  }
})

test('a forged batch in the ledger is not counted as written', async () => {
  const world = await openWorld({ seed: 34, sizes: SIZES })
  const users = jobs.filter(({ name }) => name === 'users')
  let cut = 0
  try {
    listenAtPoints(async (name) => {
      if ((name !== 'copy:before' && name !== 'merge:before') || cut++ > 0) return
      await sql`insert into callsheet.batches
        (account, run_id, batch, stream, inserted, updated, unchanged, deleted, left_part, at)
        select account, id, batch, 'users', 7, 0, 0, 0, 0, now()
        from callsheet.runs, generate_series(0, 40) batch`.execute(world.warehouse.db)
      throw new LoadError('connection_lost', { tried: 'writing', came: 'nothing' })
    })
    const [run] = await world.sync({ jobs: users })
    listenAtPoints(undefined)
    expect(cut).toBeGreaterThan(1)
    expect(run).toMatchObject({ state: 'complete', tables: { users: { inserted: SIZES.users } } })
    await expectTruth(world.warehouse, world.sandbox, {
      account: 'account-0',
      streams: users.flatMap((job) => job.streams),
    })
  } finally {
    await world.close()
  }
})
