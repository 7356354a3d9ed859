import { type RawBuilder, sql } from 'kysely'
import type { Identity } from '../../core/erasure/identity.ts'
import { patternsOfName } from '../../core/erasure/patterns.ts'
import type { Transaction } from '../connection/connect.ts'

/**
 * What an erasure does with each table of the schema `callsheet`. `none`: nothing of a person ever gets
 * there; what only looks as if is counted by the scan at the end. A table that is missing here fails the
 * build.
 */
export const LEDGERS: Readonly<Record<string, Treatment>> = {
  // Somebody's text, or what the service sent: rows that name the person go.
  quarantine: { deleted: 'payload' },
  drift: { deleted: 'example' },
  deletion_candidates: { deleted: 'key' },
  // A list of one person is named by their ID.
  slices: { deleted: 'slice' },
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
  published_reports: { apart: 'the files are searched' },
  placed_files: { none: 'digests, and paths of our own choice' },
  tokens: { none: 'encrypted; callsheet logout forgets what a person allowed' },
  incidents: { none: 'IDs of sessions, activities and recordings' },
  manifest: { none: 'commitments; the salts are apart' },
  entry_warrants: { none: 'signatures, and the numbers of requests' },
  heads: { none: 'counts, digests and times' },
  anchors: { none: 'digests and time stamps' },
  evidence_marks: { none: 'numbers of runs' },
  holds: { none: 'reasons that our own people wrote' },
  applied_labels: { none: 'IDs of boards, and who of our own people did it' },
  runs: { none: 'counts and messages, which quote nobody' },
  batches: { none: 'counts' },
  deletion_guards: { none: 'counts' },
  leases: { none: 'processes' },
  quota: { none: 'counts' },
  labels: { none: 'limits' },
  found_readings: { none: 'what the service does, in our words' },
  migrations: { none: 'names of migrations' },
  migrations_lock: { none: 'a flag' },
  suppressions: { none: 'digests under a key' },
  suppression_keys: { none: 'the key' },
}

type Treatment =
  | { deleted: string }
  /** Columns and what they are set to, as text; the row stays, since its being there is a fact. */
  | { emptied: Readonly<Record<string, string | null>> }
  | { apart: string }
  | { none: string }

/** The texts that tell a person. */
export interface SearchPatterns {
  /** Patterns for `like` over text in lower case that occur wherever a person may be told. */
  likely: readonly string[]
  /**
   * Regular expressions that take none of the texts for a part of a longer one: of IDs, as they are spelled.
   */
  exact: readonly string[]
  /** The same of addresses, in lower case and composed (NFC). */
  folded: readonly string[]
  /** Names that tell the person wherever a field that may hold a name says them. */
  names: readonly Identity[]
  /** By stream, the fields that may hold a name beside those that are called so. */
  personal: Readonly<Record<string, readonly string[]>>
}

export interface LedgerErasure {
  account: string
  tells: SearchPatterns
  /** Rows are only counted. */
  dryRun: boolean
}

/** Takes the person out of the ledgers; answers by table how many rows that concerned. */
export async function eraseLedgers(
  tx: Transaction,
  { account, tells, dryRun }: LedgerErasure,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const told = sql`t.account = ${account} and (${holds(['callsheet', 'event_states'], tells)} or exists (
    select 1 from callsheet.notifications n where n.id = t.notification_id
      and ${holds(['callsheet', 'notifications'], tells, 'n')}))`
  const apart = { event_states: sql`delete from callsheet.event_states t where ${told}` }
  counts.event_states = dryRun
    ? await countOf(tx, sql`callsheet.event_states t where ${told}`)
    : await affected(tx, apart.event_states)
  for (const [name, treatment] of Object.entries(LEDGERS)) {
    const change = changeOf(name, treatment)
    if (change === undefined) continue
    const where = sql`where t.account = ${account} and ${holds(['callsheet', name], tells)}`
    counts[name] = dryRun
      ? await countOf(tx, sql`${sql.id('callsheet', name)} t ${where}`)
      : await affected(tx, sql`${change} ${where}`)
  }
  return counts
}

function changeOf(name: string, treatment: Treatment): RawBuilder<unknown> | undefined {
  const table = sql.id('callsheet', name)
  if ('deleted' in treatment) return sql`delete from ${table} t`
  if (!('emptied' in treatment)) return undefined
  const set = Object.entries(treatment.emptied).map(
    ([column, value]) => sql`${sql.id(column)} = ${value}`,
  )
  return sql`update ${table} t set ${sql.join(set)}`
}

/** Where a row says one of the texts, in any column, and in the bytes that are kept of what was sent. */
function holds(
  [schema, name]: readonly [string, string],
  tells: SearchPatterns,
  alias = 't',
): RawBuilder<boolean> {
  const { likely, exact, folded } = tells
  const bytes = BYTES[schema === 'callsheet' ? name : schema]?.(alias)
  const row = sql`${sql.id(alias)}::text`
  const text = bytes === undefined ? row : sql`(${row} || coalesce(${bytes}, ''))`
  const tell = (said: RawBuilder<string>) => sql`${said} ~ any(${[...exact]}::text[])
      or normalize(lower(${said}), NFC) ~ any(${[...folded]}::text[])`
  // What is hardly ever true and soon known comes first: a regular expression takes ten times as long.
  return sql`(select case when lower(x.said) like any(${[...likely]}::text[])
      or lower(x.plain) like any(${[...likely]}::text[])
    then ${tell(sql`x.said`)} or ${tell(sql`coalesce(x.plain, x.said)`)}
      or ${namedIn([schema, name], tells, { alias, bytes })} else false end
    from (select y.said, ${plainOf(sql`y.said`)} as plain
      from (select ${text} as said offset 0) y offset 0) x)`
}

/**
 * Without what veils it, or null where nothing does. Whatever names a record or a file of ours spells their
 * IDs in our own encoding, as each entry of the manifest does: where nothing else veils the text, that is
 * undone without the search for all that could, which takes 30 times as long.
 */
function plainOf(said: RawBuilder<string>): RawBuilder<string | null> {
  const own = Object.entries(OWN_ENCODING).reduce(
    (text, [encoded, character]) => sql<string>`replace(${text}, ${encoded}, ${character})`,
    said,
  )
  return sql`case when callsheet.veiled(${said}) then (
    select case when callsheet.veiled(o.own) then callsheet.unveiled(${said}) else o.own end
    from (select ${own} as own offset 0) o) end`
}

/** Of `callsheet.subject_part`, what IDs and the names of files often have. */
const OWN_ENCODING = { '%2F': '/', '%2B': '+', '%3D': '=', '%3A': ':', '%40': '@' }

/** By their name alone: only where a field for names says it, so never by a text that has it in passing. */
function namedIn(
  [schema, name]: readonly [string, string],
  { names, personal }: SearchPatterns,
  { alias, bytes }: { alias: string; bytes: RawBuilder<unknown> | undefined },
): RawBuilder<boolean> {
  if (names.length === 0) return sql`false`
  const fields = {
    personal:
      schema === 'callsheet' && OF_STREAMS.has(name)
        ? [...new Set(Object.values(personal).flat())]
        : (personal[name] ?? []),
    nested: schema === 'callsheet' && name === 'quarantine',
  }
  const patterns = names.flatMap((one) => patternsOfName(one, fields))
  const json = sql`row_to_json(${sql.id(alias)})::text || coalesce(${bytes ?? null}, '')`
  const says = (said: RawBuilder<unknown>) =>
    sql`normalize(lower(${said}), NFC) ~ any(${patterns}::text[])`
  return sql`(${says(json)} or ${says(sql`callsheet.unveiled(${json})`)})`
}

/** Of our own, what came in records and may be about any stream. */
const OF_STREAMS = new Set(['quarantine', 'drift'])

/** By table, in how many rows one of the texts still occurs: of all tables that have an account. */
export async function scanTables(
  tx: Transaction,
  account: string,
  tells: SearchPatterns,
): Promise<Record<string, number>> {
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
    const where = sql`where t.account = ${account} and ${holds([schema, name], tells)}`
    const hits = await countOf(tx, sql`${sql.id(schema, name)} t ${where}`)
    if (hits > 0) found[`${schema}.${name}`] = hits
  }
  return found
}

async function countOf(tx: Transaction, from: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ hits: number }>`select count(*)::int as hits from ${from}`.execute(
    tx,
  )
  return rows[0]?.hits ?? 0
}

async function affected(tx: Transaction, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(tx)).numAffectedRows ?? 0n)
}

/** By table, or by schema, the text of the bytes that were received. */
const BYTES: Readonly<Record<string, (alias: string) => RawBuilder<unknown>>> = {
  svc: (alias) => sql`convert_from(${sql.id(alias, '_bytes')}, 'UTF8')`,
  history: (alias) => sql`convert_from(${sql.id(alias, '_bytes')}, 'UTF8')`,
  notifications: (alias) => sql`callsheet.text_of(${sql.id(alias, 'body')})`,
}
