import { type RawBuilder, sql } from 'kysely'
import type { Identity } from '../../core/persons/identity.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { tableOf } from '../../warehouse/schema/table-sql.ts'
import type { ErasureScope } from './erasure-rows.ts'
import { likePatterns } from './patterns.ts'

/** The identifying columns of one version of a row. */
export interface PersonFact {
  /** 0 for a present row, 1 for a deleted row, 2 for an earlier version. */
  age: number
  /** The stream's identifying columns, by name. */
  columns: Record<string, string | null>
}

/**
 * Returns the versions of a stream's rows in which an identifying column may be one of the identities, in any
 * spelling. The caller must compare exactly.
 */
export async function personFacts(
  db: Transaction,
  { account, stream }: ErasureScope,
  identities: readonly Identity[],
): Promise<PersonFact[]> {
  const { person } = stream
  const sought = identities.filter(({ kind }) => kind !== 'name')
  if (person === undefined || sought.length === 0) return []
  const columns = [...new Set([...person.known, ...person.called.flat()])]
  const list = sql.join(columns.flatMap((name) => [sql`${name}::text`, sql.id('t', name)]))
  const hit = sql.join(
    person.known.map((name) => mayBe(sql.id('t', name), sought)),
    sql` or `,
  )
  const from = (schema: 'svc' | 'history', age: RawBuilder<number>) =>
    db
      .selectFrom(tableOf(schema, stream).as('t'))
      .select([
        age.as('age'),
        sql<PersonFact['columns']>`jsonb_build_object(${list})`.as('columns'),
      ])
      .where('t.account', '=', account)
      .where(sql<boolean>`(${hit})`)
  const present = sql<number>`case when t._deleted_at is null then 0 else 1 end`
  return await from('svc', present).union(from('history', sql<number>`2`)).execute()
}

/** Compares the column as it is, and with its encodings undone. */
function mayBe(column: RawBuilder<unknown>, sought: readonly Identity[]): RawBuilder<boolean> {
  const unveiled = sql`callsheet.unveiled(${column}::text)`
  return sql<boolean>`(${mayEqual(column, sought)}
    or (callsheet.veiled(${column}::text) and ${mayEqual(unveiled, sought)}))`
}

/** Compares IDs exactly. Addresses match by a pattern or, without a certain pattern, in lower case. */
function mayEqual(column: RawBuilder<unknown>, sought: readonly Identity[]): RawBuilder<boolean> {
  const ids = sought.flatMap(({ kind, text }) => (kind === 'id' ? [text] : []))
  const addresses = sought.filter(({ kind }) => kind === 'address')
  const patterns = addresses.flatMap(likePatterns)
  const odd = addresses.filter((address) => likePatterns(address).length === 0)
  const tests = [
    ...(ids.length === 0 ? [] : [sql`${column} = any(${ids}::text[])`]),
    ...(patterns.length === 0 ? [] : [sql`lower(${column}) like any(${patterns}::text[])`]),
    ...(odd.length === 0
      ? []
      : [sql`normalize(lower(${column}), NFC) = any(${odd.map(({ text }) => text)}::text[])`]),
  ]
  return sql<boolean>`(${sql.join(tests, sql` or `)})`
}
