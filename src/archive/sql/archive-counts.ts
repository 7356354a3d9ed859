import { sql } from 'kysely'
import type { FileKind } from '../../core/define/file-source.ts'
import type { Transaction } from '../../warehouse/connect.ts'

export interface FileStateCount {
  kind: FileKind
  state: string
  files: number
  bytes: number
}

/**
 * How many files are in each state. An activity without a row counts as `pending`. A missing file without an
 * incident was never offered by the service, and counts as `no file`, as in the audit.
 */
export async function countFileStates(db: Transaction, account: string): Promise<FileStateCount[]> {
  const known = db
    .selectFrom('callsheet.files')
    .select(({ eb, fn, lit, ref, selectFrom }) => {
      const subject = sql<string>`(kind || ':' || parent || ':' || item)`
      const told = selectFrom('callsheet.incidents')
        .select('subject')
        .where('account', '=', account)
      const neverOffered = eb.and([eb('state', '=', 'missing'), eb.not(eb(subject, 'in', told))])
      return [
        'kind',
        eb.case().when(neverOffered).then('no file').else(ref('state')).end().as('called'),
        fn.countAll<number>().as('files'),
        fn.coalesce(fn.sum<number>('size'), lit(0)).as('bytes'),
      ]
    })
    .where('account', '=', account)
    .groupBy(['kind', 'called'])
  const unknown = db
    .selectFrom('svc.whiteboard_activities as a')
    .select(({ fn, lit, val }) => [
      val<'activity'>('activity').as('kind'),
      val('pending').as('called'),
      fn.countAll<number>().as('files'),
      lit(0).as('bytes'),
    ])
    .where('a.account', '=', account)
    .where('a._deleted_at', 'is', null)
    .where(({ exists, not, selectFrom }) => {
      const file = selectFrom('callsheet.files as f')
        .whereRef('f.account', '=', 'a.account')
        .where('f.kind', '=', 'activity')
        .whereRef('f.parent', '=', 'a.session_id')
        .whereRef('f.item', '=', 'a.id')
      return not(exists(file))
    })
  return await db
    .selectFrom(known.unionAll(unknown).as('counted'))
    .select(({ cast, fn }) => [
      'kind',
      'called as state',
      cast<number>(fn.sum('files'), 'integer').as('files'),
      cast<number>(fn.sum('bytes'), 'float8').as('bytes'),
    ])
    .groupBy(['kind', 'called'])
    .having(({ fn }) => fn.sum('files'), '>', 0)
    .orderBy('kind')
    .orderBy('called')
    .execute()
}

export interface IncidentCount {
  kind: string
  incidents: number
  lastAt: string
  /** The latest few. */
  latest: { subject: string; at: string; detail: string }[]
}

/** Incidents since an instant, by kind. */
export async function recentIncidents(
  db: Transaction,
  { account, sinceMs }: { account: string; sinceMs: number },
): Promise<IncidentCount[]> {
  const recent = db
    .selectFrom('callsheet.incidents')
    .select(['id', 'kind', 'subject', 'detail', 'at'])
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('kind').orderBy('at', 'desc').orderBy('id', 'desc'))
        .as('back'),
    )
    .where('account', '=', account)
    .where('at', '>=', new Date(sinceMs).toISOString())
  return await db
    .selectFrom(recent.as('recent'))
    .select(({ fn }) => [
      'kind',
      fn.countAll<number>().as('incidents'),
      fn.max('at').as('lastAt'),
      fn
        .agg<IncidentCount['latest']>('jsonb_agg', [TOLD])
        .orderBy('back')
        .filterWhere('back', '<=', LATEST)
        .as('latest'),
    ])
    .groupBy('kind')
    .orderBy('kind')
    .execute()
}

const TOLD = sql`jsonb_build_object('subject', subject, 'detail', detail,
  'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`
const LATEST = 5
