import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import job from '../../jobs/whiteboards.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

const DAY_MS = 86_400_000
const NOON_BEFORE = Date.parse(WORLD_NOW) - DAY_MS / 2

let world: World
beforeEach(async () => {
  // Twenty boards in six months.
  world = await openWorld({ sizes: { ...TINY, whiteboards: 60 } })
})
afterEach(() => world.close())

test('a sync equals the service, and a second sync writes nothing and reads no board again', async () => {
  const first = await run()
  expect(first).toMatchObject({ state: 'complete', problems: [] })
  expect(first.tables.whiteboards).toMatchObject({ inserted: 20, present: 20 })
  await equalsService()
  const before = calls()
  const again = await run()
  expect(again).toMatchObject({ state: 'complete', problems: [] })
  for (const [name, { inserted, updated, deleted }] of Object.entries(again.tables))
    expect([name, inserted, updated, deleted]).toEqual([name, 0, 0, 0])
  const after = calls()
  expect(after['whiteboard_collaborators.list']).toBe(before['whiteboard_collaborators.list'])
  expect(after['whiteboard_content.get']).toBe(before['whiteboard_content.get'])
  expect(after['whiteboards.list']).toBeGreaterThan(before['whiteboards.list'] ?? 0)
})

test('after days of edits, a sync finds exactly these edits', async () => {
  await run()
  for (const seed of [21, 22, 23]) {
    await world.advance(DAY_MS)
    const changes = await world.mutate({ seed, scale: 3 })
    const found = await run()
    expect(found).toMatchObject({ state: 'complete', problems: [] })
    for (const { name } of job.streams) {
      const { inserted, updated, deleted } = found.tables[name] ?? {}
      expect({ name, inserted, updated, deleted }).toEqual({ name, ...changes[name] })
    }
    await equalsService()
  }
})

test('a changed old board is read again, without its window and without other boards', async () => {
  await run()
  const before = calls()
  await edit(2, { whiteboard_name: 'Renamed', collaborators: 9, edits: 1 })
  const { runId, tables } = await run()
  expect(tables.whiteboards).toMatchObject({ inserted: 0, updated: 1, deleted: 0 })
  const { rows } = await sql<{ slice: string; updated: number }>`
    select s.slice, s.updated::int as updated
    from callsheet.slices s join svc.whiteboards b on b.whiteboard_name = 'Renamed'
    where s.stream = 'whiteboards' and s.run_id = ${runId} and (s.updated > 0
      or (b.created_date >= s.owned_from and b.created_date < s.owned_to))`.execute(
    world.warehouse.db,
  )
  expect(rows).toEqual([{ slice: 'modified=2026-07-02..2026-07-09', updated: 1 }])
  const after = calls()
  const asked = (operation: string) => (after[operation] ?? 0) - (before[operation] ?? 0)
  expect(asked('whiteboard_content.get')).toBe(1)
  expect(asked('whiteboard_collaborators.list')).toBeLessThanOrEqual(2)
  await equalsService()
})

test('a deleted board is deleted with its collaborators and its content', async () => {
  await run()
  const { rows: last } = await sql<{ id: string; people: number }>`
    select b.whiteboard_id as id, count(c.*)::int as people
    from svc.whiteboards b join svc.whiteboard_collaborators c using (account, whiteboard_id)
    group by b.whiteboard_id, b.created_date order by b.created_date desc limit 1`.execute(
    world.warehouse.db,
  )
  const { id = '', people = 0 } = last[0] ?? {}
  await world.mutate({ ops: [{ kind: 'boards', action: 'remove', id }] })
  const { tables } = await run()
  expect(tables.whiteboards).toMatchObject({ deleted: 1 })
  expect(tables.whiteboard_content).toMatchObject({ deleted: 1 })
  expect(tables.whiteboard_collaborators).toMatchObject({ deleted: people })
  const ended = await sql<{ ends: number }>`
    select count(*)::int as ends from history.whiteboard_collaborators
    where whiteboard_id = ${id} and _end = 'deleted'`.execute(world.warehouse.db)
  expect(ended.rows).toEqual([{ ends: people }])
  await equalsService()
})

test('the rows of a board deleted at the service stay until its window is read again', async () => {
  await run()
  await world.mutate({ ops: [{ kind: 'boards', action: 'remove', index: 1 }] })
  await world.advance(8 * DAY_MS)
  const early = await run()
  expect(`${early.state} ${early.problems.join()}`).toMatch(/^complete .*list is missing/)
  expect(early.tables.whiteboards?.deleted).toBe(0)
  expect(early.tables.whiteboard_collaborators?.deleted).toBe(0)
  const skipped = await sql<{ stream: string; state: string; error: string }>`
    select stream, state, error from callsheet.slices
    where run_id = ${early.runId} and error is not null order by stream`.execute(world.warehouse.db)
  expect(skipped.rows.map(({ stream, state }) => `${stream} ${state}`)).toEqual([
    'whiteboard_collaborators complete',
    'whiteboard_content complete',
  ])
  expect(skipped.rows[0]?.error).toContain('34007')
  const { tables } = await run({ full: true })
  expect(tables.whiteboards?.deleted).toBe(1)
  expect(tables.whiteboard_content?.deleted).toBe(1)
  await equalsService()
})

test('a withheld board is reported by its ID, keeps its rows, and affects no other board', async () => {
  await run()
  await edit(4, { withheld: true })
  const shut = await run()
  expect(shut.state).toBe('complete')
  expect(shut.problems).toHaveLength(2)
  expect(shut.problems[0]).toMatch(
    /^whiteboard_collaborators: one list is not readable for this account.*whiteboard=wb-/,
  )
  expect(shut.tables.whiteboard_collaborators?.deleted).toBe(0)
  expect(shut.tables.whiteboard_content?.deleted).toBe(0)
  const before = calls()
  expect(await run()).toMatchObject({ problems: [] })
  expect(calls()['whiteboard_content.get']).toBe(before['whiteboard_content.get'])
  await edit(4, { withheld: false, collaborators: 7 })
  expect(await run()).toMatchObject({ state: 'complete', problems: [] })
  await equalsService()
})

test('if every board is withheld, the stream is not allowed, and is tried again', async () => {
  await world.faults([{ kind: 'status', status: 403, operation: 'whiteboard_content.get' }])
  const refused = await run()
  expect(refused.state).toBe('complete')
  expect(Object.keys(refused.notAllowed)).toEqual(['whiteboard_content'])
  expect(refused.slices.whiteboard_content).toMatchObject({ planned: 20, notAllowed: 20 })
  expect(refused.problems).toHaveLength(1)
  expect(refused.problems[0]).toContain('the service allows none of 20 lists')
  expect(refused.tables.whiteboard_collaborators?.inserted).toBeGreaterThan(20)
  await world.faults([])
  expect(await run()).toMatchObject({ state: 'complete', problems: [] })
  await equalsService()
})

test('lists of the service’s maximum length are flagged as possibly cut, and delete no row', async () => {
  await edit(5, { collaborators: 1_200, objects: 12_000 })
  const capped = await run()
  expect(capped.state).toBe('complete')
  expect(capped.problems).toHaveLength(2)
  expect(capped.problems[0]).toMatch(/one list is at the maximum .* no sync can read \(whiteboard=/)
  await equalsService()
  const flagged = await sql<{ stream: string; received: number }>`
    select stream, received::int as received from callsheet.slices
    where possibly_truncated order by stream`.execute(world.warehouse.db)
  expect(flagged.rows).toEqual([
    { stream: 'whiteboard_collaborators', received: 1_000 },
    { stream: 'whiteboard_content', received: 1 },
  ])
  const shown = await sql<{ name: string; count: number }>`
    select 'content' as name, count(*)::int as count from report.whiteboard_content
    where possibly_truncated and object_count = 10000
    union all select 'collaborators', count(*)::int from report.whiteboard_collaborators
    where possibly_truncated`.execute(world.warehouse.db)
  expect(shown.rows).toEqual([
    { name: 'content', count: 1 },
    { name: 'collaborators', count: 1_000 },
  ])
  // One collaborator was shown before and is now beyond the thousandth.
  await sql`update svc.whiteboard_collaborators
    set collaborator_id = 'col-behind', _hash = substr(sha256('x'), 1, 16)
    where (whiteboard_id, collaborator_id) in (select whiteboard_id, max(collaborator_id)
      from report.whiteboard_collaborators where possibly_truncated group by 1)`.execute(
    world.warehouse.db,
  )
  await edit(5, { collaborators: 1_300 })
  expect((await run()).tables.whiteboard_collaborators).toMatchObject({ inserted: 1, deleted: 0 })
  await edit(5, { collaborators: 990 })
  expect((await run()).tables.whiteboard_collaborators).toMatchObject({ inserted: 0, deleted: 11 })
  await equalsService()
})

test('a change of a board’s sharing that does not change its date is found within a week', async () => {
  await run()
  await world.mutate({
    ops: [
      { kind: 'boards', action: 'change', index: 3, patch: { roleShift: 1, collaborators: 9 } },
    ],
  })
  await world.advance(DAY_MS)
  expect((await run()).tables.whiteboard_collaborators).toMatchObject({ inserted: 0, updated: 0 })
  await world.advance(6 * DAY_MS)
  const { tables } = await run()
  expect(tables.whiteboard_collaborators?.inserted).toBeGreaterThan(0)
  await equalsService()
})

test('the rows of a board that returns are read again', async () => {
  await run()
  const { rows } = await sql<{ id: string }>`
    select whiteboard_id as id from svc.whiteboards order by created_date desc limit 1`.execute(
    world.warehouse.db,
  )
  const id = rows[0]?.id ?? ''
  for (const { name } of job.streams.filter((stream) => stream.key[0] === 'whiteboard_id'))
    await sql`update ${sql.id('svc', name)} set _deleted_at = callsheet.clock()
      where whiteboard_id = ${id}`.execute(world.warehouse.db)
  const { tables } = await run()
  expect(tables.whiteboards).toMatchObject({ updated: 1 })
  expect(tables.whiteboard_content).toMatchObject({ updated: 1 })
  await equalsService()
})

test('after a paused run, the next one reads only the boards not yet read', async () => {
  await world.faults([
    { kind: 'daily-limit', operation: 'whiteboard_collaborators.list', after: 12 },
  ])
  expect(await run()).toMatchObject({ state: 'paused' })
  await world.faults([])
  await world.advance(DAY_MS)
  const before = calls()
  expect(await run()).toMatchObject({ state: 'complete' })
  const asked = calls()['whiteboard_collaborators.list'] ?? 0
  expect(asked - (before['whiteboard_collaborators.list'] ?? 0)).toBeLessThan(20)
  await equalsService()
})

async function run(options: { full?: boolean } = {}): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], ...options })
  if (result === undefined) throw new Error('No run')
  return result
}

/** Counts the edits, each of which sets a modification date half a day ago. */
let edits = 0
async function edit(index: number, patch: object): Promise<void> {
  const modifiedMs = NOON_BEFORE + 1000 * ++edits
  const ops = [{ kind: 'boards', action: 'change', index, patch: { ...patch, modifiedMs } }]
  await world.mutate({ ops })
}

async function equalsService(): Promise<void> {
  const of = { account: 'account-0', streams: job.streams }
  await expectTruth(world.warehouse, world.sandbox, of)
}

function calls(): Record<string, number> {
  return world.sandbox.stats().operations
}
