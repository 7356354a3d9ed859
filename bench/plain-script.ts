import { type ColumnType, Kysely, PostgresDialect, sql } from 'kysely'
import { Pool as Connections } from 'pg'
import { Pool } from 'undici'
import { sessionReports } from '../src/resources/session-reports.ts'
import { serveOrder } from './child.ts'
import type { Window } from './pages-server.ts'
import { tokenChain } from './token-chain.ts'

export interface ScriptOrder {
  url: string
  databaseUrl: string
  windows: readonly Window[]
}

export interface Scripted {
  wallMs: number
  rows: number
}

/**
 * What one would write in an afternoon, and fairly: page after page, each by one upsert of all columns. Its
 * windows do not overlap, so that it reads no row twice. It does not hash, so `_hash` is the same for all.
 */
async function script({ url, databaseUrl, windows }: ScriptOrder): Promise<Scripted> {
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: new Connections({ connectionString: databaseUrl, max: 1 }),
    }),
  })
  const pool = new Pool(url, { connections: 1 })
  await sql`select 1`.execute(db)
  const startedMs = performance.now()
  let rows = 0
  for (const window of windows) {
    for await (const records of tokenChain(pool, window)) {
      if (records.length > 0) await upsert(db, records.map(rowOf))
      rows += records.length
    }
  }
  const wallMs = performance.now() - startedMs
  await pool.close()
  await db.destroy()
  return { wallMs, rows }
}

async function upsert(db: Kysely<Tables>, rows: Row[]): Promise<void> {
  await db
    .withSchema('bench')
    .insertInto('scripted')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'id'])
        .doUpdateSet((eb) =>
          Object.fromEntries(UPDATED.map((name) => [name, eb.ref(`excluded.${name}`)])),
        ),
    )
    .execute()
}

function rowOf(record: Record<string, unknown>): Row {
  const now = new Date()
  const row: Row = {
    account: 'bench',
    _raw: JSON.stringify(record),
    _hash: NO_HASH,
    _first_seen_at: now,
    _changed_at: now,
    _run_id: 1,
  }
  for (const name of COLUMNS) row[name] = record[name] ?? null
  row.duration = secondsOf(String(record.duration))
  return row
}

function secondsOf(duration: string): number {
  return duration.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}

type Row = Record<string, unknown>

interface Tables {
  scripted: Record<string, ColumnType<unknown>>
}

const COLUMNS = Object.keys(sessionReports.columns)
const UPDATED = [
  ...COLUMNS.filter((name) => name !== 'id'),
  '_raw',
  '_hash',
  '_changed_at',
  '_run_id',
]
const NO_HASH = Buffer.alloc(16)

await serveOrder(script)
