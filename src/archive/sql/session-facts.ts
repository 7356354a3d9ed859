import { type Expression, expressionBuilder } from 'kysely'
import type { Database } from '../../warehouse/schema/types.ts'

/** A session with archives to fetch, with the facts that the configured priorities use. */
export interface ArchiveSession {
  session: string
  /** Undefined for recordings and for sessions that do not expire soon. Then `label` is undefined too. */
  whiteboard: string | undefined
  /** The name of the label that we last applied to the board, if known. */
  label: string | undefined
  /** True if people from outside the account took part. */
  outsiders: boolean
  /** Epoch milliseconds; infinite for sessions that do not expire. */
  expiresAtMs: number
}

/**
 * The last known name of the label that we last applied to a board. Null if we applied none, removed it, or
 * never read its name.
 */
export function appliedLabel(account: string, board: Expression<string | null>) {
  return lastLabel(account, board).select(({ fn }) => fn.coalesce('c.name', 'l.name').as('name'))
}

/** Whether the label that we last applied to a board has a name that we never read. */
export function hasNamelessLabel(account: string, board: Expression<string | null>) {
  const { exists } = expressionBuilder<Database>()
  const nameless = lastLabel(account, board)
    .where('l.classification_id', 'is not', null)
    .where(({ fn }) => fn.coalesce('c.name', 'l.name'), 'is', null)
  return exists(nameless)
}

/** The label that we last applied to a board. A deleted label keeps its row, and so its last name. */
function lastLabel(account: string, board: Expression<string | null>) {
  const { selectFrom } = expressionBuilder<Database>()
  const last = selectFrom('callsheet.calls as b')
    .select(['b.classification_id', 'b.label as name'])
    .where('b.account', '=', account)
    .where('b.whiteboard_id', '=', board)
    .orderBy('b.ended_at', 'desc')
    .orderBy('b.id', 'desc')
    .limit(1)
  return selectFrom(last.as('l')).leftJoin('svc.classification_labels as c', (join) =>
    join.on('c.account', '=', account).onRef('c.classification_id', '=', 'l.classification_id'),
  )
}

/** Whether people from outside the account took part in a session. They have no email address. */
export function hasOutsiders(account: string, session: Expression<string | null>) {
  const { exists, selectFrom } = expressionBuilder<Database>()
  const outsiders = selectFrom('svc.whiteboard_participants as p')
    .where('p.account', '=', account)
    .where('p.session_id', '=', session)
    .where('p._deleted_at', 'is', null)
    .where(({ fn, val }) => fn.coalesce('p.email', val('')), '=', '')
  return exists(outsiders)
}
