import { type RawBuilder, sql } from 'kysely'

/** A call that applied a label to a board or removed it. */
export function appliedLabel(
  account: string,
  {
    board,
    at,
    id = null,
    name,
  }: { board: string; at: RawBuilder<unknown> | string; id?: string | null; name: string | null },
) {
  return sql`insert into callsheet.calls (account, operation, asked_by, arguments, asked_at, state, ended_at,
      whiteboard_id, classification_id, label)
    select ${account}, 'labelWhiteboard', 'us', '{}', at, 'done', at, ${board}, ${id}, ${name}
    from (select (${at})::timestamptz as at) call`
}
