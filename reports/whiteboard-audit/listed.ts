import { sql } from 'kysely'
import type { ReportContext } from '../../src/core/define/report.ts'
import type { Relation, ReportRow } from '../../src/core/define/stream-row.ts'
import {
  whiteboardParticipants,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'

/**
 * The sessions that were ever listed, with their last known stays. A session whose archive was deleted at the
 * service stays in the audit; `gone_at` is when a run found the deletion.
 */
export interface Listed {
  sessions: Relation<ReportRow<typeof whiteboardSessions> & Gone>
  stays: Relation<ReportRow<typeof whiteboardParticipants>>
}

interface Gone {
  gone_at: string | null
  gone_by: number | null
}

export async function readListed({
  db,
  rows,
  goneRows,
}: Pick<
  ReportContext<unknown, typeof whiteboardSessions | typeof whiteboardParticipants>,
  'db' | 'rows' | 'goneRows'
>): Promise<Listed> {
  const notGone = [
    sql<string | null>`null::timestamptz`.as('gone_at'),
    sql<number | null>`null::bigint`.as('gone_by'),
  ] as const
  const stays = rows(whiteboardParticipants)
  const gone = db.selectFrom(goneRows(whiteboardSessions).as('s')).selectAll('s')
  const standing = db.selectFrom(rows(whiteboardSessions).as('s')).selectAll('s').select(notGone)
  const { any } = await db
    .selectNoFrom(({ exists }) => exists(gone).as('any'))
    .executeTakeFirstOrThrow()
  if (any !== true) return { sessions: standing, stays }
  // Stays that were found deleted in the same run as their session or later: the session's last stays.
  const goneStays = db
    .selectFrom(goneRows(whiteboardParticipants).as('p'))
    .innerJoin(gone.as('s'), (join) =>
      join.onRef('s.id', '=', 'p.session_id').onRef('s.gone_by', '<=', 'p.gone_by'),
    )
    .selectAll('p')
  return {
    sessions: standing.unionAll(gone),
    stays: db.selectFrom(stays.as('p')).selectAll('p').select(notGone).unionAll(goneStays),
  }
}
