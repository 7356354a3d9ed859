import type { Stream } from '../core/define/stream.ts'

/** The expected calls and rows of slices that were never read. */
export interface Forecast {
  calls: number
  /** The distinct rows that these slices will show. */
  rows: number
  /** Some slice's page count is unknown, so the figures are a minimum. */
  atLeast: boolean
}

export const NONE: Forecast = { calls: 0, rows: 0, atLeast: false }

/** Estimates the calls and rows of a list from its first page. */
export function pagesOf(
  { operation: { paging } }: Pick<Stream, 'operation'>,
  { count, total, isLast }: { count: number; total: number | undefined; isLast: boolean },
): Forecast {
  if (isLast) return { calls: 1, rows: count, atLeast: false }
  const counts = paging?.style === 'token' && paging.total !== 'other'
  if (!counts || total === undefined || total <= count)
    return { calls: 2, rows: count, atLeast: true }
  // Pages may be shorter than requested, so the size of the first page is used, unless it is empty.
  const size = count > 0 ? count : paging.maxPageSize
  return { calls: Math.ceil(total / size), rows: total, atLeast: false }
}

export function plus(one: Forecast, other: Forecast): Forecast {
  return {
    calls: one.calls + other.calls,
    rows: one.rows + other.rows,
    atLeast: one.atLeast || other.atLeast,
  }
}

/** Extrapolates the cost of `of` items to `many` items. */
export function scaled({ calls, rows, atLeast }: Forecast, of: number, many: number): Forecast {
  if (of === 0) return NONE
  return { calls: (calls * many) / of, rows: (rows * many) / of, atLeast }
}

/** Picks at most `most` items, evenly spread over the list. */
export function spread<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all]
  return Array.from(
    { length: most },
    (_none, at) => all[Math.floor(((at + 0.5) * all.length) / most)] as T,
  )
}
