import type { LiveAccount, Placed, TextRow } from '../../core/define/desired.ts'
import { allocateNumbers } from '../../resources/number-changes.ts'
import { phoneNumbers } from '../../resources/phone-numbers.ts'
import type { findNumbers } from './find-numbers.ts'
import type { NumberWish } from './number-wish.ts'

/** Returns why an edit is outdated: the service has neither the inventory's value nor the wanted one. */
export function movedMeanwhile({ was, allocated_product, site }: NumberWish, row: TextRow) {
  if (was === undefined) return undefined
  const moved = (wanted: string | undefined, name: keyof typeof was): string | undefined => {
    const now = row[name] ?? null
    if (wanted === undefined || now === was[name] || now === wanted) return undefined
    const [before, since] = [was[name] ?? 'none', now ?? 'none']
    return `it was ${before} in the inventory and is ${since} since: make a new inventory`
  }
  return moved(allocated_product, 'allocated_product') ?? moved(site, 'site_name')
}

/** Whether a number whose product was edited has been freed since the inventory. */
export function isFreedSince(
  { was, allocated_product: product }: NumberWish,
  row: TextRow,
): boolean {
  if (was === undefined || product === undefined) return false
  return row.allocated_product === FREE && was.allocated_product !== FREE
}

/** Returns the IDs of numbers that Callsheet freed with the first of two calls, without the second. */
export async function freedOnTheWay(live: LiveAccount): Promise<Set<string>> {
  const halfway = new Set<string>()
  for (const { state, body, toFollow } of await live.writes([allocateNumbers])) {
    // If the response was lost and the number is free now, the call did not change the number.
    if (state === 'unknown' && body.allocated_product !== FREE) continue
    for (const id of (body.numbers ?? []) as string[])
      if (toFollow > 0) halfway.add(id)
      else halfway.delete(id)
  }
  return halfway
}

/** Returns earlier states of the numbers, for files whose original content is unknown. */
export async function formerly(
  entries: readonly Placed<NumberWish>[],
  find: Awaited<ReturnType<typeof findNumbers>>,
  live: LiveAccount,
): Promise<Map<string | null | undefined, TextRow[]>> {
  const values = entries.flatMap(({ entry: wish }) => {
    const found = wish.unsure === true ? find(wish) : undefined
    return found !== undefined && 'row' in found ? (found.row.id ?? []) : []
  })
  const columns = ['id', 'allocated_product', 'site_id']
  const by = { column: 'id', values }
  const rows = values.length === 0 ? [] : await live.former({ stream: phoneNumbers, columns, by })
  return Map.groupBy(rows, ({ id }) => id)
}

/** Whether the wish would return a product or site to an earlier value. */
export function wasSo(
  former: readonly TextRow[],
  { row, wanted }: { row: TextRow; wanted: { product: string; site: string | undefined } },
): boolean {
  const { product, site } = wanted
  return former.some(
    (old) =>
      (product !== row.allocated_product && old.allocated_product === product) ||
      (site !== undefined && site !== row.site_id && old.site_id === site),
  )
}

export const FREE = 'UNALLOCATED'
