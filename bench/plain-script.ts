import { type ColumnType, Kysely, PostgresDialect, sql } from 'kysely'
import { Pool as Connections } from 'pg'
import { Pool } from 'undici'
import { itemsOf } from '../src/core/define/operation.ts'
import { serveOrder } from './child.ts'
import { type Source, sources } from './sources.ts'
import { type Spent, spend } from './spent.ts'
import { tokenChain } from './token-chain.ts'

export interface ScriptOrder {
  url: string
  databaseUrl: string
  source: string
  /** It ends after so many: on a small table it is at its fastest. */
  mostRows: number
}

/**
 * What one would write in an afternoon, and fairly: page after page, each by one upsert of all columns. Its
 * lists do not overlap, so that it reads no row twice. It does not hash, so `_hash` is the same for all.
 */
async function script({ url, databaseUrl, source: name, mostRows }: ScriptOrder): Promise<Spent> {
  const source = sources[name] as Source
  const items = itemsOf(source.stream.operation) ?? ''
  const columns = Object.keys(source.stream.columns)
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: new Connections({ connectionString: databaseUrl, max: 1 }),
    }),
  })
  const pool = new Pool(url, { connections: 1 })
  await sql`select 1`.execute(db)
  const spent = await spend(async () => {
    let rows = 0
    let pages = 0
    for (const query of source.scriptQueries()) {
      for await (const records of tokenChain(pool, { path: `${source.path}?${query}`, items })) {
        if (records.length > 0)
          await upsert(
            db,
            records.map((record) => rowOf(columns, record)),
          )
        rows += records.length
        pages++
        if (rows >= mostRows) return { rows, pages }
      }
    }
    return { rows, pages }
  })
  await pool.close()
  await db.destroy()
  return spent
}

async function upsert(db: Kysely<Tables>, rows: Row[]): Promise<void> {
  const updated = Object.keys(rows[0] ?? {}).filter((name) => !KEPT.has(name))
  await db
    .withSchema('bench')
    .insertInto('scripted')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'id'])
        .doUpdateSet((eb) =>
          Object.fromEntries(updated.map((name) => [name, eb.ref(`excluded.${name}`)])),
        ),
    )
    .execute()
}

function rowOf(columns: readonly string[], record: Record<string, unknown>): Row {
  const now = new Date()
  const row: Row = {
    account: 'bench',
    _raw: JSON.stringify(record),
    _hash: NO_HASH,
    _first_seen_at: now,
    _changed_at: now,
    _run_id: 1,
  }
  for (const name of columns) row[name] = record[name] ?? null
  if ('duration' in row) row.duration = secondsOf(String(row.duration))
  return row
}

function secondsOf(duration: string): number {
  return duration.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}

type Row = Record<string, unknown>

interface Tables {
  scripted: Record<string, ColumnType<unknown>>
}

const KEPT = new Set(['account', 'id', '_first_seen_at'])
const NO_HASH = Buffer.alloc(16)

await serveOrder(script)
