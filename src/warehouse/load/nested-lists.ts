import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import { otherHash } from '../../core/records/record-hash.ts'
import type { CutChildren, DoubtedList, PreparedRow } from '../../core/records/row-batch.ts'
import type { Transaction } from '../connect.ts'
import { current, firstKey, incomingRows, presentRows, sameKey } from '../schema/table-sql.ts'

interface JudgedRows {
  rows: PreparedRow[]
  doubts: DoubtedList[]
}

/** A record's stored nested list; `steady` if the columns that measure the list are unchanged. */
interface HeldList {
  parent: string
  held: number
  steady: boolean
}

/** Checks the lists of records that are not in the table. These lists have no stored rows. */
export function judgeNewLists(rows: readonly PreparedRow[], stream: Stream): JudgedRows {
  return judge(rows, stream, [])
}

/**
 * Treats lists that prove no deletion as incomplete: their stored rows stay, and every later read takes the
 * record for changed until its list is trusted.
 */
export async function judgeLists(
  tx: Transaction,
  target: { account: string; stream: Stream },
  rows: readonly PreparedRow[],
): Promise<JudgedRows> {
  const held: ReadonlyMap<string, HeldList>[] = []
  const lists = rows[0]?.children ?? []
  for (const [at, { stream: child }] of lists.entries()) {
    const { sync } = child
    const isMeasured = sync.kind === 'nested' && sync.measuredBy !== undefined
    const asked = isMeasured ? rows : rows.filter((row) => row.children[at]?.rows.length === 0)
    const found = asked.length === 0 ? [] : await heldLists(tx, target, { child, rows: asked })
    held.push(new Map(found.map((list) => [list.parent, list])))
  }
  return judge(rows, target.stream, held)
}

function judge(
  rows: readonly PreparedRow[],
  stream: Stream,
  held: readonly ReadonlyMap<string, HeldList>[],
): JudgedRows {
  const doubts: DoubtedList[] = []
  const judged = rows.map((row) => {
    const parent = row.key[0] as string
    const why = row.children.map((list, at) => doubtAbout(row, { stream, list, held: held[at] }))
    if (why.every((one) => one === undefined)) return row
    const children = row.children.map((list, at): CutChildren => {
      const doubt = why[at]
      if (doubt === undefined) return list
      doubts.push({ stream: list.stream, parent, why: doubt, slice: row.slice })
      return { ...list, whole: false }
    })
    // If a part of the record was set aside, its hash already matches no record.
    const hash = row.children.every(({ whole }) => whole) ? otherHash(row.hash) : row.hash
    return { ...row, children, hash }
  })
  return { rows: judged, doubts }
}

function doubtAbout(
  row: PreparedRow,
  {
    stream,
    list,
    held,
  }: { stream: Stream; list: CutChildren; held: ReadonlyMap<string, HeldList> | undefined },
): DoubtedList['why'] | undefined {
  const { sync } = list.stream
  if (sync.kind !== 'nested' || !list.whole) return undefined
  const { held: rows = 0, steady = false } = held?.get(row.key[0] as string) ?? {}
  const { countedBy } = sync
  const count =
    countedBy === undefined ? null : row.values[Object.keys(stream.columns).indexOf(countedBy)]
  return doubtOf({
    given: list.given,
    listed: list.rows.length,
    held: rows,
    steady,
    counted: count === null || count === undefined ? undefined : BigInt(count),
    listedInAll: row.children.reduce((sum, { rows: all }) => sum + all.length, 0),
  })
}

async function heldLists(
  tx: Transaction,
  { account, stream }: { account: string; stream: Stream },
  { child, rows }: { child: Stream; rows: readonly PreparedRow[] },
): Promise<HeldList[]> {
  const columns = (child.sync.kind === 'nested' && child.sync.measuredBy) || []
  const same = columns.map(
    (name) => sql`${sql.id('t', name)} is not distinct from ${sql.id('i', name)}`,
  )
  const known = columns.map((name) => sql`${sql.id('t', name)} is not null`)
  const steady =
    columns.length === 0
      ? sql<boolean>`false`
      : sql<boolean>`bool_and((${sql.join(known, sql` or `)}) and ${sql.join(same, sql` and `)})`
  return await tx
    .selectFrom(incomingRows(stream, rows).as('i'))
    .innerJoin(current(stream).as('t'), (join) => join.on(sameKey(stream, 't', 'i')))
    .innerJoin(presentRows({ account, stream: child }).as('c'), (join) =>
      join.on(sql<boolean>`${firstKey(child, 'c')} = ${firstKey(stream, 't')}`),
    )
    .select(({ fn }) => [
      firstKey(child, 'c').as('parent'),
      fn.countAll<number>().as('held'),
      steady.as('steady'),
    ])
    .where('t.account', '=', account)
    .groupBy(firstKey(child, 'c'))
    .execute()
}

/** A nested list in a record, compared with its stored rows. */
interface NestedList {
  given: boolean
  /** Records in the list. */
  listed: number
  /** Present rows in the table. */
  held: number
  /** True if the columns that measure the list are the same as in the stored row. */
  steady: boolean
  /** The record's own count of all its nested records; undefined if it has none. */
  counted: bigint | undefined
  /** Records in all lists of the record. */
  listedInAll: number
}

/** Returns why a list does not prove that rows missing from it are deleted; undefined if it does. */
export function doubtOf(list: NestedList): DoubtedList['why'] | undefined {
  const { given, listed, held, steady, counted, listedInAll } = list
  if (steady && listed < held) return 'contradicted'
  if (counted !== undefined && counted > 0n && listedInAll === 0) return 'contradicted'
  if (listed > 0 || held === 0) return undefined
  return given ? 'emptied' : 'absent'
}
