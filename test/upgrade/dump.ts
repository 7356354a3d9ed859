import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import type { Warehouse } from '../../src/warehouse/connect.ts'

/** Digests of the files in `migrations/` by their names. */
export type MigrationFiles = Readonly<Record<string, string>>

export function migrationFiles(): MigrationFiles {
  const files = globSync('**/*.ts', { cwd: MIGRATIONS }).toSorted()
  const digest = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(MIGRATIONS, file)))
      .digest('hex')
  return Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ''), digest(file)]))
}

/** The files by which the dumped database was made: its structure is theirs. */
export function madeBy(dumped: Buffer): MigrationFiles {
  const [head = ''] = gunzipSync(dumped).toString('utf8').split('\n', 1)
  return JSON.parse(head) as MigrationFiles
}

/**
 * Names of files that are not what they were when a release made the dump: whoever runs that release has a
 * database that these files do not make any more.
 */
export function changedSince(dumped: Buffer, files: MigrationFiles): string[] {
  return Object.entries(madeBy(dumped)).flatMap(([name, digest]) =>
    files[name] === digest ? [] : [name],
  )
}

/** The files behind a database, then its rows as JSON lines, the name of each table before them. */
export async function dump(warehouse: Warehouse): Promise<Buffer> {
  const lines: string[] = [JSON.stringify(migrationFiles())]
  for (const { name, columns } of await tablesOf(warehouse)) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from ${sql.raw(name)} t order by 1`.execute(warehouse.db)
    lines.push(`# ${name} ${columns.join(' ')}`, ...rows.map(({ row }) => row))
  }
  return gzipSync(lines.join('\n'), { level: 9 })
}

/** Puts the rows into the tables of a database that has the structure of its time. */
export async function restore(warehouse: Warehouse, dumped: Buffer): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const tables = gunzipSync(dumped).toString('utf8').split(/^# /m).slice(1)
  await warehouse.transaction(async (tx) => {
    // Triggers have done their work on these rows already.
    await sql`set local session_replication_role = replica`.execute(tx)
    for (const table of tables) {
      const [head = '', ...rows] = table.trimEnd().split('\n')
      const [name = '', ...columns] = head.split(' ')
      const list = sql.join(columns.map((column) => sql.ref(column)))
      counts.set(name, rows.length)
      await sql`insert into ${sql.raw(name)} (${list}) overriding system value
        select ${list} from jsonb_populate_recordset(null::${sql.raw(name)},
          ${`[${rows.join(',')}]`}::jsonb)`.execute(tx)
    }
    await sql`select setval(pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname),
        1000000)
      from pg_attribute a join pg_class c on c.oid = a.attrelid
        join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'callsheet' and a.attidentity <> ''`.execute(tx)
  })
  return counts
}

/** Those that hold rows of their own, with their columns; neither the migrations nor secrets. */
async function tablesOf(warehouse: Warehouse): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select format('%I.%I', n.nspname, c.relname) as name,
      array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = ''
    where n.nspname in ('callsheet', 'svc', 'history') and c.relkind in ('r', 'p')
      and not c.relispartition and c.relname not like 'migrations%' and c.relname <> 'tokens'
    group by 1 order by 1`.execute(warehouse.db)
  return rows
}

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'migrations')
