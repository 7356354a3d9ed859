import type { LiveAccount, TextRow } from '../../core/define/desired.ts'
import { allocateNumbers } from '../../resources/number-changes.ts'
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
    // A call whose response was lost did not assign a number that is free now, so the call is skipped.
    if (state === 'unknown' && body.allocated_product !== FREE) continue
    for (const id of (body.numbers ?? []) as string[])
      if (toFollow > 0) halfway.add(id)
      else halfway.delete(id)
  }
  return halfway
}

export const FREE = 'UNALLOCATED'
