import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { jobs, streams } from '../../../src/account/catalog.ts'
import { statesLakes } from '../../../src/account/state-decisions.ts'
import { verifyEvidence } from '../../../src/audit/verify/verify-evidence.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import type { Stream } from '../../../src/core/define/stream.ts'
import { exportToLake, type LakeExport } from '../../../src/report/lake/export-lake.ts'
import { createDirectoryStore } from '../../../src/store/directory-store.ts'
import type { LakePlace } from '../../../src/store/lake-place.ts'
import type { World } from '../../helpers/world.ts'
import { askDuckDb, quoted } from '../duckdb.ts'

export const account = 'account-0'

export function streamOf(name: string) {
  const stream = streams.find((one) => one.name === name)
  if (stream === undefined) throw new Error(`There is no stream ${name}`)
  return stream
}

export interface LakeStage {
  world: World
  lake: LakePlace
  /** The folder in which data files are made. */
  directory: string
}

export async function exportStream(
  { world, lake, directory }: LakeStage,
  which: string | Stream,
  of = account,
): Promise<LakeExport> {
  const stream = typeof which === 'string' ? streamOf(which) : which
  const { config } = loadConfig({ path: world.place.configFile, jobs, environment: {} })
  const deps = { warehouse: world.warehouse, state: statesLakes({ config }) }
  return await exportToLake(deps, { account: of, stream, lake, directory })
}

/** Verifies the account with its lake; `found` has the code and the object of each finding. */
export async function verifyLake({ world, lake }: LakeStage) {
  const verified = await verifyEvidence(
    { warehouse: world.warehouse },
    {
      account,
      lake,
      streams,
      store: createDirectoryStore(join(dirname(world.place.configFile), 'archive', account)),
      signal: new AbortController().signal,
      keys: [],
      keyPinned: false,
    },
  )
  return { ...verified, found: verified.findings.map(({ code, what }) => [code, what]) }
}

/** The rows of a table by SQL, each as one text, in the order of their keys. */
export async function rowsInTable(
  { warehouse }: World,
  name: string,
  of: readonly string[] = [account],
): Promise<string[]> {
  const { columns, key } = streamOf(name)
  const shown = Object.entries(columns).map(([column, { pg }]) => {
    const value = sql.id(column)
    if (pg === 'timestamptz')
      return sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as ${value}`
    if (pg === 'text[]') return sql`to_jsonb(${value}) as ${value}`
    return pg === 'boolean' ? value : sql`${value}::text as ${value}`
  })
  const { rows } = await sql<Record<string, unknown>>`select ${sql.join(shown)}
    from ${sql.id('svc', name)} where account = any(${[...of]}::text[]) and _deleted_at is null`.execute(
    warehouse.db,
  )
  return sorted(rows, key)
}

/** The same rows as DuckDB reads them in these data files. */
export async function rowsInFiles(paths: readonly string[], name: string): Promise<string[]> {
  const { columns, key } = streamOf(name)
  if (paths.length === 0) return []
  const shown = Object.entries(columns).map(([column, { pg }]) => {
    if (pg === 'timestamptz') return `strftime("${column}", '%Y-%m-%d %H:%M:%S.%f') as "${column}"`
    return pg === 'bigint' ? `"${column}"::varchar as "${column}"` : `"${column}"`
  })
  const files = `read_parquet([${paths.map(quoted).join(', ')}], hive_partitioning = false)`
  return sorted(await askDuckDb(`select ${shown.join(', ')} from ${files}`), key)
}

/** Rows without the microseconds that a reader of dates lacks. */
export function inMillis(rows: readonly string[]): string[] {
  return rows.map((row) => row.replaceAll(/( \d\d:\d\d:\d\d\.\d{3})\d{3}/g, '$1000'))
}

/** The same rows as `icebird` returns them, which has bigints and dates. */
export function rowsOfReader(rows: readonly Record<string, unknown>[], name: string): string[] {
  const { columns, key } = streamOf(name)
  const texts = rows.map((row) => {
    const shown = Object.entries(columns).map(([column, { pg }]) => {
      const value = row[column] ?? null
      if (value === null) return [column, null]
      if (pg === 'timestamptz') {
        const text = value instanceof Date ? value.toISOString() : String(value)
        return [column, `${text.slice(0, 23).replace('T', ' ')}000`]
      }
      return [column, typeof value === 'bigint' ? String(value) : value]
    })
    return Object.fromEntries(shown) as Record<string, unknown>
  })
  return sorted(texts, key)
}

function sorted(rows: readonly Record<string, unknown>[], key: readonly string[]): string[] {
  const keyed = rows.map((row): [string, string] => [
    JSON.stringify(key.map((name) => row[name])),
    JSON.stringify(Object.entries(row)),
  ])
  return keyed.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
}
