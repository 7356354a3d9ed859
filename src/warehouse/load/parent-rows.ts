import { sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import type { Span } from '../../core/time/spans.ts'
import { widestSpan } from '../../core/time/widest-span.ts'
import type { Warehouse } from '../connection/connect.ts'
import { anyOf } from '../connection/expressions.ts'
import {
  columnList,
  current,
  firstKey,
  keyTexts,
  presentRows,
  unexpired,
} from '../connection/table-sql.ts'

type FanOut = Extract<Stream['sync'], { kind: 'fan-out' }>

export interface ParentRow {
  key: string[]
  /**
   * A digest of the parent's version fields, as these may be personal, or of the instants that the request is
   * told; empty where there are none.
   */
  version: string
  /** Whether any row of the fan-out stream is held for it. */
  held: boolean
  /** It is in a list outside the windows, as the trash. */
  besides?: boolean
  /** Between which instants its records lie; undefined where the parent tells neither, or is not asked. */
  span?: Span | undefined
  /** When it will be gone, in epoch milliseconds; undefined for what stays. */
  expiresAtMs?: number | undefined
}

/** When these rows of a stream were, in epoch milliseconds, by the column that places them in a window. */
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

/**
 * The parents of a fan-out stream that may still be asked for, in the order that it declares, earliest first.
 */
export async function parentRows(
  warehouse: Warehouse,
  { account, stream, sync }: { account: string; stream: Stream; sync: FanOut },
): Promise<ParentRow[]> {
  const { parent, order, again, within } = sync
  const expiresAt = parent.deletions.by === 'detail' ? parent.deletions.expiresAt : undefined
  const named = again?.versions ?? (within === undefined ? [] : [within.from, within.to])
  const fields = sql`jsonb_build_array(${columnList(named, 'p')})::text`
  const version = sql<string>`left(encode(sha256(convert_to(${fields}, 'UTF8')), 'hex'), 32)`
  const children = warehouse.db
    .selectFrom(presentRows({ account, stream }).as('c'))
    .select(firstKey(stream, 'c').as('parent'))
  const column = parent.sync.kind === 'windows' ? parent.sync.besidesColumn : undefined
  const instant = (name: string | undefined) =>
    name === undefined ? sql<null>`null` : sql.id<string | null>('p', name)
  const rows = await warehouse.db
    .selectFrom(presentRows({ account, stream: parent }).as('p'))
    .select([
      keyTexts(parent, 'p').as('key'),
      (named.length === 0 ? sql<string>`''` : version).as('version'),
      sql<boolean>`${again === undefined} or ${firstKey(parent, 'p')} in ${children}`.as('held'),
      sql<boolean>`${column === undefined ? null : sql.id('p', column)} is true`.as('besides'),
      instant(within?.from).as('from'),
      instant(within?.to).as('to'),
      instant(expiresAt).as('expires'),
    ])
    .where(unexpired('p', expiresAt))
    .orderBy(sql.id('p', order), (direction) => direction.asc().nullsLast())
    .orderBy('key')
    .execute()
  return rows.map(({ from, to, expires: at, ...row }) => ({
    ...row,
    span: widestSpan(from, to),
    ...(at === null ? {} : { expiresAtMs: Date.parse(at) }),
  }))
}
