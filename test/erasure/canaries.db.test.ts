import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { printErased } from '../../src/cli/frame/erasure-lines.ts'
import { createOutput } from '../../src/cli/frame/output.ts'
import { strayStates } from '../helpers/slice-states.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { CANARY, MARIA, OTTO } from './cast.ts'
import { type Planted, plantEverything } from './plant.ts'
import { DATA_TABLES, erase } from './stage.ts'

/** The texts that name the erased person or occur only in data about her. */
const TELLTALES = [MARIA.id, MARIA.email, CANARY]

let world: World
let planted: Planted
let ottoBefore: Map<string, string[]>
let printed = ''
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  planted = await plantEverything(world)
  ottoBefore = await saidOf(OTTO.id)
  await sql`analyze`.execute(world.warehouse.db)
})
afterAll(() => world.close())

describe('a person named in every field of every table', () => {
  it('is found in every searched place before the erasure', async () => {
    expect(planted.tables.length).toBe(DATA_TABLES.length)
    expect(await tablesSaying()).toEqual([...planted.tables, ...planted.ledgers].toSorted())
    expect((await samplesSaying()).length).toBeGreaterThan(planted.tables.length)
    expect(planted.archivedFiles).toBeGreaterThan(3)
    expect(filesSaying(planted.archive)).toHaveLength(planted.archivedFiles)
    expect(filesSaying(planted.reports)).toHaveLength(1)
  })

  it('is in no table, sample, file or log line after the erasure', async () => {
    const done = await erase(world, { persons: [MARIA.id] })
    const write = process.stdout.write.bind(process.stdout)
    process.stdout.write = (text: string | Uint8Array) => ((printed += String(text)), true)
    try {
      for (const one of done) printErased(createOutput({ json: false }), one, false)
      createOutput({ json: true }).result({ erased: done })
    } finally {
      process.stdout.write = write
    }
    expect(done.map(({ outcome }) => outcome.leftBehind)).toEqual([{}])
    expect(await tablesSaying()).toEqual([])
    expect(await samplesSaying()).toEqual([])
    expect(await strayStates(world.warehouse.db)).toEqual([])
    expect(filesSaying(planted.archive)).toEqual([])
    expect(filesSaying(planted.reports)).toEqual([])
    expect(printed.length).toBeGreaterThan(500)
    expect(says(printed)).toBe(false)
  })

  it('leaves the other person in every list, with all data', async () => {
    expect(ottoBefore.size).toBe(DATA_TABLES.length)
    expect(await saidOf(OTTO.id)).toEqual(ottoBefore)
  })
})

function says(text: string): boolean {
  const folded = text.toLowerCase()
  const words = TELLTALES.map((word) => word.toLowerCase())
  return words.some(
    (word) => folded.includes(word) || folded.includes(Buffer.from(word).toString('hex')),
  )
}

/** The tables that contain one of these texts, in clear or as hex, which is how Postgres prints bytes. */
async function tablesSaying(): Promise<string[]> {
  const { db } = world.warehouse
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select n.nspname as schema, c.relname as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
    where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
      and c.relkind in ('r', 'p', 'm') and not c.relispartition order by 1, 2`.execute(db)
  const found: string[] = []
  for (const { schema, name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select t::text as row from ${sql.id(schema, name)} t`.execute(db)
    if (rows.some(({ row }) => says(row))) found.push(`${schema}.${name}`)
  }
  return found.toSorted()
}

/**
 * The columns whose planner statistics contain one of these texts. Ignores emptied tables before Postgres 18,
 * which keep their samples (docs/erasure.md).
 */
async function samplesSaying(): Promise<string[]> {
  const { rows } = await sql<{ column: string; samples: string }>`
    select starelid::regclass || '.' || staattnum as "column", concat_ws(' ', stavalues1::text,
      stavalues2::text, stavalues3::text, stavalues4::text, stavalues5::text) as samples
    from pg_statistic join pg_class c on c.oid = starelid
    where c.reltuples > 0 or current_setting('server_version_num')::int >= 180000`.execute(
    world.warehouse.db,
  )
  return rows.filter(({ samples }) => says(samples)).map(({ column }) => column)
}

function filesSaying(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .filter((path) => says(readFileSync(path, 'latin1')) || says(path))
}

/** By table, each JSON object, including whole rows, whose `user_id` is this person's. */
async function saidOf(id: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const { schema, name } of DATA_TABLES) {
    const { rows } = await sql<{ said: string }>`
      select x.said::text as said from ${sql.id(schema, name)} t,
        jsonb_path_query(to_jsonb(t), 'strict $.**') x(said)
      where jsonb_typeof(x.said) = 'object' and x.said->>'user_id' = ${id} order by 1`.execute(
      world.warehouse.db,
    )
    found.set(
      `${schema}.${name}`,
      rows.map(({ said }) => said),
    )
    expect({ table: `${schema}.${name}`, said: rows.length }).not.toMatchObject({ said: 0 })
  }
  return found
}
