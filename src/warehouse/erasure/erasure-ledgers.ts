import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'
import { subjectOfBatch } from '../evidence/slice-lines.ts'
import { forgetStates, remakeStates } from '../ledgers/slice-states.ts'
import { holds, type SearchPatterns } from './telling-rows.ts'

/**
 * What an erasure does with each table of the schema `callsheet`. `none`: the table never holds personal
 * data, and the scan at the end counts a text that only looks like it. A missing table fails the build.
 */
export const LEDGERS: Readonly<Record<string, Treatment>> = {
  // These hold people's texts or the service's data: rows that name the person are deleted.
  quarantine: { deleted: 'payload' },
  drift: { deleted: 'example' },
  deletion_candidates: { deleted: 'key' },
  // A list of one person is named by their ID.
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
  manifest_salts: { apart: 'goes with the record or the file' },
  manifest_subjects: { apart: 'goes with the record and the file' },
  published_reports: { apart: 'the files are searched' },
  placed_files: { none: 'digests, and paths of our own choice' },
  tokens: { none: 'encrypted; callsheet logout forgets what a person allowed' },
  incidents: { none: 'IDs of sessions, activities and recordings, and numbers of runs' },
  manifest: { none: 'commitments; the salts are apart' },
  entry_warrants: { none: 'signatures, and the numbers of requests' },
  heads: { none: 'counts, digests and times' },
  anchors: { none: 'digests and time stamps' },
  cosignatures: { none: 'names of witnesses, signatures and times' },
  audit_settings: {
    none: 'settings, which name boards and labels, and who of our own people ran it',
  },
  evidence_marks: { none: 'numbers of runs' },
  holds: { none: 'reasons that our own people wrote' },
  applied_labels: { none: 'IDs of boards, and who of our own people did it' },
  runs: { none: 'counts and messages, which quote nobody' },
  batches: { none: 'counts' },
  deletion_guards: { none: 'counts' },
  leases: { none: 'processes' },
  lineage: { none: 'counts, marks and times' },
  head_breaks: { none: 'counts, digests and times' },
  tree_tiles: { none: 'digests' },
  machines: { none: 'names of machines, and digests' },
  quota: { none: 'counts' },
  labels: { none: 'limits' },
  task_runs: { none: 'names, digests and paths of our own choice' },
  found_readings: { none: 'what the service does, in our words' },
  alerts: { none: 'causes in our words, which name no person' },
  pings: { none: 'days' },
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
  account: string
  tells: SearchPatterns
  /** Only counts rows. */
  dryRun: boolean
  /** Called with the batches of which slices went, as statements name them. */
  onSlices?: ((subjects: readonly string[]) => Promise<void>) | undefined
}

/** Takes the person out of the ledgers. Returns by table how many rows were affected. */
export async function eraseLedgers(
  tx: Transaction,
  { account, tells, dryRun, onSlices }: LedgerErasure,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const ofNotification = tx
    .selectFrom('callsheet.notifications as n')
    .select('n.id')
    .where(sql<boolean>`n.id = t.notification_id`)
    .where(holds(['callsheet', 'notifications'], tells, 'n'))
  const told = sql<boolean>`(${holds(['callsheet', 'event_states'], tells)}
    or exists ${ofNotification})`
  const erasing = { account, dryRun, told, treatment: { deleted: 'key' } }
  counts.event_states = await eraseFrom(tx, 'event_states', erasing)
  Object.assign(counts, await eraseSlices(tx, { account, tells, dryRun, onSlices }))
  for (const [name, treatment] of Object.entries(LEDGERS)) {
    if ('apart' in treatment || 'none' in treatment) continue
    const own = { ...erasing, told: holds(['callsheet', name], tells), treatment }
    counts[name] = await eraseFrom(tx, name, own)
  }
  return counts
}

/** What the ledger says of a slice in other entries stays, and the state of the slice is made anew of it. */
async function eraseSlices(
  tx: Transaction,
  { account, tells, dryRun, onSlices }: LedgerErasure,
): Promise<Record<'slices' | 'slice_states', number>> {
  const inLedger = holds(['callsheet', 'slices'], tells)
  const inStates = holds(['callsheet', 'slice_states'], tells)
  const states = await countOf(tx, ['callsheet', 'slice_states'], { account, told: inStates })
  const counts = { slice_states: states }
  if (dryRun) {
    const slices = await countOf(tx, ['callsheet', 'slices'], { account, told: inLedger })
    return { ...counts, slices }
  }
  const gone = await tx
    .deleteFrom('callsheet.slices as t')
    .where('t.account', '=', account)
    .where(inLedger)
    .returning(['t.stream', 't.slice', subjectOfBatch('t').as('subject')])
    .execute()
  const named = await tx
    .selectFrom('callsheet.slice_states as t')
    .select(['t.stream', 't.slice'])
    .where('t.account', '=', account)
    .where(inStates)
    .execute()
  const names = [...gone, ...named]
  await forgetStates(tx, account, names)
  await remakeStates(tx, account, names)
  if (gone.length > 0) await onSlices?.([...new Set(gone.map(({ subject }) => subject))])
  return { ...counts, slices: gone.length }
}

interface Erasing extends Told {
  dryRun: boolean
  treatment: Exclude<Treatment, { apart: string } | { none: string }>
}

async function eraseFrom(tx: Transaction, name: string, erasing: Erasing): Promise<number> {
  const { account, told, dryRun, treatment } = erasing
  if (dryRun) return await countOf(tx, ['callsheet', name], erasing)
  const table = tableNamed('callsheet', name)
  if ('deleted' in treatment) {
    const { numDeletedRows } = await tx
      .deleteFrom(table.as('t'))
      .where('t.account', '=', account)
      .where(told)
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  }
  const { numUpdatedRows } = await tx
    .updateTable(table.as('t'))
    .set(treatment.emptied)
    .where('t.account', '=', account)
    .where(told)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Counts by table the rows that still contain one of the texts, in all tables with an account. */
export async function scanTables(
  tx: Transaction,
  account: string,
  tells: SearchPatterns,
): Promise<Record<string, number>> {
  // Raw SQL, because it reads Postgres' own catalog.
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select n.nspname as schema, c.relname as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'account' and not a.attisdropped
    where n.nspname in ('svc', 'history', 'callsheet') and c.relkind in ('r', 'p')
      and not c.relispartition and (n.nspname, c.relname) <> ('callsheet', 'erasure_requests')
      and has_table_privilege(c.oid, 'select')
    order by 1, 2`.execute(tx)
  const found: Record<string, number> = {}
  for (const { schema, name } of tables) {
    const told = holds([schema, name], tells)
    const hits = await countOf(tx, [schema, name], { account, told })
    if (hits > 0) found[`${schema}.${name}`] = hits
  }
  return found
}

interface Told {
  account: string
  told: RawBuilder<boolean>
}

async function countOf(
  tx: Transaction,
  [schema, name]: readonly [string, string],
  { account, told }: Told,
): Promise<number> {
  const { hits } = await tx
    .selectFrom(tableNamed(schema, name).as('t'))
    .select(({ fn }) => fn.countAll<number>().as('hits'))
    .where('t.account', '=', account)
    .where(told)
    .executeTakeFirstOrThrow()
  return hits
}

function tableNamed(schema: string, name: string): RawBuilder<Record<string, unknown>> {
  return sql.id(schema, name)
}
