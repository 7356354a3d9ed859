import type { Duplex } from 'node:stream'
import type { Kysely } from 'kysely'
import { Pool, type PoolClient } from 'pg'
import type { DatabaseNotes } from '../core/define/ports.ts'
import { point } from '../core/kill-point.ts'
import { databaseError, spoilsConnection } from './database-errors.ts'
import { type ConnectionTarget, parseDatabaseUrl } from './database-url.ts'
import { commit, kyselyOver, kyselyOverClient, type QueryClient } from './kysely-driver.ts'
import { retryConflicts } from './retry-conflicts.ts'
import type { Database } from './schema/types.ts'
import { checkSettings, sessionSettings, setRest } from './session-settings.ts'
import { typeParsers } from './type-parsers.ts'

export interface ConnectOptions {
  /** `postgresql://user:password@host:port/database?sslmode=verify-full` */
  url: string
  /** Replaces the user and the password of `url`. */
  login?: { user: string; password: string }
  /** The maximum number of connections, besides the one that renews leases. */
  poolSize?: number
  /** Freezes `callsheet.clock()` for these connections, at these epoch milliseconds. */
  frozenNow?: number
  applicationName?: string
  statementTimeoutMs?: number
  lockTimeoutMs?: number
  /** Allows a remote host without a verified certificate. */
  allowUnverified?: boolean
  /** Replaces the network in tests: returns the stream that a connection uses. */
  openSocket?: () => Duplex
  /** This machine's notes about the database. Without them a restored database is not detected. */
  notes?: DatabaseNotes
  /** Returns the name of another database that has the account; undefined if none has. */
  elsewhere?: (account: string) => Promise<string | undefined>
  /** Called when an idle connection is lost; the pool replaces it. */
  onWarning?: (message: string) => void
}

export interface TransactionOptions {
  /** One snapshot of the data, read only: for reports. */
  snapshot?: boolean
  /** With `snapshot`: allows temporary rows (`keep-rows.ts`). */
  keeps?: boolean
  /** Reads one snapshot, but may write. */
  steady?: boolean
  /**
   * The time limit of a statement on the server, including waits for locks. If the server does not answer,
   * the client stops waiting after twice that time. The default is the connection's own limits.
   */
  patienceMs?: number
  /**
   * Does not repeat the work after a deadlock or a serialization failure: the caller repeats it, or the work
   * passes rows on and cannot be repeated.
   */
  once?: boolean
  /** Rolls back at the end, so that only the work itself sees its changes. */
  undo?: boolean
}

export type DatabaseClient = PoolClient
export type Transaction = Kysely<Database>

export interface Warehouse {
  db: Kysely<Database>
  /** Uses a separate connection, for statements that must not wait for a connection of the pool. */
  apart: Kysely<Database>
  pool: Pool
  /** Stored outside the database; undefined if a restored database need not be detected. */
  notes: DatabaseNotes | undefined
  elsewhere: ConnectOptions['elsewhere']
  /**
   * Runs `work` in one transaction on one client, which COPY and Kysely share, and commits it. `work` must
   * make no HTTP calls. Repeats it after a deadlock or a serialization failure, unless `once` is set.
   */
  transaction<T>(
    work: (tx: Transaction, client: DatabaseClient) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>
  withClient<T>(work: (client: DatabaseClient, db: Kysely<Database>) => Promise<T>): Promise<T>
  /** Connects again to the same database with this statement timeout; the result has its own `close`. */
  withPatience(statementTimeoutMs: number): Warehouse
  /** Throws if the database cannot be used, or if a pooler in front of it drops our settings. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Opens no connection; the first use or `ping` does. */
export function connect(options: ConnectOptions): Warehouse {
  const target = { ...parseDatabaseUrl(options.url, options.allowUnverified), ...options.login }
  const pool = createPool(target, options)
  const single = createPool(target, { ...options, poolSize: 1 })
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  // The server's own timeout fires first; ours is for a server that no longer answers.
  const queryTimeoutMs = statementTimeoutMs + 5_000
  const checkOut = (from = pool): Promise<DatabaseClient> =>
    from.connect().catch((error: unknown) => {
      throw databaseError(error, `Connecting to the database at ${place(target)}`)
    })
  const statements = (from: Pool): Kysely<Database> =>
    kyselyOver<Database>({
      acquire: () => checkOut(from),
      release: (client, spoilt) => (client as DatabaseClient).release(spoilt),
      transactions: true,
      queryTimeoutMs,
    })
  const withClient: Warehouse['withClient'] = async (work) => {
    const client = await checkOut()
    let spoilt = false
    try {
      return await work(client, kyselyOverClient(client, { transactions: true }))
    } catch (error) {
      spoilt = spoilsConnection(error)
      throw databaseError(error, 'Using the database')
    } finally {
      client.release(spoilt)
    }
  }
  return {
    pool,
    notes: options.notes,
    elsewhere: options.elsewhere,
    withClient,
    db: statements(pool),
    apart: statements(single),
    transaction(work, { once = false, ...kind } = {}) {
      const run = () =>
        withClient((client) => runTransaction({ client, work, kind, queryTimeoutMs }))
      return once ? run() : retryConflicts(run)
    },
    withPatience: (timeoutMs) => connect({ ...options, statementTimeoutMs: timeoutMs }),
    ping: () => withClient((_client, db) => checkSettings(db, place(target))),
    close: async () => void (await Promise.all([pool.end(), single.end()])),
  }
}

interface TransactionRun<T> {
  client: DatabaseClient
  work: (tx: Transaction, client: DatabaseClient) => Promise<T>
  kind: Omit<TransactionOptions, 'once'>
  queryTimeoutMs: number
}

async function runTransaction<T>({ client, work, kind, ...limits }: TransactionRun<T>) {
  const { patienceMs, undo = false } = kind
  const queryTimeoutMs = patienceMs === undefined ? limits.queryTimeoutMs : 2 * patienceMs
  const say = (text: string): Promise<unknown> =>
    (client as QueryClient).query({ text, values: [], query_timeout: queryTimeoutMs })
  await point('begin:before')
  await say(beginOf(kind))
  try {
    await point('begin:after')
    const result = await work(kyselyOverClient<Database>(client, { queryTimeoutMs }), client)
    if (undo) {
      await say('rollback')
      return result
    }
    await point('commit:before')
    await commit(client, queryTimeoutMs)
    await point('commit:after')
    return result
  } catch (error) {
    // After a lost connection the server rolls back by itself. The caller gets the first error.
    if (!spoilsConnection(error)) await say('rollback').catch(() => client.end())
    throw error
  }
}

function createPool(target: ConnectionTarget, options: ConnectOptions): Pool {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, lockTimeoutMs = LOCK_TIMEOUT_MS } = options
  const pool = new Pool({
    ...target,
    max: options.poolSize ?? 4,
    application_name: options.applicationName ?? 'callsheet',
    options: sessionSettings(options.frozenNow),
    ...HOOKS,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    connectionTimeoutMillis: 30_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: typeParsers,
    allowExitOnIdle: false,
    ...(options.openSocket === undefined ? {} : { stream: options.openSocket }),
  })
  const warn = (error: Error): void =>
    options.onWarning?.(`a database connection was lost: ${error.message}`)
  pool.on('error', warn)
  // The pool listens to idle clients only; an error event without a listener ends the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function place({ host, port, database }: ConnectionTarget): string {
  return host.startsWith('/') ? `${host} (${database})` : `${host}:${port}/${database}`
}

function beginOf({ patienceMs, ...kind }: Omit<TransactionOptions, 'once'>): string {
  const { snapshot = false, keeps = false, steady = false } = kind
  if (patienceMs !== undefined)
    return `${beginOf(kind)}; set local statement_timeout = ${Math.ceil(patienceMs)}`
  if (steady) return 'begin isolation level repeatable read'
  if (!snapshot) return 'begin'
  return `begin isolation level repeatable read${keeps ? '' : ' read only'}`
}

/** `pg` awaits the hook's promise, although its types do not say so. */
const HOOKS: object = { onConnect: setRest }
const STATEMENT_TIMEOUT_MS = 120_000
const LOCK_TIMEOUT_MS = 15_000
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000
