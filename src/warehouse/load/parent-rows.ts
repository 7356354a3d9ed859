import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Span } from '../../core/time/spans.ts'
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

type FanOut = Extract<Stream['sync'], { kind: 'fan-out' }>

export interface ParentRow {
  key: string[]
  /**
   * A digest of the parent's version fields, because these may be personal, or else of the instants that the
   * request states. Empty without either.
   */
  version: string
  /** Whether the fan-out stream has a present row for it; always true without `again`. */
  held: boolean
  /** Whether it is in a list beside the windows, such as the trash. */
  besides?: boolean
  /** The time span of its records; undefined if the parent has none or it is not needed. */
  span?: Span | undefined
  /** When it expires, in epoch milliseconds; undefined if it does not. */
  expiresAtMs?: number | undefined
}

/** The instants of these rows, in epoch milliseconds, from the column that places them in a window. */
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

/** The unexpired parents of a fan-out stream, in its declared order, earliest first. */
export async function parentRows(
  warehouse: Warehouse,
  { account, stream, sync }: { account: string; stream: Stream; sync: FanOut },
): Promise<ParentRow[]> {
  const { parent, order, again, within } = sync
  const expiresAt = parent.deletions.by === 'detail' ? parent.deletions.expiresAt : undefined
  const named = again?.versions ?? (within === undefined ? [] : [within.from, within.to])
  const fields = sql`jsonb_build_array(${columnList(named, 'p')})::text`
  const version = sql<string>`left(encode(sha256(convert_to(${fields}, 'UTF8')), 'hex'), 32)`
  // In the select clause a list too large to hash would be searched through for each parent.
  const children = warehouse.db
    .selectFrom(presentRows({ account, stream }).as('c'))
    .select(firstKey(stream, 'c').as('parent'))
    .distinct()
    .$if(again === undefined, (none) => none.where(sql<boolean>`false`))
  const column = parent.sync.kind === 'windows' ? parent.sync.besidesColumn : undefined
  const instant = (name: string | undefined) =>
    name === undefined ? sql<null>`null` : sql.id<string | null>('p', name)
  const rows = await warehouse.db
    .selectFrom(presentRows({ account, stream: parent }).as('p'))
    .leftJoin(children.as('h'), (join) => join.on('h.parent', '=', firstKey(parent, 'p')))
    .select([
      keyTexts(parent, 'p').as('key'),
      (named.length === 0 ? sql<string>`''` : version).as('version'),
      sql<boolean>`${again === undefined} or h.parent is not null`.as('held'),
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
