import { type RawBuilder, sql } from 'kysely'
import type { ReportContext } from '../../src/core/declare/report.ts'
import { users } from '../../src/resources/users.ts'
import { queryRows } from '../shared/query.ts'
import type { Listed } from './listed.ts'

/** Everything that a person of the account is known by. */
export interface Person {
  ids: readonly string[]
  /** In lower case. */
  emails: readonly string[]
  /** Whether a user or a participant has the ID or the address. */
  known: boolean
  /** The name that was last seen. */
  name: string | undefined
}

/** Looks a user up by ID or e-mail address: an address leads to its ID, an ID to its addresses. */
export async function findPerson(
  { db, rows, listed }: Pick<ReportContext<unknown>, 'db' | 'rows'> & { listed: Listed },
  user: string,
): Promise<Person> {
  const named = sql`(id = ${user} or lower(email) = lower(${user}))`
  const found = await queryRows<{ id: string | null; email: string | null; name: string | null }>(
    db,
    sql`
    select nullif(u.id, '') as id, nullif(lower(u.email), '') as email, nullif(u.name, '') as name
    from (
      select id, email, display_name as name, 1 as rank, null::timestamptz as seen
        from ${rows(users)} u where ${named}
      union all
      select user_id, email, user_name, 2, max(joined_at)
        from (select user_id as id, p.* from ${listed.stays} p) p
        where ${named} and email <> '' group by 1, 2, 3) u
    order by rank, seen desc nulls last, u.id, u.email, u.name collate "C"`,
  )
  const distinct = (values: (string | null)[]): string[] => [
    ...new Set(values.filter((value) => value !== null)),
  ]
  const ids = distinct(found.map(({ id }) => id))
  const emails = distinct(found.map(({ email }) => email))
  return {
    ids: ids.length === 0 ? [user] : ids,
    emails: emails.length === 0 ? [user.toLowerCase()] : emails,
    known: found.length > 0,
    name: found.find(({ name }) => name !== null)?.name ?? undefined,
  }
}

/** Whether a row with `user_id` and `email` is theirs. */
export function isPerson(
  row: RawBuilder<unknown>,
  person: Person | undefined,
): RawBuilder<unknown> {
  if (person === undefined) return sql`true`
  return sql`(${row}.user_id = any(${[...person.ids]}::text[])
    or lower(${row}.email) = any(${[...person.emails]}::text[]))`
}
