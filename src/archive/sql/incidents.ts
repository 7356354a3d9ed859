import { type AliasedExpression, type QueryCreator, type RawBuilder, sql } from 'kysely'
import type { FileKind } from '../../core/define/file-source.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import type { Database } from '../../warehouse/schema/types.ts'

type IncidentKind = Database['callsheet.incidents']['kind']

interface NewIncident {
  kind: IncidentKind
  subject: string
  detail: string
}

/** Adds an incident for each row. An incident that exists stays unchanged. */
export function insertIncidents(
  db: QueryCreator<Database>,
  { account, runId }: { account: string; runId: number | null },
  incidents: AliasedExpression<NewIncident, 'i'>,
) {
  return db
    .insertInto('callsheet.incidents')
    .columns(['account', 'kind', 'subject', 'run_id', 'at', 'detail'])
    .expression(({ selectFrom, val }) =>
      selectFrom(incidents).select([
        val(account).as('account'),
        'i.kind',
        'i.subject',
        val(runId).as('run_id'),
        now.as('at'),
        'i.detail',
      ]),
    )
    .onConflict((conflict) => conflict.doNothing())
}

/** The subject of an incident, e.g. `activity:SESSION:ACTIVITY`. The reports search for this form. */
export function incidentSubject(kind: FileKind): RawBuilder<string> {
  return sql`${kind}::text || ':' || parent || ':' || item`
}

export interface IncidentCount {
  kind: string
  incidents: number
  lastAt: string
  /** The five latest incidents. */
  latest: { subject: string; at: string; detail: string }[]
}

/** The incidents since an instant, counted by kind. */
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
