import { type RawBuilder, sql } from 'kysely'
import type { ReportContext } from '../../src/core/define/report.ts'
import { users } from '../../src/resources/users.ts'
import { byBytes, filled, type Text } from '../shared/expressions.ts'
import type { Listed } from './listed.ts'

/** All IDs and addresses of a person of the account. */
export interface Person {
  ids: readonly string[]
  /** In lower case. */
  emails: readonly string[]
  /** Whether a user or a participant has the ID or the address. */
  known: boolean
  /** The most recent name. */
  name: string | undefined
}

/** Finds a user by ID or e-mail address, with all recorded addresses of the ID, or IDs of the address. */
export async function findPerson(
  {
    db,
    rows,
    listed,
  }: Pick<ReportContext<unknown, typeof users>, 'db' | 'rows'> & { listed: Listed },
  user: string,
): Promise<Person> {
  const named = (id: Text, email: Text) =>
    sql<boolean>`(${id} = ${user} or lower(${email}) = lower(${user}))`
  const stayed = db
    .selectFrom(listed.stays.as('p'))
    .select(['p.user_id as id', 'p.email', 'p.user_name as name', sql<number>`2`.as('rank')])
    .select(({ fn }) => fn.max('p.joined_at').as('seen'))
    .where(({ ref }) => named(ref('p.user_id'), ref('p.email')))
    .where('p.email', '<>', '')
    .groupBy(['p.user_id', 'p.email', 'p.user_name'])
  const known = db
    .selectFrom(rows(users).as('u'))
    .select(['u.id', 'u.email', 'u.display_name as name', sql<number>`1`.as('rank')])
    .select(sql<string | null>`null::timestamptz`.as('seen'))
    .where(({ ref }) => named(ref('u.id'), ref('u.email')))
    .unionAll(stayed)
  const found = await db
    .selectFrom(known.as('u'))
    .select(({ fn, ref }) => [
      filled(ref('u.id')).as('id'),
      filled(fn<string | null>('lower', ['u.email'])).as('email'),
      filled(ref('u.name')).as('name'),
    ])
    .orderBy('u.rank')
    .orderBy('u.seen', (order) => order.desc().nullsLast())
    .orderBy('u.id')
    .orderBy('u.email')
    .orderBy(({ ref }) => byBytes(ref('u.name')))
    .execute()
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

/** Whether a row with this ID and address belongs to the person. Without a person, each row does. */
export function isPerson(id: Text, email: Text, person: Person | undefined): RawBuilder<boolean> {
  if (person === undefined) return sql`true`
  return sql`(${id} = any(${[...person.ids]}::text[])
    or lower(${email}) = any(${[...person.emails]}::text[]))`
}

/** Whether a person is from outside the account. The service returns no address of such a person. */
export function isOutside(email: Text): RawBuilder<boolean> {
  return sql`coalesce(${email}, '') = ''`
}

/** Returns the most precise recorded identity. People from outside have only a name. */
export function personKey(id: Text, email: Text, name: Text): RawBuilder<string> {
  return sql`coalesce(${filled(id)}, nullif(lower(${email}), ''),
    'name: ' || coalesce(${name}, '')) collate "C"`
}
