import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../src/cli/catalog.ts'
import { type Client, connect } from '../src/warehouse/connect.ts'
import { startEmbedded } from '../src/warehouse/embedded.ts'
import { migrate } from '../src/warehouse/migrate.ts'

export interface BenchDatabase {
  url: string
  directory: string
  /** An empty table with the same columns, constraints and indexes as the engine's. */
  emptyTable(name: string): Promise<void>
  /** Writes out what earlier steps left dirty, so that each step begins alike. */
  settle(): Promise<void>
  /** What was written to the reports and their history since the server started, and the log's length. */
  written(): Promise<Written>
  stop(): Promise<void>
}

export interface Written {
  rows: number
  walBytes: number
}

/** A durable embedded server, as in real use, in a directory of its own that goes with it. */
export async function openDatabase(): Promise<BenchDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-bench-'))
  // As root the server runs as somebody else, who must be able to pass.
  chmodSync(directory, 0o755)
  const server = await startEmbedded({ directory })
  const admin = connect({ url: server.url, poolSize: 1 })
  await migrate(admin, migrations)
  return {
    url: server.url,
    directory,
    emptyTable: (name) => admin.withClient((client) => makeEmptyTable(client, name)),
    settle: () =>
      admin.withClient(async (client) => {
        await client.query('vacuum analyze svc.session_reports')
        await client.query('checkpoint')
      }),
    written: () => admin.withClient(writtenSoFar),
    async stop() {
      await admin.close()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function makeEmptyTable(client: Client, name: string): Promise<void> {
  await client.query('create schema if not exists bench')
  await client.query(`drop table if exists bench.${name}`)
  await client.query(`create table bench.${name} (like svc.session_reports including all)`)
}

async function writtenSoFar(client: Client): Promise<Written> {
  await client.query('select pg_stat_force_next_flush(), pg_stat_clear_snapshot()')
  const { rows } = await client.query<Written>(`
    select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::float8 as rows,
      (pg_current_wal_lsn() - '0/0')::float8 as "walBytes"
    from pg_stat_user_tables
    where schemaname in ('svc', 'history') and relname like 'session_reports%'`)
  return rows[0] ?? { rows: 0, walBytes: 0 }
}
