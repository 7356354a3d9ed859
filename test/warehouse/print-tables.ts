import { sql } from 'kysely'
import { connect } from '../../src/warehouse/connect.ts'
import { onDatabase, TEMPLATE } from '../helpers/database-url.ts'
import { makeTemplate } from '../helpers/make-template.ts'
import { startThrowawayServer } from '../helpers/throwaway-server.ts'

interface ColumnFacts {
  table: string
  name: string
  type: string
  required: boolean
  given: boolean
  /** `CHECK ((state = ANY (ARRAY['a'::text, ...])))`; null if there is none. */
  check: string | null
}

/** Generates the files of types, by name, from the tables of a migrated database. */
export async function printTables(url: string): Promise<Record<string, string>> {
  const warehouse = connect({ url, poolSize: 1 })
  try {
    const { rows } = await sql<ColumnFacts>`
      select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
        a.attnotnull as required, a.atthasdef or a.attidentity <> '' as given,
        (select min(pg_get_constraintdef(k.oid)) from pg_constraint k
          where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as check
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'callsheet'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition and c.relname !~ '^migrations' and a.attnum > 0
        and not a.attisdropped
      order by c.relname collate "C", a.attnum`.execute(warehouse.db)
    const archived = rows.filter(({ table }) => ARCHIVE_TABLES.has(table))
    const service = rows.filter(({ table }) => SERVICE_TABLES.has(table))
    const ledgers = rows.filter(
      ({ table }) => !ARCHIVE_TABLES.has(table) && !SERVICE_TABLES.has(table),
    )
    return {
      'archive-tables.ts': fileOf('ArchiveTables', 'files, evidence and erasures', archived),
      'ledger-tables.ts': fileOf('LedgerTables', 'runs and their findings', ledgers),
      'service-tables.ts': fileOf('ServiceTables', 'alerts, calls and notifications', service),
    }
  } finally {
    await warehouse.close()
  }
}

function fileOf(name: string, what: string, rows: readonly ColumnFacts[]): string {
  const tables = [...Map.groupBy(rows, ({ table }) => table)].flatMap(([table, columns]) => [
    `  'callsheet.${table}': {`,
    ...columns.flatMap(lineOf),
    '  }',
  ])
  const body = [`export interface ${name} {`, ...tables, '}', ''].join('\n')
  const used = VALUE_TYPES.filter((one) => new RegExp(`\\b${one}\\b`).test(body))
  const generated = body.includes('Generated<') ? ["import type { Generated } from 'kysely'"] : []
  return [
    ...generated,
    `import type { ${used.join(', ')} } from './value-types.ts'`,
    '',
    '/**',
    ` * The tables of ${what} in the migrated database: \`npm run tables\` prints this file.`,
    ' */',
    body,
  ].join('\n')
}

function lineOf(column: ColumnFacts): string[] {
  const { name } = column
  const type = typeOf(column)
  const line = `    ${name}: ${type}`
  if (line.length <= 100) return [line]
  return [`    ${name}:`, ...type.split(' | ').map((one) => `      | ${one}`)]
}

function typeOf({ type, required, given, check }: ColumnFacts): string {
  const values = [...(check ?? '').matchAll(/'(\w+)'::text/g)].map(
    ([, value]) => `'${value ?? ''}'`,
  )
  const plain = values.length > 0 ? values.join(' | ') : (TYPES[type] ?? 'unknown')
  if (given && (plain === 'Count' || plain === 'Json')) return `Given${plain}`
  const nullable = required ? plain : `${plain} | null`
  return given ? `Generated<${nullable}>` : nullable
}

const VALUE_TYPES = ['Count', 'GivenCount', 'GivenJson', 'Json']
const TYPES: Readonly<Record<string, string>> = {
  text: 'string',
  'text[]': 'string[]',
  bigint: 'Count',
  'bigint[]': 'number[]',
  integer: 'number',
  smallint: 'number',
  'double precision': 'number',
  boolean: 'boolean',
  'timestamp with time zone': 'string',
  date: 'string',
  json: 'Json',
  jsonb: 'Json',
  bytea: 'Buffer',
}

const ARCHIVE_TABLES = new Set([
  'audit_settings',
  'checkpoints',
  'erasure_requests',
  'files',
  'holds',
  'incidents',
  'manifest',
  'marks',
  'placed_files',
  'suppression_keys',
  'suppressions',
  'tree_tiles',
])

const SERVICE_TABLES = new Set([
  'alerts',
  'calls',
  'event_states',
  'machines',
  'notifications',
  'published_reports',
  'task_runs',
])

export const TABLES_FOLDER = new URL('../../src/core/tables/', import.meta.url)

if (import.meta.main) {
  const { writeFileSync } = await import('node:fs')
  const server = await startThrowawayServer()
  try {
    await makeTemplate(server.url)
    const files = await printTables(onDatabase(server.url, TEMPLATE))
    for (const [name, text] of Object.entries(files))
      writeFileSync(new URL(name, TABLES_FOLDER), text)
  } finally {
    await server.stop()
  }
}
