import { type RawBuilder, sql } from 'kysely'

/**
 * The name of the label that we applied to a board last, as it is called now; null where we applied none,
 * took it off, or never read what it is called.
 */
export function appliedLabel(account: string, board: RawBuilder<unknown>) {
  return sql<string | null>`(select ${NAME} from ${lastLabel(account, board)})`
}

/** Whether we applied a label to a board last of which we never read what it is called. */
export function hasNamelessLabel(account: string, board: RawBuilder<unknown>) {
  return sql<boolean>`exists (select from ${lastLabel(account, board)}
    where l.classification_id is not null and ${NAME} is null)`
}

/** A label that was deleted keeps its row, and so its last name. */
function lastLabel(account: string, board: RawBuilder<unknown>) {
  return sql`(select b.classification_id, b.name from callsheet.applied_labels b
      where b.account = ${account} and b.whiteboard_id = ${board}
      order by b.applied_at desc, b.call_id desc limit 1) l
    left join svc.classification_labels c
      on c.account = ${account} and c.classification_id = l.classification_id`
}

const NAME = sql`coalesce(c.name, l.name)`

/** Whether people took part in a session whom the account does not know: they have no address of it. */
export function hasOutsiders(account: string, session: RawBuilder<unknown>) {
  return sql<boolean>`exists (select 1 from svc.whiteboard_participants p where p.account = ${account}
    and p.session_id = ${session} and p._deleted_at is null and coalesce(p.email, '') = '')`
}
