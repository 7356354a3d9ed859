import { expressionBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Window } from '../../core/time/spans.ts'
import { widestSpan } from '../../core/time/widest-span.ts'
import type { Warehouse } from '../connect.ts'
import { anyOf } from '../schema/expressions.ts'
import {
  columnList,
  current,
  firstKey,
  keyTexts,
  presentRows,
  unexpired,
} from '../schema/table-sql.ts'
import type { Database } from '../schema/types.ts'

type FanOut = Extract<Stream['sync'], { kind: 'fan-out' }>

export interface FanOutScope {
  account: string
  stream: Stream
  sync: FanOut
}

export interface ParentRow {
  key: string[]
  /**
   * A digest of the parent's version fields, which may be personal, or of the instants in its request. Empty
   * if it has neither.
   */
  version: string
  /** True if the parent is in a list beside the windows, such as the trash. */
  besides?: boolean
  /** The time span of the parent's records; undefined if there is none or it is not needed. */
  span?: Window | undefined
  /** When the parent expires, in epoch milliseconds; undefined if it does not. */
  expiresAtMs?: number | undefined
}

/** Returns the instants, in epoch milliseconds, that place these rows in windows. */
export async function parentInstants(
  warehouse: Warehouse,
  { account, stream, column }: { account: string; stream: Stream; column: string },
  keys: readonly string[],
): Promise<number[]> {
  const at = sql.id<string>('p', column)
  const rows = await warehouse.db
    .selectFrom(current(stream).as('p'))
    .select(at.as('at'))
    .where('p.account', '=', account)
    .where(firstKey(stream, 'p'), '=', anyOf(keys))
    .where(at, 'is not', null)
    .execute()
  return rows.map((row) => Date.parse(row.at))
}

/** Selects a fan-out stream's unexpired parents; `place` is the column of their declared order. */
export function parentsOf({ account, sync }: FanOutScope) {
  const { parent, order, again, within } = sync
  const expiresAt = parent.deletions.by === 'detail' ? parent.deletions.expiresAt : undefined
  const named = again?.versions ?? (within === undefined ? [] : [within.from, within.to])
  const fields = sql`jsonb_build_array(${columnList(named, 'p')})::text`
  const version = sql<string>`left(encode(sha256(convert_to(${fields}, 'UTF8')), 'hex'), 32)`
  const column = parent.sync.kind === 'windows' ? parent.sync.besidesColumn : undefined
  const instant = (name: string | undefined) =>
    name === undefined ? sql<null>`null::timestamptz` : sql.id<string | null>('p', name)
  return expressionBuilder<Database>()
    .selectFrom(presentRows({ account, stream: parent }).as('p'))
    .select([
      firstKey(parent, 'p').as('id'),
      keyTexts(parent, 'p').as('key'),
      (named.length === 0 ? sql<string>`''` : version).as('version'),
      sql<boolean>`${column === undefined ? null : sql.id('p', column)} is true`.as('besides'),
      instant(within?.from).as('from'),
      instant(within?.to).as('to'),
      instant(expiresAt).as('expires'),
      sql.id('p', order).as('place'),
    ])
    .where(unexpired('p', expiresAt))
}

/** Returns the parents with these IDs that are still present and unexpired. */
export async function parentRows(
  { db }: Warehouse,
  scope: FanOutScope,
  ids: readonly string[],
): Promise<ParentRow[]> {
  const rows = await db
    .selectFrom(parentsOf(scope).as('p'))
    .select(['p.key', 'p.version', 'p.besides', 'p.from', 'p.to', 'p.expires'])
    .where('p.id', '=', anyOf(ids))
    .execute()
  return rows.map(({ from, to, expires: at, ...row }) => ({
    ...row,
    span: widestSpan(from, to),
    ...(at === null ? {} : { expiresAtMs: Date.parse(at) }),
  }))
}
