import { LoadError } from '../../core/errors.ts'
import { type Clock, systemClock } from '../../core/time/clock.ts'
import { connect } from '../connect.ts'
import { findBinaries } from './embedded-binaries.ts'
import { openHome } from './embedded-home.ts'
import { enterUse, leaveUse, withDirectoryLock } from './embedded-lock.ts'
import { halt, initialise, launch, readPid, type Server, SUPERUSER } from './embedded-server.ts'
import { serverUser } from './embedded-user.ts'

export interface EmbeddedOptions {
  directory: string
  durable?: boolean
  clock?: Clock
}

export interface Embedded {
  url: string
  /** Stops the server unless another process uses it; then the last one stops it. */
  stop(): Promise<void>
}

/**
 * Starts the Postgres of a directory, and creates it first if needed. Uses a server that already runs there,
 * even if the process that started it was killed.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { directory, durable = true, clock = systemClock } = options
  const user = serverUser()
  const home = openHome(directory, user)
  const server: Server = { home, binaries: findBinaries(user), user, durable }
  const id = uses.next().value as number
  const url = await withDirectoryLock(home.directory, clock, async () => {
    await initialise(server)
    const port = (await takeOver(server, clock)) ?? (await launch(server))
    await createDatabase(urlOf(server, port, 'postgres'))
    enterUse(home.directory, id)
    return urlOf(server, port, DATABASE)
  })
  let stopped = false
  return {
    url,
    async stop() {
      if (stopped) return
      stopped = true
      await withDirectoryLock(home.directory, clock, async () => {
        if (leaveUse(home.directory, id)) await halt(server, clock)
      })
    },
  }
}

/** Returns the port of the server that runs here, once it accepts connections; undefined if none runs. */
async function takeOver(server: Server, clock: Clock): Promise<number | undefined> {
  const until = clock.elapsed() + TAKE_OVER_MS
  for (;;) {
    const noted = readPid(server.home)
    if (noted === undefined) return undefined
    const state = await probe(urlOf(server, noted.port, 'postgres'), server.home.data)
    if (state === 'ours') return noted.port
    // Only a starting or recovering server is waited for; otherwise the pid file is a leftover.
    if (state === 'none' || clock.elapsed() > until) return undefined
    await clock.sleep(100)
  }
}

async function probe(url: string, data: string): Promise<'ours' | 'starting' | 'none'> {
  const warehouse = connect({ url, poolSize: 1 })
  try {
    const shown = await warehouse.withClient((client) => client.query('show data_directory'))
    return shown.rows[0]?.data_directory === data ? 'ours' : 'none'
  } catch (error) {
    return error instanceof LoadError && error.code === 'database_starting' ? 'starting' : 'none'
  } finally {
    await warehouse.close()
  }
}

async function createDatabase(url: string): Promise<void> {
  const warehouse = connect({ url, poolSize: 1 })
  try {
    await warehouse.withClient(async (client) => {
      const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
      if (found.rowCount === 0) await client.query(`create database ${DATABASE}`)
    })
  } finally {
    await warehouse.close()
  }
}

function urlOf({ home }: Server, port: number, database: string): string {
  return `postgresql://${SUPERUSER}:${home.password}@127.0.0.1:${port}/${database}`
}

function* counter(): Generator<number> {
  for (let id = 1; ; id++) yield id
}

/** Distinguishes several uses in one process. */
const uses = counter()
const DATABASE = 'callsheet'
const TAKE_OVER_MS = 60_000
