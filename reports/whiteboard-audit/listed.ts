import { type RawBuilder, sql } from 'kysely'
import type { ReportContext } from '../../src/core/declare/report.ts'
import {
  whiteboardParticipants,
  whiteboardSessions,
} from '../../src/resources/whiteboard-archives.ts'
import { queryRows, type Row } from '../shared/query.ts'

/**
 * The sessions and stays that were ever listed, as relations for `from`. Who has an archive deleted at the
 * service before its day does not take it out of the audit: a session that is gone has the time when that
 * was found, `gone_at`.
 */
export interface Listed {
  sessions: RawBuilder<unknown>
  stays: RawBuilder<unknown>
}

export async function readListed({
  db,
  rows,
  goneRows,
}: Pick<ReportContext<unknown>, 'db' | 'rows' | 'goneRows'>): Promise<Listed> {
  const [sessions, stays] = [rows(whiteboardSessions), rows(whiteboardParticipants)]
  const gone = goneRows(whiteboardSessions)
  const standing = sql`select s.*, null::timestamptz as gone_at, null::bigint as gone_by from ${sessions} s`
  const [found] = await queryRows<Row & { any: boolean }>(
    db,
    sql`select exists (select from ${gone} s) as any`,
  )
  if (found?.any !== true) return { sessions: sql`(${standing})`, stays }
  return {
    sessions: sql`(${standing} union all select * from ${gone} s)`,
    // A stay that went before its session was listed otherwise later.
    stays: sql`(
      select p.*, null::timestamptz as gone_at, null::bigint as gone_by from ${stays} p
      union all
      select p.* from ${goneRows(whiteboardParticipants)} p
        join ${gone} s on s.id = p.session_id and s.gone_by <= p.gone_by)`,
  }
}
