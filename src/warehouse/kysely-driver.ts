import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { LoadError } from '../core/errors.ts'
import { databaseError, isConnectionLost, spoilsConnection } from './database-errors.ts'
import { retryConflicts } from './retry-conflicts.ts'

/** The part of a pg client that Kysely needs. */
export interface QueryClient {
  query(config: { text: string; values: unknown[]; query_timeout?: number }): Promise<{
    command: string
    rowCount: number | null
    rows: unknown[]
  }>
}

/** Where a Kysely gets its connections. */
interface ClientSource {
  acquire(): Promise<QueryClient>
  release(client: QueryClient, spoilt: boolean): void
  /** True if Kysely may begin transactions itself. */
  transactions: boolean
  queryTimeoutMs?: number
}

/** Creates a Kysely over clients that the source owns; Kysely never ends them. */
export function kyselyOver<DB>(source: ClientSource): Kysely<DB> {
  const dialect: Dialect = {
    createDriver: () => new SourceDriver(source),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
  return new Kysely<DB>({ dialect })
}

/**
 * Creates a Kysely over one client, so that its statements and COPY share a transaction. Queries run one
 * after the other.
 */
export function kyselyOverClient<DB>(
  client: QueryClient,
  options: { transactions?: boolean; queryTimeoutMs?: number } = {},
): Kysely<DB> {
  let last = Promise.resolve()
  const ends: (() => void)[] = []
  return kyselyOver<DB>({
    ...options,
    transactions: options.transactions ?? false,
    async acquire() {
      const before = last
      last = new Promise((resolve) => ends.push(resolve))
      await before
      return client
    },
    release: () => ends.shift()?.(),
  })
}

class SourceDriver implements Driver {
  readonly #source: ClientSource
  constructor(source: ClientSource) {
    this.#source = source
  }
  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
  async acquireConnection(): Promise<ClientConnection> {
    return new ClientConnection(await this.#source.acquire(), this.#source)
  }
  async releaseConnection(connection: ClientConnection): Promise<void> {
    this.#source.release(connection.client, connection.spoilt)
  }
  async beginTransaction(connection: ClientConnection, settings: TransactionSettings) {
    // A second BEGIN would only warn, and its COMMIT would end the outer transaction.
    if (!this.#source.transactions) throw new Error('this Kysely is inside a transaction already')
    connection.autocommits = false
    const isolation = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : ''
    await connection.run(`begin${isolation} ${settings.accessMode ?? ''}`)
  }
  async commitTransaction(connection: ClientConnection): Promise<void> {
    await commit(connection.client, connection.queryTimeoutMs)
    connection.autocommits = this.#source.transactions
  }
  async rollbackTransaction(connection: ClientConnection): Promise<void> {
    await connection.run('rollback')
    connection.autocommits = this.#source.transactions
  }
}

/**
 * Commits, and checks the command tag: an aborted transaction answers ROLLBACK without an error. If the
 * connection is lost, or the server does not answer in time, the outcome is unknown and the error's code is
 * `commit_unknown`: the caller must check the ledger.
 */
export async function commit(
  client: QueryClient,
  queryTimeoutMs: number | undefined,
): Promise<void> {
  const tried = 'Committing a transaction'
  const asking = client.query({ text: 'commit', values: [], ...timeoutOf(queryTimeoutMs) })
  const { command } = await asking.catch((error: unknown) => {
    if (!isConnectionLost(error)) throw databaseError(error, tried)
    throw new LoadError('commit_unknown', {
      tried,
      came: 'the connection was lost before the answer, so the transaction may or may not be committed',
      todo: 'run the command again; the new run finds out what was committed',
    })
  })
  if (command === 'COMMIT') return
  throw new LoadError('commit_rolled_back', {
    tried,
    came: `the server answered ${command}, because an earlier statement had failed`,
    todo: 'run the command again; nothing of this transaction was stored',
  })
}

class ClientConnection implements DatabaseConnection {
  readonly client: QueryClient
  readonly queryTimeoutMs: number | undefined
  spoilt = false
  /** True if each statement is its own transaction, so that it may be repeated. */
  autocommits: boolean
  constructor(client: QueryClient, source: Pick<ClientSource, 'transactions' | 'queryTimeoutMs'>) {
    this.client = client
    this.queryTimeoutMs = source.queryTimeoutMs
    this.autocommits = source.transactions
  }
  async run(sql: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(sql))
  }
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.autocommits
      ? await retryConflicts(() => this.#ask<R>(query))
      : await this.#ask<R>(query)
  }
  async #ask<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const config = { text: sql, values: [...parameters], ...timeoutOf(this.queryTimeoutMs) }
      const { command, rowCount, rows } = await this.client.query(config)
      const affected = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(command)
      return {
        // Kysely knows the type of the rows; this connection's type parsers produce it.
        rows: rows as R[],
        ...(affected ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}),
      }
    } catch (error) {
      this.spoilt ||= spoilsConnection(error)
      throw databaseError(error, subjectOf(sql))
    }
  }
  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are not streamed through Kysely: use a cursor or COPY on the client')
  }
}

/** Names a statement's table for readers of the error who do not know SQL. */
function subjectOf(sql: string): string {
  const [, schema, table] = /\b"?(svc|history|callsheet)"?\."?(\w+)"?(?!\w*\()/.exec(sql) ?? []
  return schema === undefined ? 'Querying the database' : `Querying the table ${schema}.${table}`
}

function timeoutOf(queryTimeoutMs: number | undefined): { query_timeout?: number } {
  return queryTimeoutMs === undefined ? {} : { query_timeout: queryTimeoutMs }
}
