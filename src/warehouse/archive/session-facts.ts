import { type Expression, expressionBuilder } from 'kysely'
import type { Database } from '../connection/types.ts'

/**
 * The name of the label that we applied to a board last, as it is called now; null where we applied none,
 * took it off, or never read what it is called.
 */
export function appliedLabel(account: string, board: Expression<string | null>) {
  return lastLabel(account, board).select(({ fn }) => fn.coalesce('c.name', 'l.name').as('name'))
}

/** Whether we applied a label to a board last of which we never read what it is called. */
export function hasNamelessLabel(account: string, board: Expression<string | null>) {
  const { exists } = expressionBuilder<Database>()
  const nameless = lastLabel(account, board)
    .where('l.classification_id', 'is not', null)
    .where(({ fn }) => fn.coalesce('c.name', 'l.name'), 'is', null)
  return exists(nameless)
}

/** A label that was deleted keeps its row, and so its last name. */
function lastLabel(account: string, board: Expression<string | null>) {
  const { selectFrom } = expressionBuilder<Database>()
  const last = selectFrom('callsheet.applied_labels as b')
    .select(['b.classification_id', 'b.name'])
    .where('b.account', '=', account)
    .where('b.whiteboard_id', '=', board)
    .orderBy('b.applied_at', 'desc')
    .orderBy('b.call_id', 'desc')
    .limit(1)
  return selectFrom(last.as('l')).leftJoin('svc.classification_labels as c', (join) =>
    join.on('c.account', '=', account).onRef('c.classification_id', '=', 'l.classification_id'),
  )
}

/** Whether people took part in a session whom the account does not know: they have no address of it. */
export function hasOutsiders(account: string, session: Expression<string | null>) {
  const { exists, selectFrom } = expressionBuilder<Database>()
  const outsiders = selectFrom('svc.whiteboard_participants as p')
    .where('p.account', '=', account)
    .where('p.session_id', '=', session)
    .where('p._deleted_at', 'is', null)
    .where(({ fn, val }) => fn.coalesce('p.email', val('')), '=', '')
  return exists(outsiders)
}
