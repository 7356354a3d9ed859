import type { Stream } from '../core/define/stream.ts'

/** What is expected of slices that were never read. */
export interface Forecast {
  calls: number
  /** The rows that they will show, each once. */
  rows: number
  /** Of some nobody can know how many pages they have: the figures are a floor. */
  atLeast: boolean
}

export const NONE: Forecast = { calls: 0, rows: 0, atLeast: false }

/** What a first page says of its list. */
export function pagesOf(
  { operation: { paging } }: Pick<Stream, 'operation'>,
  { count, total, isLast }: { count: number; total: number | undefined; isLast: boolean },
): Forecast {
  if (isLast) return { calls: 1, rows: count, atLeast: false }
  const counts = paging?.style === 'token' && paging.total !== 'other'
  if (!counts || total === undefined || total <= count)
    return { calls: 2, rows: count, atLeast: true }
  // The service may show shorter pages than it was asked for, or an empty one amid others.
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

/** What so many of a kind take, by what some of them take. */
export function scaled({ calls, rows, atLeast }: Forecast, of: number, many: number): Forecast {
  if (of === 0) return NONE
  return { calls: (calls * many) / of, rows: (rows * many) / of, atLeast }
}

/** Some of a list, evenly spread over it. */
export function spread<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all]
  return Array.from(
    { length: most },
    (_none, at) => all[Math.floor(((at + 0.5) * all.length) / most)] as T,
  )
}
