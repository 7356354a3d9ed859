import { type RawBuilder, sql } from 'kysely'
import { covers, holdsNow } from './holds.ts'

/** Of whose files, and which of them do not count, as they are on their way out themselves. */
export interface Beside {
  account: string
  /** A condition on the file `o`. */
  but?: RawBuilder<boolean>
}

/** The bytes of the content of the file `f` must stay: a stored file has it, or one that a hold covers. */
export function contentStays(beside: Beside): RawBuilder<boolean> {
  return sql`(${storedBeside(beside)} or ${holdOnContent(beside)} is not null)`
}

/** A file that is still stored has the content of `f`. */
export function storedBeside(beside: Beside): RawBuilder<boolean> {
  return sql`exists (select 1 from ${filesOfContent(beside)} and o.state = 'stored')`
}

/**
 * The oldest hold that covers a file with the content of `f`, or null. That file may be entered as removed:
 * its bytes are still there where a prune was cut off before the hold came, or a bucket's lock kept them.
 */
export function holdOnContent(beside: Beside): RawBuilder<string | null> {
  return sql`(
    select h.name from callsheet.holds h, ${filesOfContent(beside)}
      and h.account = o.account and ${holdsNow()} and exists (
        select 1 from (select o.kind, o.parent) f
          left join svc.whiteboard_sessions s on s.account = o.account and s.id = o.parent
        where ${covers()})
    order by h.id limit 1)`
}

function filesOfContent({ account, but = sql`false` }: Beside): RawBuilder<unknown> {
  return sql`callsheet.files o where o.account = ${account} and o.sha256 = f.sha256 and not (${but})`
}
