import { sql } from 'kysely'
import { ConfigurationError } from '../core/errors.ts'
import type { Transaction, Warehouse } from './connect.ts'

export interface Roles {
  /** For syncs and reports: reads and writes rows, but creates and drops no tables. */
  writer?: string
  /** For BI tools: reads all of `report` and nothing else. */
  reporter?: string
  /** For receiving notifications: reads and writes only the data that receiving needs. */
  receiver?: string
  /** For erasing persons: of these roles, only this one may delete rows of records and their versions. */
  eraser?: string
}

/**
 * Gives existing roles exactly the rights they need, after revoking all others on our schemas. The caller
 * must own the tables. Returns the names of the roles.
 */
export async function grantRoles(warehouse: Warehouse, roles: Roles): Promise<string[]> {
  const { writer, reporter, receiver, eraser } = roles
  return await warehouse.transaction(async (tx) => {
    const named = [writer, reporter, receiver, eraser].filter((name) => name !== undefined)
    const schemas = await schemasOf(tx)
    for (const name of named) await refuseUnfit(tx, name)
    for (const name of new Set(named)) await revokeAll(tx, name, schemas)
    if (writer !== undefined) await grant(tx, writer, WRITER)
    if (reporter !== undefined) await grant(tx, reporter, REPORTER)
    if (receiver !== undefined) await grant(tx, receiver, RECEIVER)
    if (eraser !== undefined) await grant(tx, eraser, ERASER)
    return named
  })
}

type Right = 'select' | 'insert' | 'update' | 'delete'

interface Rights {
  schemas: readonly string[]
  /** Rights by schema, for all its tables and views, or by `schema.table`, which takes precedence. */
  tables: Readonly<Record<string, readonly Right[]>>
  functions: readonly string[]
}

interface Table {
  schema: string
  name: string
}

async function grant(tx: Transaction, role: string, rights: Rights): Promise<void> {
  const to = sql.id(role)
  for (const schema of await schemasOf(tx, rights.schemas))
    await sql`grant usage on schema ${sql.id(schema)} to ${to}`.execute(tx)
  for (const { schema, name } of await tablesOf(tx)) {
    const given = rights.tables[`${schema}.${name}`] ?? rights.tables[schema] ?? []
    for (const right of given)
      await sql`grant ${RIGHTS[right]} on ${sql.id(schema, name)} to ${to}`.execute(tx)
  }
  for (const name of rights.functions)
    await sql`grant execute on function ${sql.id('callsheet', name)} to ${to}`.execute(tx)
}

/** Returns the existing schemas. The queue's schema exists only after `migrate` or `serve` installed it. */
async function schemasOf(tx: Transaction, among = ALL_SCHEMAS): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select nspname as name from pg_namespace where nspname = any(${among}::text[]) order by 1`.execute(
    tx,
  )
  return rows.map(({ name }) => name)
}

/**
 * Partitions need no rights, because their rows are read through the main table. Only the queue uses its own
 * partitions by name. Views outside `report` are read only through other views, with their owner's rights.
 */
async function tablesOf(tx: Transaction): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select n.nspname as schema, c.relname as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${ALL_SCHEMAS}::text[])
      and (c.relkind in ('r', 'p') or c.relkind = 'v' and n.nspname = 'report')
      and (not c.relispartition or n.nspname = ${QUEUE_SCHEMA})
    order by 1, 2`.execute(tx)
  return rows
}

async function revokeAll(tx: Transaction, role: string, among: readonly string[]): Promise<void> {
  const schemas = sql.join(among.map((name) => sql.id(name)))
  const from = sql.id(role)
  await sql`revoke all on all tables in schema ${schemas} from ${from}`.execute(tx)
  await sql`revoke all on all functions in schema ${schemas} from ${from}`.execute(tx)
  await sql`revoke all on schema ${schemas} from ${from}`.execute(tx)
}

/** Throws if a role is missing, owns the tables or may act as their owner: its rights cannot be limited. */
async function refuseUnfit(tx: Transaction, role: string): Promise<void> {
  const { rows } = await sql<{ super: boolean; owner: boolean }>`
    select r.rolsuper as super, pg_has_role(r.oid, n.nspowner, 'member') as owner
    from pg_roles r, pg_namespace n where r.rolname = ${role} and n.nspname = 'callsheet'`.execute(
    tx,
  )
  const [found] = rows
  if (found !== undefined && !found.super && !found.owner) return
  throw new ConfigurationError('role_unfit', {
    tried: `Granting rights to the database role ${role}`,
    expected: 'a separate role that does not own the tables',
    came:
      found === undefined
        ? 'the role does not exist'
        : found.super
          ? 'the role is a superuser, which has all rights'
          : 'the role owns the tables, or is a member of their owner',
    todo: 'as the administrator of the server, create a role: create role NAME login password ...',
  })
}

/** The tables of the queue that machines share, which `migrate` and `serve` create. */
export const QUEUE_SCHEMA = 'callsheet_queue'
const SCHEMAS = ['callsheet', 'svc', 'history', 'report']
const ALL_SCHEMAS: readonly string[] = [...SCHEMAS, QUEUE_SCHEMA]

/** A closed map, so that no keyword is ever spliced into SQL. */
const RIGHTS = {
  select: sql`select`,
  insert: sql`insert`,
  update: sql`update`,
  delete: sql`delete`,
} as const

/** Rights on tables in which the role may add rows, but change none. */
const ADD: readonly Right[] = ['select', 'insert']
const CHANGE: readonly Right[] = ['select', 'insert', 'update']
/** Tables of log entries and signatures: rows are only added, except that erasures change `manifest`. */
const EVIDENCE = Object.fromEntries(
  'manifest checkpoints tree_tiles marks audit_settings'
    .split(' ')
    .map((name) => [`callsheet.${name}`, ADD]),
)

const FUNCTIONS = [
  'clock',
  'wall',
  'missing_partitions',
  'make_partitions',
  'subject_part',
  'encode_part',
  'no_list',
  'slice_states_of',
  'instant_text',
  'plain_text',
  'same',
  'veiled',
  'shown_as',
  'unveiled',
  'text_of',
]

/** Functions that remove only rows older than a limit in the database: no role needs the right to delete. */
const PRUNE = ['keep_ledger_from', 'drop_old_month', 'remove_old_rows']

const WRITER: Rights = {
  schemas: ALL_SCHEMAS,
  tables: {
    svc: CHANGE,
    history: ADD,
    report: ['select'],
    'callsheet.migrations': ['select'],
    'callsheet.migrations_lock': ['select'],
    'callsheet.slices': ADD,
    'callsheet.quarantine': ADD,
    'callsheet.drift': ADD,
    'callsheet.published_reports': ADD,
    'callsheet.placed_files': ADD,
    ...EVIDENCE,
    'callsheet.incidents': ADD,
    'callsheet.notifications': ADD,
    'callsheet.erasure_requests': ADD,
    'callsheet.suppressions': ['select'],
    'callsheet.suppression_keys': ['select'],
    'callsheet.retention': ['select'],
    'callsheet.written': ['select'],
    'callsheet.deletion_candidates': [...CHANGE, 'delete'],
    'callsheet.machines': [...CHANGE, 'delete'],
    [QUEUE_SCHEMA]: [...CHANGE, 'delete'],
    callsheet: CHANGE,
  },
  functions: [...FUNCTIONS, ...PRUNE, 'row_batch'],
}

const ERASED_FROM = [
  'quarantine',
  'drift',
  'deletion_candidates',
  'slices',
  'slice_states',
  'event_states',
  'files',
  'suppressions',
]

const ERASER: Rights = {
  schemas: SCHEMAS,
  tables: {
    svc: ['select', 'update', 'delete'],
    history: ['select', 'update', 'delete'],
    'callsheet.migrations': ['select'],
    'callsheet.migrations_lock': ['select'],
    ...EVIDENCE,
    // A trigger allows only one change: salts and subjects may become null.
    'callsheet.manifest': CHANGE,
    'callsheet.tokens': [],
    'callsheet.found_readings': [],
    'callsheet.retention': ['select'],
    'callsheet.written': ['select'],
    ...Object.fromEntries(ERASED_FROM.map((name) => [`callsheet.${name}`, [...CHANGE, 'delete']])),
    callsheet: CHANGE,
  },
  functions: [...FUNCTIONS, 'row_batch'],
}

const RECEIVER: Rights = {
  schemas: ['callsheet'],
  tables: {
    'callsheet.migrations': ['select'],
    'callsheet.migrations_lock': ['select'],
    'callsheet.notifications': ADD,
    'callsheet.erasure_requests': ADD,
    'callsheet.event_states': CHANGE,
    // Read so that nothing is stored about erased persons, or for an account that was moved away.
    'callsheet.leases': ['select'],
    'callsheet.suppressions': ['select'],
    'callsheet.suppression_keys': ['select'],
    // Read so that nothing is stored that a column policy keeps out.
    'callsheet.found_readings': ['select'],
  },
  functions: ['clock'],
}

const REPORTER: Rights = {
  schemas: ['report'],
  tables: { report: ['select'] },
  // The views call them, and Postgres checks this right for the role that reads a view.
  functions: ['clock', 'no_list'],
}
