import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { jobs } from '../../src/account/catalog.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { ensureMonthPartitions } from '../../src/warehouse/partitions.ts'
import { typeParsers } from '../../src/warehouse/type-parsers.ts'
import { onDatabase } from '../helpers/database-url.ts'
import { makeTemplate } from '../helpers/make-template.ts'
import { startThrowawayServer, type ThrowawayServer } from '../helpers/throwaway-server.ts'
import type { Server, Waiting } from './database-request.ts'
import { type Backend, openBackend } from './postgres-wire.ts'
import { START } from './seed-data.ts'

/** A server for simulations: nothing durable, no password on the loopback, nothing that works by itself. */
export async function startPostgres(): Promise<ThrowawayServer> {
  const server = await startThrowawayServer()
  const admin = connect({ url: server.url, poolSize: 1 })
  await admin.withClient(async (client) => {
    const shown = await client.query<{ hba_file: string }>('show hba_file')
    const file = shown.rows[0]?.hba_file ?? ''
    const rules = readFileSync(file, 'utf8')
    writeFileSync(file, `host all all 127.0.0.1/32 trust\n${rules}`)
    await client.query('alter system set autovacuum = off')
    await client.query('select pg_reload_conf()')
  })
  await admin.close()
  await makeTemplate(server.url, TEMPLATE)
  await prepareTemplate(onDatabase(server.url, TEMPLATE))
  return server
}

/** To the product's tables, the world's time instead of the machine's and a log of every row touched. */
async function prepareTemplate(url: string): Promise<void> {
  const warehouse = connect({ url, poolSize: 1 })
  await warehouse.withClient(async (client) => {
    for (const statement of SETUP) await client.query(statement)
    for (const stream of jobs.flatMap((job) => job.streams)) {
      const key = stream.key.map((name) => `n.${name}::text`).join(', ')
      await client.query(`create function sim.touched_${stream.name}() returns trigger
        language plpgsql as $$ begin
          insert into sim.touched (stream, account, key, fenced)
          select '${stream.name}', n.account, array[${key}], false from new_rows n;
          return null;
        end $$`)
      for (const event of ['insert', 'update'])
        await client.query(`create trigger touched_${event} after ${event} on svc.${stream.name}
          referencing new table as new_rows
          for each statement execute function sim.touched_${stream.name}()`)
    }
  })
  await warehouse.withClient(async (client) => {
    await client.query(`create function sim.entered() returns trigger language plpgsql as $$ begin
      insert into sim.touched (stream, account, key, fenced)
      select 'ledger', n.account, array[n.slice], sim.fenced(n.account, n.run_id) from new_rows n;
      return null;
    end $$`)
    await client.query(`create trigger entered after insert on callsheet.slices
      referencing new table as new_rows for each statement execute function sim.entered()`)
    // Each transaction that writes rows records its batch.
    await client.query(`create function sim.recorded() returns trigger language plpgsql as $$ begin
      insert into sim.touched (stream, account, key, fenced)
      select 'batches', n.account, array[n.stream], sim.fenced(n.account, n.run_id) from new_rows n;
      return null;
    end $$`)
    await client.query(`create trigger recorded after insert on callsheet.batches
      referencing new table as new_rows for each statement execute function sim.recorded()`)
  })
  // Made here, so that a seed meets the same tables whether it is the first in a database or not.
  const directory = await warehouse.withClient((client) => dataDirectory(client))
  writeFileSync(join(directory, clockFile(TEMPLATE)), String(Date.parse(START)))
  await ensureMonthPartitions(warehouse)
  await warehouse.withClient((client) => client.query(KNOWN))
  await warehouse.close()
}

/** A database of the server that simulated processes work on, and the connections to it. */
export class SimulationDatabase implements Server {
  readonly monitor: Client
  readonly #place: { host: string; port: number }
  readonly #name: string
  readonly #serverUrl: string
  readonly #idle: Backend[] = []
  readonly #clock: number
  #clockMs = 0

  private constructor(serverUrl: string, name: string, directory: string) {
    const { hostname: host, port } = new URL(serverUrl)
    this.#serverUrl = serverUrl
    this.#name = name
    this.#clock = openSync(join(directory, clockFile(name)), 'w')
    this.#place = { host, port: Number(port) }
    this.monitor = new Client({ connectionString: this.url, types: typeParsers })
  }

  get url(): string {
    return onDatabase(this.#serverUrl, this.#name)
  }

  static async create(serverUrl: string, name: string): Promise<SimulationDatabase> {
    const admin = new Client({ connectionString: serverUrl })
    await admin.connect()
    await admin.query(`create database ${name} template ${TEMPLATE} strategy file_copy`)
    const directory = await dataDirectory(admin)
    await admin.end()
    const database = new SimulationDatabase(serverUrl, name, directory)
    await database.monitor.connect()
    await database.monitor.query(`set timezone to 'UTC'`)
    return database
  }

  async drop(): Promise<void> {
    for (const backend of this.#idle) backend.destroy()
    await this.monitor.end()
    const admin = new Client({ connectionString: this.#serverUrl })
    await admin.connect()
    await admin.query(`drop database ${this.#name} with (force)`)
    await admin.end()
    closeSync(this.#clock)
  }

  async take(startup: Buffer): Promise<Backend> {
    return this.#idle.pop() ?? (await openBackend(this.#place, startup))
  }

  async giveBack(backend: Backend): Promise<void> {
    if (backend.lost) return
    await backend.reset()
    this.#idle.push(backend)
  }

  async terminate(backend: Backend): Promise<void> {
    await this.monitor.query('select pg_terminate_backend($1)', [backend.pid])
    // The server closes it when all that it held is given back.
    await backend.closed
  }

  async cancel(backend: Backend): Promise<void> {
    await this.monitor.query('select pg_cancel_backend($1)', [backend.pid])
  }

  moveClock(nowMs: number): void {
    const ms = Math.floor(nowMs)
    if (ms === this.#clockMs) return
    this.#clockMs = ms
    writeSync(this.#clock, String(ms), 0)
  }

  async waitsForLock({ backend, isDone, answer }: Pick<Waiting, 'backend' | 'isDone' | 'answer'>) {
    for (;;) {
      await Promise.race([answer, pause()])
      if (isDone()) return false
      const { rows } = await this.monitor.query<{ waits: boolean }>(
        'select cardinality(pg_blocking_pids($1)) > 0 as waits',
        [backend.pid],
      )
      if (rows[0]?.waits === true && !isDone()) return true
    }
  }
}

const realTimeout = setTimeout
const pause = (): Promise<void> => new Promise((resolve) => realTimeout(resolve, 4))

/** In the server's directory: a statement that asks for the time reads it there. */
function clockFile(database: string): string {
  return `sim-clock.${database}`
}

async function dataDirectory(client: Pick<Client, 'query'>): Promise<string> {
  const { rows } = await client.query<{ data_directory: string }>('show data_directory')
  return rows[0]?.data_directory ?? ''
}

const TEMPLATE = 'callsheet_sim'
/** A table is analyzed once it has grown, which seeds before may have done: none of these is ever new. */
const KNOWN = `update pg_class set reltuples = 1 where relkind = 'r' and relnamespace in
  (select oid from pg_namespace where nspname in ('svc', 'history', 'callsheet'))`
const SETUP = [
  'create schema sim',
  ...['clock', 'wall'].map(
    (
      name,
    ) => `create or replace function callsheet.${name}() returns timestamptz language sql volatile as
      $$ select to_timestamp(pg_read_file('${clockFile('')}' || current_database())::numeric / 1000) $$`,
  ),
  `create unlogged table sim.touched (
     n bigint generated always as identity, stream text, account text, key text[], fenced boolean)`,
  // Written by a run whose lease has since gone to another: what must never be committed.
  `create function sim.fenced(of_account text, of_run bigint) returns boolean language sql stable as
   $$ select l.epoch <> r.epoch from callsheet.leases l, callsheet.runs r
      where l.account = of_account and r.id = of_run $$`,
]
