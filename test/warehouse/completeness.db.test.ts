import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { jobs, streams } from '../../src/account/catalog.ts'
import type { Job } from '../../src/core/define/job.ts'
import { fetchedStream } from '../../src/core/define/stream.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

let world: World

interface Freshness {
  table: string
  complete_to: string | null
  state: string
  whole: boolean
  missing_parts: number
  quarantined: number
  deletions_held: number
}

const named = (...names: string[]): Job[] => jobs.filter(({ name }) => names.includes(name))
const fault = (operation: string, rule: object = { kind: 'status', status: 500 }) =>
  world.faults([{ operation, ...rule }])

async function freshness(): Promise<Map<string, Freshness>> {
  const { rows } = await sql<Freshness>`select * from report.freshness`.execute(world.warehouse.db)
  return new Map(rows.map((row) => [row.table, row]))
}

async function incomplete(table: string): Promise<{ day: string | null; part: string | null }[]> {
  const { rows } = await sql<{ day: string | null; part: string | null }>`
    select day::text, part from report.coverage
    where "table" = ${table} and not complete order by day, part`.execute(world.warehouse.db)
  return rows
}

describe('the freshness and coverage of', () => {
  afterEach(() => world.close())

  it('an account are empty before a sync, and whole after it only for the synced table', async () => {
    world = await openWorld({ sizes: TINY })
    expect(await freshness()).toEqual(new Map())
    await world.sync({ jobs: named('users') })
    const found = await freshness()
    expect([...found.keys()].toSorted()).toEqual(streams.map(({ name }) => name).toSorted())
    expect(found.get('users')).toMatchObject({ state: 'whole', whole: true, missing_parts: 0 })
    expect(Date.parse(found.get('users')?.complete_to ?? '')).toBe(Date.parse(WORLD_NOW))
    expect(found.get('phone_numbers')).toMatchObject({ state: 'never_read', whole: false })
    expect(found.get('phone_numbers')?.complete_to).toBeNull()
  })

  it('sessions are as of the last whole reading while a month cannot be read', async () => {
    world = await openWorld({ sizes: TINY })
    await world.sync({ jobs: named('session-reports') })
    await world.advance(DAY_MS)
    await fault('session_reports.list')
    await world.sync({ jobs: named('session-reports') })
    const failed = (await freshness()).get('session_reports')
    expect(failed).toMatchObject({ state: 'incomplete', whole: false })
    expect(failed?.missing_parts).toBeGreaterThan(5)
    expect(Date.parse(failed?.complete_to ?? '')).toBe(Date.parse(WORLD_NOW))
    expect((await incomplete('session_reports')).map(({ day }) => day)).toContain('2026-07-05')
    await world.faults([])
    await world.sync({ jobs: named('session-reports') })
    expect((await freshness()).get('session_reports')).toMatchObject({ state: 'whole' })
  })

  it('lists by parent names each parent whose list was not read', async () => {
    world = await openWorld({ sizes: TINY })
    await fault('whiteboard_sessions.get')
    await world.sync({ jobs: named('whiteboard-archives') })
    const { rows } = await sql<{ id: string }>`
      select id from report.whiteboard_sessions order by id collate "C"`.execute(world.warehouse.db)
    expect(rows.length).toBeGreaterThan(3)
    const lists = await incomplete('whiteboard_activities')
    expect(lists).toEqual(rows.map(({ id }) => ({ day: null, part: id })))
    const found = await freshness()
    const missing_parts = lists.length
    expect(found.get('whiteboard_activities')).toMatchObject({ state: 'never_read', missing_parts })
    expect(found.get('whiteboard_participants')).toMatchObject({ missing_parts: 0 })
  })

  it('lists by parent are not whole while the list of their parents cannot be read', async () => {
    world = await openWorld({ sizes: TINY })
    await world.sync({ jobs: named('users', 'user-details') })
    expect((await freshness()).get('user_details')).toMatchObject({ state: 'whole' })
    await world.advance(DAY_MS)
    await fault('users.list')
    await world.sync({ jobs: named('users', 'user-details') })
    const found = await freshness()
    for (const table of ['users', 'user_details', 'user_phone_numbers']) {
      expect(found.get(table)).toMatchObject({ state: 'incomplete', whole: false })
      expect(Date.parse(found.get(table)?.complete_to ?? '')).toBe(Date.parse(WORLD_NOW))
    }
  })

  it('a table that the account may not read is not whole', async () => {
    world = await openWorld({ sizes: TINY })
    await fault('phone_numbers.list', { kind: 'status', status: 403 })
    await world.sync({ jobs: named('phone-numbers') })
    const found = await freshness()
    for (const table of ['phone_numbers', 'phone_number_assignments'])
      expect(found.get(table)).toMatchObject({ state: 'not_allowed', whole: false })
  })

  it('a table with quarantined records, held deletions or no readings is not whole', async () => {
    world = await openWorld({ sizes: TINY })
    await world.sync({ jobs: named('users') })
    await sql`update callsheet.slice_states set quarantined = 2 where slice = 'status=active'`.execute(
      world.warehouse.db,
    )
    expect((await freshness()).get('users')).toMatchObject({ quarantined: 2, state: 'incomplete' })
    await sql`update callsheet.slice_states set quarantined = 0`.execute(world.warehouse.db)
    await sql`insert into callsheet.deletion_guards (account, stream, run_id, missing, owned, at)
      select account, 'users', id, 40, 60, started_at from callsheet.runs`.execute(
      world.warehouse.db,
    )
    expect((await freshness()).get('users')).toMatchObject({ deletions_held: 40, whole: false })
    await world.sync({ jobs: named('users') })
    expect((await freshness()).get('users')).toMatchObject({ deletions_held: 0, state: 'whole' })
    await sql`delete from callsheet.slice_states where stream = 'users'`.execute(world.warehouse.db)
    expect((await freshness()).get('users')).toMatchObject({ state: 'incomplete', whole: false })
  })

  it('deletions stay held back after a run of a few days', async () => {
    world = await openWorld({ sizes: TINY })
    await world.sync({ jobs: named('session-reports') })
    await sql`insert into callsheet.deletion_guards (account, stream, run_id, missing, owned, at)
      select account, 'session_reports', id, 40, 60, started_at from callsheet.runs`.execute(
      world.warehouse.db,
    )
    const range = { fromMs: Date.parse(WORLD_NOW) - DAY_MS, toMs: Date.parse(WORLD_NOW) }
    const part = named('session-reports').map((job) => ({ ...job, partial: true as const, range }))
    await world.sync({ jobs: part, full: true })
    const found = (await freshness()).get('session_reports')
    expect(found).toMatchObject({ deletions_held: 40, state: 'incomplete' })
  })
})

describe('after a complete sync', () => {
  beforeAll(async () => {
    world = await openWorld({ sizes: TINY })
    await world.sync()
  }, 120_000)
  afterAll(() => world.close())

  it('each table is whole, but for the day that is not over', async () => {
    const found = await freshness()
    for (const { name } of streams) expect(found.get(name)).toMatchObject({ state: 'whole' })
    for (const { name, sync } of streams)
      expect(await incomplete(name)).toEqual(
        sync.kind === 'windows' ? [{ day: WORLD_NOW.slice(0, 10), part: null }] : [],
      )
  })

  it('the views know each table, its job and the rows that have lists of their own', async () => {
    const declared = jobs.flatMap((job) =>
      job.streams.map((stream) => {
        const requested = fetchedStream(stream)
        return [stream.name, requested.name, job.name, requested.sync.kind].join(' ')
      }),
    )
    const tables = await sql<{ line: string }>`
    select concat_ws(' ', "table", requested, job, kind) as line from callsheet.tables`.execute(
      world.warehouse.db,
    )
    expect(tables.rows.map(({ line }) => line).toSorted()).toEqual(declared.toSorted())
    const { rows } = await sql<{ stream: string; slices: string[] }>`
    select stream, array_agg(slice order by slice collate "C") as slices
    from callsheet.parent_lists group by stream`.execute(world.warehouse.db)
    const lists = new Map(rows.map(({ stream, slices }) => [stream, slices]))
    for (const { name, sync } of streams.filter(({ sync: { kind } }) => kind === 'fan-out')) {
      if (sync.kind !== 'fan-out') continue
      const states = await sql<{ slices: string[] }>`
      select array_agg(slice order by slice collate "C") as slices
      from callsheet.slice_states where stream = ${name}`.execute(world.warehouse.db)
      expect({ name, slices: lists.get(name) }).toEqual({ name, slices: states.rows[0]?.slices })
    }
  })
})
