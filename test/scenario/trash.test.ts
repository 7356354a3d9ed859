import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import recordings from '../../jobs/recordings.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, SMALL, WORLD_NOW, type World } from '../helpers/world.ts'

let world: World

beforeEach(async () => {
  world = await openWorld({ seed: 41 })
})
afterEach(() => world.close())

const truth = () =>
  expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams: recordings.streams })
const states = async () =>
  (
    await sql<{ trashed: boolean; deleted: boolean; count: number }>`
      select trashed, _deleted_at is not null as deleted, count(*) as count from svc.recording_sessions
      group by 1, 2 order by 1, 2`.execute(world.warehouse.db)
  ).rows

test('recordings with every file trashed individually count as trashed', async () => {
  await world.sync({ jobs: [recordings] })
  const before = await states()
  await world.mutate({ ops: oldest({ trash: 'every-file', deletedMs }) })
  const [result] = await world.sync({ jobs: [recordings], full: true })
  expect(result).toMatchObject({ state: 'complete', problems: [] })
  expect(await states()).not.toEqual(before)
  await truth()
})

test('a trashed recording is not deleted if its record in the trash has no key', async () => {
  await world.close()
  world = await openWorld({ seed: 41, altered: true })
  await world.mutate({ ops: oldest({ trash: 'every-file', deletedMs }) })
  await world.sync({ jobs: [recordings] })
  const before = await states()
  const wholly = new Set(await idsInTrash())
  let keyless = 0
  world.ways.tell = ({ query }, { body }) => {
    if (query.get('trash_type') !== 'recording_file') return
    const { sessions } = body as { sessions: { session_id?: string }[] }
    const named = sessions.find(({ session_id: id }) => wholly.has(id ?? ''))
    if (named !== undefined && keyless++ === 0) delete named.session_id
  }
  const [doubted] = await world.sync({ jobs: [recordings], full: true })
  expect(keyless).toBeGreaterThan(0)
  expect(doubted?.problems.join()).toContain('it is uncertain whether 1 missing row was deleted')
  expect(doubted?.tables.recording_sessions).toMatchObject({ deleted: 0 })
  expect(await states()).toEqual(before)
  world.ways.tell = () => {}
  expect(await world.sync({ jobs: [recordings] })).toMatchObject([{ state: 'complete' }])
  expect(await states()).toEqual(before)
})

const idsInTrash = async () =>
  (
    await sql<{
      id: string
    }>`select session_id as id from svc.recording_sessions where trashed`.execute(
      world.warehouse.db,
    )
  ).rows.map(({ id }) => id)

const oldest = (patch: object, length = 20) =>
  Array.from({ length }, (_, index) => ({ kind: 'recordings', action: 'change', index, patch }))
const deletedMs = Date.parse(WORLD_NOW) - DAY_MS

test('an old recording that is trashed and then recovered changes its state both times', async () => {
  await world.sync({ jobs: [recordings] })
  await world.mutate({ ops: oldest({ trash: 'session', deletedMs }) })
  const [trashed] = await world.sync({ jobs: [recordings] })
  expect(trashed).toMatchObject({ state: 'complete', problems: [] })
  expect(trashed?.tables.recording_sessions).toMatchObject({ updated: 20, deleted: 0 })
  await truth()
  await world.mutate({ ops: oldest({ trash: 'none' }) })
  const [recovered] = await world.sync({ jobs: [recordings] })
  expect(recovered).toMatchObject({ state: 'complete', problems: [] })
  expect(recovered?.tables.recording_sessions).toMatchObject({ updated: 20, deleted: 0 })
  await truth()
})

test('a recording older than the horizon is live again when it is recovered', async () => {
  const { nowMs, inTrash } = await trashSealed()
  await world.mutate({ ops: oldest({ trash: 'none' }, 6) })
  const [recovered] = await world.sync({ jobs: [recordings] })
  expect(recovered).toMatchObject({ state: 'complete', problems: [] })
  expect(await sealed(nowMs)).toEqual(inTrash.map((row) => ({ ...row, trashed: false })))
  await truth()
})

test('a recording older than the horizon stays unchanged and is reported if unlisted', async () => {
  const { nowMs, inTrash, lists } = await trashSealed()
  await world.mutate({ ops: oldest({ trash: 'none' }, 6) })
  await world.faults([{ kind: 'empty-list', operation: 'recordings.list', after: lists }])
  const [hidden] = await world.sync({ jobs: [recordings] })
  expect(hidden).toMatchObject({ state: 'complete' })
  expect(hidden?.problems.join()).toContain(
    'no list contains 6 records older than the history limit',
  )
  expect(hidden?.tables.recording_sessions?.deleted).toBe(0)
  expect(await sealed(nowMs)).toEqual(inTrash)
})

/** Trashes the six oldest recordings when they are older than the horizon. */
async function trashSealed() {
  await world.sync({ jobs: [recordings] })
  await world.advance(30 * DAY_MS)
  const nowMs = Date.parse(WORLD_NOW) + 30 * DAY_MS
  await world.mutate({ ops: oldest({ trash: 'session', deletedMs: nowMs - DAY_MS }, 6) })
  const [trashed] = await world.sync({ jobs: [recordings], full: true })
  expect(trashed).toMatchObject({ state: 'complete', problems: [] })
  const [again] = await world.sync({ jobs: [recordings] })
  expect(again).toMatchObject({ state: 'complete', problems: [] })
  const inTrash = await sealed(nowMs)
  expect(inTrash.map((row) => row.trashed)).toEqual(Array.from({ length: 6 }, () => true))
  return { nowMs, inTrash, lists: again?.slices.recording_sessions?.planned ?? 0 }
}

/** Recordings beyond the horizon that are or were in the trash. */
const sealed = async (nowMs: number) =>
  (
    await sql<{ session_id: string; trashed: boolean }>`
      select session_id, trashed from svc.recording_sessions s
      where start_time < ${new Date(nowMs - 181 * DAY_MS).toISOString()}::timestamptz
        and _deleted_at is null and (trashed or exists (select from history.recording_sessions h
          where h.session_id = s.session_id and h.trashed))
      order by start_time`.execute(world.warehouse.db)
  ).rows

test('a window that was read only to find a recording deletes rows only after another read', async () => {
  await world.sync({ jobs: [recordings] })
  await world.advance(10 * DAY_MS)
  const { rows } = await sql<{ id: string }>`
    select session_id as id from svc.recording_sessions where not trashed
      and start_time >= '2026-02-18' and start_time < '2026-03-04' limit 2`.execute(
    world.warehouse.db,
  )
  const [moved, removed] = rows.map(({ id }) => ({ kind: 'recordings', id }))
  await world.mutate({
    ops: [{ ...moved, action: 'change', patch: { trash: 'session', deletedMs } }],
  })
  await world.sync({ jobs: [recordings] })
  await world.mutate({
    ops: [
      { ...moved, action: 'change', patch: { trash: 'none' } },
      { ...removed, action: 'remove' },
    ],
  })
  const deleted = async () => {
    const [run] = await world.sync({ jobs: [recordings] })
    expect(run).toMatchObject({ state: 'complete', problems: [] })
    return run?.tables.recording_sessions?.deleted
  }
  expect(await deleted()).toBe(0)
  expect(await deleted()).toBe(1)
  await truth()
})

test('days of trashing, recovering and deleting end with the service’s state', async () => {
  await world.sync({ jobs: [recordings] })
  for (const seed of [7, 8, 9]) {
    await world.advance(DAY_MS)
    await world.mutate({ seed, scale: 20 })
    expect((await world.sync({ jobs: [recordings] }))[0]?.state).toBe('complete')
    await truth()
  }
})

test('an emptied trash needs no approval, because the service empties it by itself', async () => {
  await world.sync({ jobs: [recordings] })
  const trashed = async () =>
    (
      await sql`select from svc.trashed_recordings where _deleted_at is null`.execute(
        world.warehouse.db,
      )
    ).rows.length
  expect(await trashed()).toBeGreaterThan(1)
  await world.mutate({ ops: oldest({ trash: 'none' }, SMALL.recordings) })
  const [emptied] = await world.sync({ jobs: [recordings], full: true })
  expect(emptied).toMatchObject({ state: 'complete', trippedGuards: [] })
  expect(await trashed()).toBe(0)
  await truth()
})
