import { sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { section } from '../shared/blocks.ts'
import { checkpointState, hex, rowCount } from '../shared/expressions.ts'
import { instantOf, localInstant } from '../shared/local-time.ts'
import { cursorTable, tableColumns } from '../shared/query.ts'
import { fileSubject } from './activity-rows.ts'
import { scoped } from './scope.ts'
import type { AuditSource } from './source.ts'

/** The newest signed checkpoint of the evidence log. */
interface AuditCheckpoint {
  /** The size and root of the log. */
  state: string
  at: string
  fingerprint: string
}

export interface Ledgers {
  checkpoint: AuditCheckpoint | undefined
  /** When one of the ledgers was last written; undefined while all are empty. */
  asOfMs: number | undefined
  incidents: number
}

/**
 * Reads the ledgers of files, incidents, labels, checkpoints, settings, holds and releases in their present
 * state, not as of a run. The provenance shows the time of their last entry and not the time of printing, so
 * the same data gives the same bytes.
 */
export async function readLedgers(source: AuditSource): Promise<Ledgers> {
  const { db, account } = source
  const checkpoint = await db
    .selectFrom('callsheet.checkpoints')
    .select(({ ref }) => [
      checkpointState(ref('note')).as('state'),
      'at',
      hex(sql<Buffer>`sha256(${ref('key')})`).as('fingerprint'),
    ])
    .where('account', '=', account)
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst()
  const at = await lastEntry(source)
  const incidents = await incidentsOf(source).select(rowCount.as('count')).executeTakeFirstOrThrow()
  return {
    checkpoint,
    asOfMs: at === null ? undefined : Date.parse(at),
    incidents: incidents.count,
  }
}

/** Returns when one of these ledgers was last written; null while all are empty. */
async function lastEntry({ db, account }: AuditSource): Promise<string | null> {
  const { at } = await db
    .selectNoFrom(({ fn, selectFrom }) => {
      const files = selectFrom('callsheet.files')
        .select(({ fn: of }) => of.max('state_at').as('at'))
        .where('account', '=', account)
        .where('kind', '=', 'activity')
      const incidents = selectFrom('callsheet.incidents')
        .select(({ fn: of }) => of.max('at').as('at'))
        .where('account', '=', account)
      const labels = selectFrom('callsheet.calls')
        .select(({ fn: of }) => of.max('ended_at').as('at'))
        .where('account', '=', account)
        .where('whiteboard_id', 'is not', null)
      const checkpoints = selectFrom('callsheet.checkpoints')
        .select(({ fn: of }) => of.max('at').as('at'))
        .where('account', '=', account)
      const settings = selectFrom('callsheet.audit_settings')
        .select(({ fn: of }) => of.max('at').as('at'))
        .where('account', '=', account)
      const holds = selectFrom('callsheet.holds')
        .select(({ fn: of }) =>
          of.max(of<string>('greatest', ['begins_at', 'released_at'])).as('at'),
        )
        .where('account', '=', account)
      const releases = selectFrom('callsheet.deletion_guards')
        .select(({ fn: of }) => of.max('approved_at').as('at'))
        .where('account', '=', account)
      const all = [files, incidents, labels, checkpoints, settings, holds, releases]
      return fn<string | null>('greatest', all).as('at')
    })
    .executeTakeFirstOrThrow()
  return at
}

/** Returns the moment of the ledgers: `as of the last ledger entry, 2026-07-08 02:31:00`. */
export function ledgerMoment(
  { asOfMs }: Ledgers,
  { timeZone }: Pick<AuditSource, 'timeZone'>,
): string {
  if (asOfMs === undefined) return 'with no ledger entries yet'
  const at = zonedInstant(asOfMs, timeZone).slice(0, 19).replace('T', ' ')
  return `as of the last ledger entry, ${at}`
}

const INCIDENTS = tableColumns([
  { name: 'time', title: 'At', format: 'instant' },
  { name: 'kind', title: 'Kind', format: 'text' },
  { name: 'subject', title: 'Subject', format: 'text' },
  { name: 'detail', title: 'What happened', format: 'text' },
  { name: 'run_id', title: 'Run', format: 'integer' },
])

export function incidentsSection(source: AuditSource): Section {
  const title = 'Incidents'
  const text =
    'Incidents that were recorded in the period, and those about its sessions and files, ' +
    'whenever they were recorded; the earliest first.'
  const table = cursorTable(
    source.db,
    { title, columns: INCIDENTS, empty: scoped(source, 'No incidents are recorded.') },
    incidentsOf(source)
      .select(({ ref }) => localInstant(ref('i.at'), source.timeZone).as('time'))
      .select(['i.kind', 'i.subject', 'i.detail', 'i.run_id'])
      .orderBy('i.at')
      .orderBy('i.id'),
  )
  return section(title, text, table)
}

/**
 * Returns the incidents of the period, and those about its sessions and files. With a filter, returns only
 * the latter. An incident's subject is a file (kind, session, activity), or a session with unread activities.
 */
function incidentsOf({ db, account, activities, sessions, period, params }: AuditSource) {
  const chosen = params.whiteboard !== undefined || params.user !== undefined
  const files = db
    .selectFrom(activities(period).as('a'))
    .select(({ ref }) => fileSubject(ref('a.session_id'), ref('a.id')).as('subject'))
  const ids = db
    .selectFrom(sessions(period).as('s'))
    .select(({ ref }) => sql<string>`'session:' || ${ref('s.id')}`.as('subject'))
  return db
    .selectFrom('callsheet.incidents as i')
    .where('i.account', '=', account)
    .where(({ and, eb, or }) => {
      const since = eb('i.at', '>=', instantOf(period.fromMs))
      const ofPeriod = and([since, eb('i.at', '<', instantOf(period.toMs))])
      const about = [eb('i.subject', 'in', files), eb('i.subject', 'in', ids)]
      return or(chosen ? about : [ofPeriod, ...about])
    })
}
