import { bisect } from '../seed-data/calendar.ts'

/** A list of rows by position, stored as ranges of indexes and the differences from them. */
export interface Listing {
  readonly length: number
  /** Returns the index of the row at a position, which must exist. */
  at(position: number): number
}

/** Lists a range without some indexes, and with others inserted. */
export function rangeListing(options: {
  from: number
  until: number
  without: readonly number[]
  extras?: readonly { index: number; before: number }[]
}): Listing {
  const { from, until } = options
  const without = options.without.filter((n) => n >= from && n < until).sort((a, b) => a - b)
  const extras = [...(options.extras ?? [])].sort((a, b) => a.before - b.before)
  const cuts: { first: number; count: number; position: number }[] = []
  let position = 0
  let next = from
  const add = (first: number, count: number): void => {
    if (count <= 0) return
    cuts.push({ first, count, position })
    position += count
  }
  const advance = (to: number): void => {
    add(next, to - next)
    next = Math.max(next, to)
  }
  let extra = 0
  const takeExtras = (upTo: number): void => {
    for (let e = extras[extra]; e !== undefined && e.before <= upTo; e = extras[++extra]) {
      advance(Math.min(Math.max(e.before, next), until))
      add(e.index, 1)
    }
  }
  for (const index of without) {
    takeExtras(index)
    advance(index)
    next = index + 1
  }
  takeExtras(until)
  advance(until)
  takeExtras(Number.POSITIVE_INFINITY)
  return { length: position, at: (wanted) => lookUp(cuts, wanted) }
}

export function arrayListing(indexes: Int32Array | readonly number[]): Listing {
  return { length: indexes.length, at: (position) => indexes[position] as number }
}

export function reversed(listing: Listing): Listing {
  return { length: listing.length, at: (position) => listing.at(listing.length - 1 - position) }
}

/** Joins several lists in sequence. */
export function joined(listings: readonly Listing[]): Listing {
  const [only] = listings
  if (listings.length === 1 && only !== undefined) return only
  const length = listings.reduce((sum, one) => sum + one.length, 0)
  return {
    length,
    at(position) {
      let left = position
      for (const one of listings) {
        if (left < one.length) return one.at(left)
        left -= one.length
      }
      throw new RangeError(`position ${String(position)} is outside the list`)
    },
  }
}

/** Lists the rows that pass a filter, for filters that need every row. */
export function filtered(listing: Listing, passes: (index: number) => boolean): Listing {
  const kept: number[] = []
  for (let position = 0; position < listing.length; position++) {
    const index = listing.at(position)
    if (passes(index)) kept.push(index)
  }
  return arrayListing(Int32Array.from(kept))
}

function lookUp(
  cuts: readonly { first: number; count: number; position: number }[],
  wanted: number,
): number {
  const cut = cuts[bisect(cuts.length, (n) => (cuts[n]?.position ?? 0) > wanted) - 1]
  if (cut === undefined || wanted >= cut.position + cut.count)
    throw new RangeError(`position ${String(wanted)} is outside the list`)
  return cut.first + (wanted - cut.position)
}
