import { type RawBuilder, sql } from 'kysely'

/** The name of the label that we applied to a board last; null where we applied none. */
export function appliedLabel(account: string, board: RawBuilder<unknown>) {
  return sql<string | null>`(select l.name from callsheet.applied_labels l
    where l.account = ${account} and l.whiteboard_id = ${board} order by l.applied_at desc limit 1)`
}

/** Whether people took part in a session whom the account does not know: they have no address of it. */
export function hasOutsiders(account: string, session: RawBuilder<unknown>) {
  return sql<boolean>`exists (select 1 from svc.whiteboard_participants p where p.account = ${account}
    and p.session_id = ${session} and p._deleted_at is null and coalesce(p.email, '') = '')`
}
