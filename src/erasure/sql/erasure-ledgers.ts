import { type RawBuilder, sql } from 'kysely'
import { subjectOfBatch } from '../../evidence/sql/slice-lines.ts'
import { forgetStates, remakeStates, type SliceName } from '../../sync/ledger/slice-states.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { placesOf } from './erasure-rows.ts'
import {
  type MentioningRow,
  mentioningRows,
  type RowSearch,
  type TableName,
} from './mentioning-rows.ts'

/**
 * How an erasure treats each table of the schema `callsheet`. `none`: it changes nothing, because the table
 * contains no data of the service's users. The scan at the end searches the table all the same. A test fails
 * if a table is missing here.
 */
export const LEDGERS: Readonly<Record<string, Treatment>> = {
  // These contain texts by people or data of the service: rows that name the person are deleted or emptied.
  quarantine: { deleted: 'payload' },
  drift: { deleted: 'example' },
  deletion_candidates: { deleted: 'key' },
  // The slice name of a person's list contains the person's ID.
  slices: { apart: 'those that name them go, with the states that are made of them' },
  slice_states: { apart: 'made anew of the slices that stay' },
  calls: { emptied: { arguments: 'null', body: 'null', reason: null } },
  notifications: {
    emptied: {
      payload: null,
      body: '',
      subjects: '{}',
      findings: '{}',
      state: 'erased',
      event_ts: null,
    },
  },
  event_states: { apart: 'goes with the notification that says it, or by its key' },
  erasure_requests: { apart: 'emptied when the erasure is done' },
  files: { apart: 'goes with the record that the file is of' },
  manifest: { apart: 'salt and subject of an entry go with the record or the file' },
  published_reports: { apart: 'the files are withdrawn, and made anew' },
  placed_files: { none: 'digests, and paths of our own choice' },
  tokens: { none: 'encrypted; callsheet logout forgets what a person allowed' },
  incidents: { none: 'IDs of sessions, activities and recordings, and numbers of runs' },
  checkpoints: { none: 'counts, digests and times' },
  marks: { none: 'digests, time stamps, names of witnesses and signatures' },
  audit_settings: {
    none: 'settings, which name boards and labels, and who of our own people ran it',
  },
  holds: { none: 'reasons that our own people wrote' },
  runs: { none: 'counts and messages, which quote nobody' },
  batches: { none: 'counts' },
  deletion_guards: { none: 'counts' },
  leases: { none: 'processes, marks and times' },
  tree_tiles: { none: 'digests' },
  written: { none: 'salted digests; the salts go with the rows' },
  machines: { none: 'names of machines, and digests' },
  quota: { none: 'counts' },
  labels: { none: 'limits' },
  task_runs: { none: 'names, digests and paths of our own choice' },
  found_readings: { none: 'what the service does, in our words' },
  alerts: { none: 'causes in our words, which name no person' },
  retention: { none: 'names of ledgers, and times' },
  migrations: { none: 'names of migrations' },
  migrations_lock: { none: 'a flag' },
  suppressions: { none: 'digests under a key' },
  suppression_keys: { none: 'the key' },
}

type Treatment =
  | { deleted: string }
  /** Columns and their new values, as text. The row stays, because its existence is a fact. */
  | { emptied: Readonly<Record<string, string | null>> }
  | { apart: string }
  | { none: string }

export interface LedgerErasure {
  search: RowSearch
  /** Called with the statement subjects of the batches that lost slices. */
  onSlices?: ((subjects: readonly string[]) => Promise<void>) | undefined
  /** Called with the earliest time at which a slice that names the person was read. */
  onRead?: ((sinceMs: number) => Promise<void>) | undefined
}

/** Erases the person from the ledgers. Returns the number of affected rows by table. */
export async function eraseLedgers(
  tx: Transaction,
  { search, onSlices, onRead }: LedgerErasure,
): Promise<Record<string, number>> {
  const { account } = search
  const counts: Record<string, number> = {}
  const naming = (name: string) => namingRows(tx, ['callsheet', name], search)
  const notifications = await naming('notifications')
  const ids = notifications.rows.map(({ row }) => String(row.id))
  const states = await naming('event_states')
  counts.event_states = await eraseFrom(tx, 'event_states', {
    account,
    matches: sql`(${states.matches} or t.notification_id = any(${ids}::bigint[]))`,
    treatment: { deleted: 'key' },
  })
  const inLedger = await naming('slices')
  const inStates = await naming('slice_states')
  const read = inLedger.rows.map(({ row }) => Date.parse(String(row.finished_at)))
  if (read.length > 0) await onRead?.(read.reduce((a, b) => Math.min(a, b)))
  Object.assign(counts, await eraseSlices(tx, { search, onSlices, inLedger, inStates }))
  for (const [name, treatment] of Object.entries(LEDGERS)) {
    if ('apart' in treatment || 'none' in treatment) continue
    const { matches } = name === 'notifications' ? notifications : await naming(name)
    counts[name] = await eraseFrom(tx, name, { account, matches, treatment })
  }
  return counts
}

interface NamingRows {
  rows: MentioningRow[]
  /** Whether `t` is one of the rows. */
  matches: RawBuilder<boolean>
}

/** Finds and locks the rows of a ledger that name the person. */
async function namingRows(
  tx: Transaction,
  table: TableName,
  search: RowSearch,
): Promise<NamingRows> {
  const rows: MentioningRow[] = []
  for await (const row of mentioningRows(tx, table, { ...search, lock: true }))
    if (row.named) rows.push(row)
  return { rows, matches: sql`(t.tableoid, t.ctid) in ${placesOf(rows)}` }
}

/** Deletes the rows of slices that name the person, and computes the states again from the other rows. */
async function eraseSlices(
  tx: Transaction,
  {
    search: { account },
    onSlices,
    inLedger,
    inStates,
  }: LedgerErasure & { inLedger: NamingRows; inStates: NamingRows },
): Promise<Record<'slices' | 'slice_states', number>> {
  const gone = await tx
    .deleteFrom('callsheet.slices as t')
    .where('t.account', '=', account)
    .where(inLedger.matches)
    .returning(['t.stream', 't.slice', subjectOfBatch('t').as('subject')])
    .execute()
  const named = inStates.rows.map(({ row }) => row as unknown as SliceName)
  const names = [...gone, ...named.map(({ stream, slice }) => ({ stream, slice }))]
  await forgetStates(tx, account, names)
  await remakeStates(tx, account, names)
  if (gone.length > 0) await onSlices?.([...new Set(gone.map(({ subject }) => subject))])
  return { slice_states: inStates.rows.length, slices: gone.length }
}

interface ErasingLedger {
  account: string
  matches: RawBuilder<boolean>
  treatment: Exclude<Treatment, { apart: string } | { none: string }>
}

async function eraseFrom(tx: Transaction, name: string, erasing: ErasingLedger): Promise<number> {
  const { account, matches, treatment } = erasing
  const table: RawBuilder<Record<string, unknown>> = sql.id('callsheet', name)
  if ('deleted' in treatment) {
    const { numDeletedRows } = await tx
      .deleteFrom(table.as('t'))
      .where('t.account', '=', account)
      .where(matches)
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  }
  const { numUpdatedRows } = await tx
    .updateTable(table.as('t'))
    .set(treatment.emptied)
    .where('t.account', '=', account)
    .where(matches)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Counts of rows that still mention the person: `named` by table, `uncertain` and `another` by column. */
export interface RemainingMentions {
  named: Record<string, number>
  uncertain: Record<string, number>
  another: Record<string, number>
}

/** Searches all readable tables with an account column, except the erasure requests. */
export async function scanTables(tx: Transaction, search: RowSearch): Promise<RemainingMentions> {
  // Raw SQL, because it reads Postgres' own catalog.
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select n.nspname as schema, c.relname as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'account' and not a.attisdropped
    where n.nspname in ('svc', 'history', 'callsheet') and c.relkind in ('r', 'p')
      and not c.relispartition and (n.nspname, c.relname) <> ('callsheet', 'erasure_requests')
      and has_table_privilege(c.oid, 'select')
    order by 1, 2`.execute(tx)
  const found: RemainingMentions = { named: {}, uncertain: {}, another: {} }
  const count = (counts: Record<string, number>, place: string): void => {
    counts[place] = (counts[place] ?? 0) + 1
  }
  for (const { schema, name } of tables)
    for await (const { named, uncertain, another } of mentioningRows(tx, [schema, name], search)) {
      const table = `${schema}.${name}`
      if (named) count(found.named, table)
      for (const column of uncertain) count(found.uncertain, `${table}.${column}`)
      for (const column of another) count(found.another, `${table}.${column}`)
    }
  return found
}
