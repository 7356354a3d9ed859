import { type RawBuilder, sql } from 'kysely'
import type { FileRows, FileSource } from '../../core/declare/file-source.ts'

// What the queries say of rows that stand for files, as `r`, and of their parents, as `p`.

export function parentOf({ stream }: FileRows): RawBuilder<unknown> {
  return sql.id('r', stream.key[0] as string)
}

/** The same as `fileItem` says. */
export function itemOf({ item, ordinal }: FileRows): RawBuilder<unknown> {
  const id = sql.id('r', item)
  if (ordinal === undefined) return id
  const at = sql.id('r', ordinal)
  return sql`(${id} || case when ${at} = 0 then '' else '#' || ${at} end)`
}

export function expiryOf({ expiresAt }: FileSource): RawBuilder<unknown> {
  return expiresAt === undefined ? sql`null::timestamptz` : sql.id('p', expiresAt)
}

export function youngEnough({ since }: FileRows, days: number | undefined): RawBuilder<unknown> {
  if (since === undefined || days === undefined) return sql`true`
  return sql`${sql.id('r', since)} > callsheet.clock() - make_interval(days => ${days})`
}

export function withheldBy({ withheld }: FileSource): RawBuilder<unknown> {
  return withheld === undefined ? sql`false` : sql`coalesce(${sql.id('p', withheld)}, false)`
}
