import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../src/account/migrations.ts'
import type { Stream } from '../src/core/define/stream.ts'
import { sessionReports } from '../src/resources/session-reports.ts'
import { connect, type DatabaseClient } from '../src/warehouse/connect.ts'
import { startEmbedded } from '../src/warehouse/embedded/embedded.ts'
import { migrate } from '../src/warehouse/migrate.ts'
import { ensureMonthPartitions } from '../src/warehouse/partitions.ts'
import { postgresCpuMs } from './postgres-cpu.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

export interface BenchDatabase {
  url: string
  directory: string
  /** The settings that decide how fast a load can be, as the server states them. */
  settings: string
  /** An empty table with the same columns, constraints and indexes as the engine's. */
  emptyTable(name: string): Promise<void>
  /** Such a table goes once it was measured: the server would clean it up while others are measured. */
  dropTable(name: string): Promise<void>
  /** Writes out what earlier steps left dirty, so that each step begins alike. */
  settle(): Promise<void>
  /** What the server did since it started. */
  done(): Promise<Done>
  /** Bytes of the log's records, between the two, of transactions that entered a slice in the ledger. */
  ledgerWal(before: Done, after: Done): Promise<number>
  stop(): Promise<void>
}

export interface Done {
  /** Written to the stream's table, its history, and the tables of those that it is compared with. */
  rows: number
  walBytes: number
  /** Pages that the log took whole, each for its first change after a checkpoint. */
  pageImages: number
  cpuMs: number | undefined
}

/** A durable embedded server, as in real use, in a directory of its own that goes with it. */
export async function openDatabase(
  { stream }: { stream: Stream } = { stream: sessionReports },
): Promise<BenchDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-bench-'))
  // As root the server runs as somebody else, who must be able to pass.
  chmodSync(directory, 0o755)
  const server = await startEmbedded({ directory })
  const admin = connect({
    url: server.url,
    poolSize: 1,
    statementTimeoutMs: 900_000,
    applicationName: WATCHING,
  })
  await migrate(admin, migrations)
  await makePartitions(server.url)
  const shown = await admin.withClient((client) => client.query('show data_directory'))
  const data = String(shown.rows[0]?.data_directory)
  return {
    url: server.url,
    directory,
    settings: await admin.withClient(settingsOf),
    emptyTable: (name) =>
      admin.withClient(async (client) => {
        await client.query('create schema if not exists bench')
        await client.query(`drop table if exists bench.${name}`)
        await client.query(`create table bench.${name} (like svc.${stream.name} including all)`)
      }),
    dropTable: (name) =>
      admin.withClient(async (client) => void (await client.query(`drop table bench.${name}`))),
    settle: () =>
      admin.withClient(async (client) => {
        await client.query(`vacuum analyze svc.${stream.name}`)
        await client.query('checkpoint')
      }),
    done: async () => ({
      ...(await admin.withClient((client) => writtenSoFar(client, stream.name))),
      cpuMs: postgresCpuMs(data),
    }),
    ledgerWal: (before, after) =>
      admin.withClient((client) => ledgerWal(client, [before.walBytes, after.walBytes])),
    async stop() {
      await admin.close()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Of the month in which the bench reads, as `callsheet migrate` makes them: once a month, and of no load. */
async function makePartitions(url: string): Promise<void> {
  const then = connect({ url, poolSize: 1, frozenNow: BENCH_NOW_MS })
  await ensureMonthPartitions(then)
  await then.close()
}

/** By the server's own reading of its log: the rest of a run, its lease and its quota, is not a slice's. */
async function ledgerWal(client: DatabaseClient, span: readonly number[]): Promise<number> {
  await client.query('create extension if not exists pg_walinspect')
  const { rows } = await client.query<{ bytes: number }>(
    `with records as materialized (
      select xid, record_length, block_ref from pg_get_wal_records_info(
        '0/0'::pg_lsn + $1::numeric, least('0/0'::pg_lsn + $2::numeric, pg_current_wal_flush_lsn()))),
    ledger as (
      select distinct xid from records join pg_class c
        on block_ref like '%/' || c.relfilenode || ' %'
      where c.relnamespace = 'callsheet'::regnamespace and starts_with(c.relname, 'slices_')
        and c.relkind = 'r')
    select coalesce(sum(record_length), 0)::float8 as bytes
    from records join ledger using (xid)`,
    [...span],
  )
  return rows[0]?.bytes ?? 0
}

async function settingsOf(client: DatabaseClient): Promise<string> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `select name, current_setting(name) as setting from pg_settings where name = any($1)
      order by array_position($1, name)`,
    [SETTINGS],
  )
  return rows.map(({ name, setting }) => `${name} ${setting}`).join(', ')
}

/** Of the engine's tables those of one stream; `bench` is the schema of COPY and of the plain script. */
export async function writtenSoFar(
  client: DatabaseClient,
  table: string,
): Promise<Omit<Done, 'cpuMs'>> {
  await client.query('select pg_stat_force_next_flush(), pg_stat_clear_snapshot()')
  const { rows } = await client.query<Omit<Done, 'cpuMs'>>(
    `select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::float8 as rows,
      (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes",
      (select wal_fpi from pg_stat_wal)::float8 as "pageImages"
    from pg_stat_user_tables
    where schemaname = 'bench' or schemaname in ('svc', 'history') and relname like $1`,
    [`${table}%`],
  )
  return rows[0] ?? { rows: 0, walBytes: 0, pageImages: 0 }
}

/** What the sessions are called that only watch what the others do. */
export const WATCHING = 'bench'

const SETTINGS = [
  'server_version',
  'shared_buffers',
  'work_mem',
  'max_wal_size',
  'checkpoint_timeout',
  'wal_level',
  'wal_compression',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
]
