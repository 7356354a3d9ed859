import { type AliasedExpression, type QueryCreator, type RawBuilder, sql } from 'kysely'
import type { FileKind } from '../../core/define/file-source.ts'
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
