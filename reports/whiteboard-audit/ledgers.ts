import { sql } from 'kysely'
import type { Section, TableColumn } from '../../src/core/declare/report.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { instantOf, localInstant } from '../shared/local-time.ts'
import { cursorTable, queryRows, type Row } from '../shared/query.ts'
import { scoped } from './scope.ts'
import { type AuditSource, fileSubject } from './source.ts'

/** The newest signed head of the manifest of evidence. */
export interface Head extends Row {
  number: number
  hash: string
  signed_at: string
  fingerprint: string
  entries: number
}

export interface Ledgers {
  head: Head | undefined
  /** When the ledgers of files, incidents, labels and heads were last written; undefined while empty. */
  asOfMs: number | undefined
  incidents: number
}

/**
 * What is not as of a run: the ledgers of files, incidents, labels and heads are read as they stand. The
 * time of their last entry stands on the cover in the place of the time of printing, so that the same runs,
 * parameters and ledgers give the same bytes.
 */
export async function readLedgers(source: AuditSource): Promise<Ledgers> {
  const { db, account } = source
  const [head] = await queryRows<Head>(
    db,
    sql`
    select number, encode(hash, 'hex') as hash, signed_at, last_seq as entries,
      encode(sha256(public_key), 'hex') as fingerprint
    from callsheet.heads where account = ${account} order by number desc limit 1`,
  )
  const [last] = await queryRows<Row & { at: string | null }>(
    db,
    sql`
    select greatest(
      (select max(state_at) from callsheet.files where account = ${account} and kind = 'activity'),
      (select max(at) from callsheet.incidents where account = ${account}),
      (select max(applied_at) from callsheet.applied_labels where account = ${account}),
      (select max(signed_at) from callsheet.heads where account = ${account})) as at`,
  )
  const [incidents] = await queryRows<Row & { count: number }>(
    db,
    sql`select count(*)::int as count from ${incidentsOf(source)} i`,
  )
  const at = last?.at ?? null
  return {
    head,
    asOfMs: at === null ? undefined : Date.parse(at),
    incidents: incidents?.count ?? 0,
  }
}

/** Of when the ledgers are: `as of its last entry, 2026-07-08 02:31:00`. */
export function ledgerMoment({ asOfMs }: Ledgers, { timeZone }: AuditSource): string {
  if (asOfMs === undefined) return 'without an entry so far'
  return `as of its last entry, ${zonedInstant(asOfMs, timeZone).slice(0, 19).replace('T', ' ')}`
}

const INCIDENTS: readonly TableColumn[] = [
  { name: 'time', title: 'At', format: 'instant' },
  { name: 'kind', title: 'Kind', format: 'text' },
  { name: 'subject', title: 'Subject', format: 'text' },
  { name: 'detail', title: 'What happened', format: 'text' },
  { name: 'run_id', title: 'Run', format: 'integer' },
]

/** What went wrong with the archive. */
export function incidentsSection(source: AuditSource): Section {
  const title = 'Incidents'
  const text =
    'What the archive’s ledger holds against the period: incidents of its days, and those about its ' +
    'sessions and the files of its activities, whenever they came to light.'
  const table = cursorTable(
    source.db,
    { title, columns: INCIDENTS, empty: scoped(source, 'No incident is on record.') },
    sql`
    select ${localInstant(sql`at`, source.timeZone)} as time, kind, subject, detail, run_id
    from ${incidentsOf(source)} i order by i.at, i.id`,
  )
  return { title, blocks: [{ kind: 'note', tone: 'plain', text }, table] }
}

/**
 * With a filter only those about its sessions and activities. Incidents name files by kind, session and
 * activity, and a session that was never listed by its ID.
 */
function incidentsOf({ account, activities, sessions, period, params }: AuditSource) {
  const chosen = params.whiteboard !== undefined || params.user !== undefined
  const ofPeriod = sql`i.at >= ${instantOf(period.fromMs)} and i.at < ${instantOf(period.toMs)}`
  return sql`(
    select i.* from callsheet.incidents i
    where i.account = ${account} and (${chosen ? sql`false` : ofPeriod}
      or i.subject in (select ${fileSubject(sql`a`)} from ${activities(period)} a)
      or i.subject in (select 'session:' || s.id from ${sessions(period)} s))
  )`
}
