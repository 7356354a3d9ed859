import { CallsheetError, LoadError } from '../core/errors.ts'

/**
 * Wraps a database failure in a LoadError with one of our codes, or `sql_` and the SQLSTATE. The driver's
 * error is not attached as its cause: its detail and context lines quote rows, which are personal data.
 */
export function databaseError(error: unknown, tried: string): Error {
  if (error instanceof CallsheetError) return error
  if (!isDatabaseError(error)) return error instanceof Error ? error : new Error(String(error))
  const state = error.code ?? ''
  const known = knownFault(error, state)
  return new LoadError(known?.code ?? (state === '' ? 'database' : `sql_${state}`), {
    tried,
    came: describe(error),
    ...(known?.todo === undefined ? {} : { todo: known.todo }),
  })
}

function knownFault(error: PgError, state: string): Known | undefined {
  if (isTlsFault(error)) return UNVERIFIED
  if (NO_FREE_CONNECTION.test(error.message)) return EXHAUSTED
  if (error.message.startsWith('unsupported startup parameter')) return POOLER
  return KNOWN[state] ?? (isConnectionLost(error) ? LOST : undefined)
}

/** Returns true if the connection was lost or timed out, so that the last statement's outcome is unknown. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as PgError
  if (/^(08|57P0)/.test(code) || NETWORK_CODES.has(code)) return true
  return /^(Connection terminated|Client has encountered a connection error|Query read timeout)/.test(
    error.message,
  )
}

/** Returns true if the database is unreachable, starting or out of connections, so that waiting may help. */
export function isDatabaseAway(error: unknown): error is LoadError {
  return error instanceof LoadError && AWAY.has(error.code)
}

/** Returns true if the connection must not return to the pool: it is lost, or its server refuses writes. */
export function spoilsConnection(error: unknown): boolean {
  return (
    isConnectionLost(error) ||
    (error as PgError | undefined)?.code === '25006' ||
    (error instanceof LoadError && SPOILING.has(error.code))
  )
}

interface PgError extends Error {
  code?: string
  severity?: string
  schema?: string
  table?: string
  column?: string
  constraint?: string
}

function isDatabaseError(error: unknown): error is PgError {
  if (!(error instanceof Error)) return false
  const { code = '', severity } = error as PgError
  return (
    severity !== undefined ||
    /^E[A-Z_]+$/.test(code) ||
    isConnectionLost(error) ||
    isTlsFault(error) ||
    fromDriver(error)
  )
}

/** Recognizes a failed TLS handshake. It comes before the login, so no password was sent. */
function isTlsFault({ code = '', message }: PgError): boolean {
  return TLS_CODE.test(code) || message.startsWith('The server does not support SSL')
}

/** Recognizes errors that the driver throws without a code: no free connection in time, or a failed login. */
function fromDriver({ message }: Error): boolean {
  return NO_FREE_CONNECTION.test(message) || message.startsWith('SASL')
}

/** Messages of classes 22 and 23 may quote the offending value, so only its place is shown. */
function describe(error: PgError): string {
  const { code = '', schema, table, column, constraint } = error
  if (!/^2[23]/.test(code))
    return error.message.includes(code) ? error.message : `${error.message} (${code})`
  const place = [schema, table, column].filter((part) => part !== undefined).join('.')
  const where = place === '' ? '' : ` in ${place}`
  return `the data was refused${where}${constraint === undefined ? '' : ` by ${constraint}`} (${code})`
}

const AWAY = new Set([
  'connection_lost',
  'database_starting',
  'database_unreachable',
  'too_many_connections',
])
const UNREACHABLE = {
  code: 'database_unreachable',
  todo: 'check that Postgres is running, and the host and port in database.url',
}
const REFUSED = {
  code: 'database_login_refused',
  todo: 'check the user and password in database.url',
}
const UNVERIFIED = {
  code: 'database_tls',
  todo:
    "check the server's certificate: it must be valid, match the host name and come from a known authority " +
    '(for a private one, add sslrootcert=FILE to database.url); no password was sent',
}
/** The message of `pg`'s pool if all its connections were in use for the whole timeout. */
const NO_FREE_CONNECTION = /^timeout exceeded when trying to connect/
const EXHAUSTED = {
  code: 'pool_exhausted',
  todo: 'raise database.pool, or find the program that holds locks on the tables (pg_locks)',
}
export const POOLER_ADVICE =
  'point database.url at Postgres itself, not at a pooler such as PgBouncer; Callsheet has its own pool'
/** PgBouncer accepts only a few startup parameters. */
const POOLER = { code: 'database_pooler', todo: POOLER_ADVICE }
const LOST = {
  code: 'connection_lost',
  todo: 'run the command again; the new run resumes after the last committed work',
}

const AGAIN =
  'run the command again; another transaction conflicted with this one, of which nothing was stored'

interface Known {
  code: string
  todo?: string
}

const KNOWN: Readonly<Record<string, Known>> = {
  ECONNREFUSED: UNREACHABLE,
  ENOTFOUND: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ENOENT: UNREACHABLE,
  '28P01': REFUSED,
  '28000': {
    code: REFUSED.code,
    todo: "check the user in database.url, and that the server's pg_hba.conf admits it from this machine",
  },
  '3D000': {
    code: 'database_missing',
    todo: 'create the database, or correct its name in database.url',
  },
  '25006': {
    code: 'database_read_only',
    todo:
      'point database.url at the primary server, or turn off default_transaction_read_only for this role ' +
      'or database',
  },
  '53300': {
    code: 'too_many_connections',
    todo: 'lower database.pool, or raise max_connections of the server',
  },
  '53100': { code: 'disk_full', todo: 'free up space on the database server' },
  '42501': {
    code: 'database_permission',
    todo:
      'as the owner of the tables, grant this role what it needs: callsheet migrate with --writer, ' +
      '--reporter, --receiver or --eraser',
  },
  '57P03': { code: 'database_starting', todo: 'wait until the database has started' },
  '57014': { code: 'statement_timeout' },
  '55P03': {
    code: 'lock_timeout',
    todo: 'find the program that holds the lock (pg_locks), then run the command again',
  },
  '25P03': LOST,
  '40001': { code: 'serialization_failure', todo: AGAIN },
  '40P01': { code: 'deadlock', todo: AGAIN },
}

/** Codes of OpenSSL and of Node for faults of a certificate or a handshake. */
const TLS_CODE =
  /^(CERT_|ERR_(TLS|SSL)_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO|INVALID_(CA|PURPOSE)|PATH_LEN|HOSTNAME_)/
const NETWORK_CODES = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED'])
const SPOILING = new Set(['connection_lost', 'database_read_only', 'commit_unknown'])
