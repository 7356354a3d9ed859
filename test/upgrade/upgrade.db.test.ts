import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import { migrations } from '../../src/cli/catalog/migrations.ts'
import { connect, type Warehouse } from '../../src/warehouse/connection/connect.ts'
import { migrate } from '../../src/warehouse/connection/migrate.ts'
import { emptyDatabase } from '../helpers/database.ts'
import { strayStates } from '../helpers/slice-states.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { dump, restore } from './dump.ts'

const DUMP = new URL('version-0.1.jsonl.gz', import.meta.url)
const LAST_OF_ITS_TIME = '0059_runs_of_backslashes'
const COMPANY = { seed: 5, sizes: TINY }

let world: World | undefined
afterEach(() => world?.close())

// Made once for each version, before its successor changes the tables.
it.runIf(process.env.MAKE_DUMP !== undefined)('makes the dump anew', async () => {
  world = await openWorld(COMPANY)
  for (const full of [false, true]) await world.sync({ full })
  await world.mutate()
  await world.sync({ full: true })
  writeFileSync(DUMP, await dump(world.warehouse))
  expect(existsSync(DUMP)).toBe(true)
})

it('a database of version 0.1 is brought up to date with all its rows, and none is read anew', async () => {
  const database = await emptyDatabase()
  const warehouse = connect({ url: database.url, poolSize: 2 })
  const its = Object.entries(migrations).filter(([name]) => name <= LAST_OF_ITS_TIME)
  await migrate(warehouse, Object.fromEntries(its))
  const counts = await restore(warehouse, readFileSync(DUMP))
  expect([...counts.values()].filter((rows) => rows > 0).length).toBeGreaterThan(30)
  await migrate(warehouse, migrations)
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from svc.users`.execute(
    warehouse.db,
  )
  expect(rows[0]?.n).toBe(counts.get('svc.users'))
  expect(await oldWords(warehouse)).toEqual({ ends: 0, deleted: true, summaries: 0, slices: 0 })
  expect(await strayStates(warehouse.db)).toEqual([])
  await warehouse.close()

  world = await openWorld(COMPANY, database)
  await world.mutate()
  const runs = await world.sync({ full: true })
  let unchanged = 0
  for (const run of runs) {
    expect(run).toMatchObject({ state: 'complete', problems: [] })
    for (const [name, table] of Object.entries(run.tables)) {
      const updated = name === 'session_reports' ? await ratedOtherwise(world) : 0
      expect(table).toMatchObject({ inserted: 0, updated, deleted: 0 })
      unchanged += table.unchanged
    }
  }
  expect(unchanged).toBeGreaterThan(500)
})

/** Sessions that the sandbox of today rates otherwise than that of the dump; all else of them is alike. */
async function ratedOtherwise({ warehouse }: World): Promise<number> {
  const but = sql`'{audio_quality,video_quality,screen_share_quality}'::text[]`
  const row = (table: string) =>
    sql`jsonb_strip_nulls(to_jsonb(${sql.raw(table)})) - ${but} - ${sql.raw(KEPT)}`
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from history.session_reports h join svc.session_reports s
      using (account, id)
    where h._ended_by_run = s._run_id and h._end = 'changed' and ${row('h')} = ${row('s')}`.execute(
    warehouse.db,
  )
  return rows[0]?.n ?? 0
}

const KEPT = `'{_raw,_bytes,_hash,_changed_at,_run_id,_valid_from,_valid_to,_ended_by_run,_end}'::text[]`

/** What the version's rows still say in its own words, and that the deletions among them are kept. */
async function oldWords(warehouse: Warehouse) {
  const { rows } = await sql<{ ends: number; deleted: boolean; summaries: number; slices: number }>`
    select count(*) filter (where _end = 'gone')::int as ends,
      bool_or(_end = 'deleted') as deleted,
      (select count(*)::int from callsheet.runs
        where summary::text ~ '"(gone|braked)":' or state = 'to_be_continued') as summaries,
      (select count(*)::int from callsheet.slices where slice like 'news=%') as slices
    from (select _end from history.whiteboard_participants
      union all select _end from history.users
      union all select _end from history.phone_numbers
      union all select _end from history.recording_sessions
      union all select _end from history.whiteboard_collaborators) versions`.execute(warehouse.db)
  return rows[0]
}
