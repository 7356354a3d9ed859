import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import { joinKey } from '../../core/records/record-key.ts'
import type { LeftRows, PlacedRow, PreparedRow } from '../../core/records/row-batch.ts'
import { holds } from '../../core/time/spans.ts'
import type { Transaction } from '../connect.ts'
import { current, keyTexts, sameKey, typedKeys } from '../schema/table-sql.ts'

interface Target {
  account: string
  stream: Stream
}

/**
 * Returns the rows that may be merged, and adds others to `left`: rows that are stored in another place, and
 * rows that would replace a stored value with an unreadable one, also in nested rows. Their stored versions
 * stay unchanged, with their nested rows. Drops `late` rows that are not stored in another place.
 */
export async function mergeable(
  tx: Transaction,
  target: Target,
  { rows, left }: { rows: readonly PreparedRow[]; left: LeftRows },
): Promise<PreparedRow[]> {
  const elsewhere = await placedElsewhere(tx, target, rows)
  left.elsewhere.push(...elsewhere)
  const apart = new Set(elsewhere.map(({ row }) => row))
  const here = rows.filter((row) => !apart.has(row) && row.late !== true)
  const losing = await losingRows(tx, target, here)
  left.unreadable.push(...losing)
  return losing.size === 0 ? here : here.filter((row) => !losing.has(row))
}

async function placedElsewhere(
  tx: Transaction,
  target: Target,
  rows: readonly PreparedRow[],
): Promise<PlacedRow[]> {
  const columns = new Set(rows.flatMap(({ placedBy = [] }) => placedBy))
  const found: PlacedRow[] = []
  for (const column of columns) {
    const placed = rows.filter(({ placedBy }) => placedBy?.includes(column))
    const at = Object.keys(target.stream.columns).indexOf(column)
    const held = await heldValues(tx, target, { column, rows: placed })
    for (const row of placed) {
      const place = held.get(joinKey(row.key))
      const came = row.values[at] ?? null
      if (place === undefined || came === null || isSamePlace(place, came)) continue
      if (row.from === place || (row.owned && holds(row.owned, Date.parse(place)))) continue
      found.push({ row, column, held: place })
    }
  }
  return found
}

/** Compares texts exactly, and instants by time, because their fractions may be written differently. */
function isSamePlace(one: string, other: string): boolean {
  return one === other || Date.parse(one) === Date.parse(other)
}

async function losingRows(
  tx: Transaction,
  { account, stream }: Target,
  rows: readonly PreparedRow[],
): Promise<Set<PreparedRow>> {
  const losing = new Set<PreparedRow>()
  const look = async (of: Stream, broken: readonly (readonly [PreparedRow, PreparedRow])[]) => {
    const columns = new Set(broken.flatMap(([, row]) => row.broken ?? []))
    for (const column of columns) {
      const some = broken.filter(([, row]) => row.broken?.includes(column))
      const held = await heldValues(
        tx,
        { account, stream: of },
        { column, rows: some.map(([, row]) => row) },
      )
      for (const [whole, row] of some) if (held.has(joinKey(row.key))) losing.add(whole)
    }
  }
  await look(
    stream,
    rows.filter(isBroken).map((row) => [row, row]),
  )
  for (const [at, child] of (rows[0]?.children ?? []).entries())
    await look(
      child.stream,
      rows.flatMap((row) =>
        (row.children[at]?.rows ?? []).filter(isBroken).map((part) => [row, part] as const),
      ),
    )
  return losing
}

function isBroken({ broken = [] }: PreparedRow): boolean {
  return broken.length > 0
}

/**
 * Returns the non-null values of a column in the present rows of these keys, by key. The rows are locked, so
 * that nobody changes their place before the merge.
 */
async function heldValues(
  tx: Transaction,
  { account, stream }: Target,
  { column, rows }: { column: string; rows: readonly PreparedRow[] },
): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map()
  const value = sql.id('t', column)
  const keys = rows.map(({ key }) => key)
  const held = await tx
    .selectFrom(current(stream).as('t'))
    .innerJoin(typedKeys(stream, keys).as('k'), (join) => join.on(sameKey(stream, 't', 'k')))
    .select([keyTexts(stream, 't').as('key'), value.as('value')])
    .where('t.account', '=', account)
    .where('t._deleted_at', 'is', null)
    .where(value, 'is not', null)
    .forUpdate('t')
    .execute()
  return new Map(held.map((row) => [joinKey(row.key), String(row.value)]))
}
