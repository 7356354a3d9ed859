/** The ways of each factor, by its name. */
export type Factors = Readonly<Record<string, readonly string[]>>
export type Row = Readonly<Record<string, string>>

/**
 * Rows in which each way of each factor stands, and each two ways of two factors of at most so many ways
 * stand together: a fault of two that do not go together shows in one of them. Far fewer than all there are,
 * and the same each time. A row begins with a pair that is lacking, and takes of every other factor the way
 * that brings most, else the one that was used least.
 */
export function coveringRows(
  factors: Factors,
  { mostWays = Number.MAX_SAFE_INTEGER, apart = [] }: Limits = {},
): Row[] {
  const barred = new Set(
    apart.flatMap(([some, others]) =>
      some.flatMap((one) => others.map((other) => pairName([one, other]))),
    ),
  )
  const fit = (way: Way, row: Iterable<Way>): boolean =>
    ![...row].some((other) => barred.has(pairName([way, other])))
  const wanted = pairsOf(factors, mostWays).map(pairName)
  const lacking = new Set(wanted.filter((pair) => !barred.has(pair)))
  const used = new Map<string, number>()
  const uses = (way: Way): number => used.get(wayName(way)) ?? 0
  // Factors of many ways come first, while the others still fit to them.
  const order = Object.entries(factors).toSorted(([, a], [, b]) => b.length - a.length)
  const rows: Row[] = []
  const isLacking = (way: Way): boolean => uses(way) === 0
  const all = order.flatMap(([name, ways]) => ways.map((way): Way => [name, way]))
  while (lacking.size > 0 || all.some(isLacking)) {
    const row = new Map(begin(lacking))
    for (const [name, ways] of order) {
      if (row.has(name)) continue
      const brings = (way: string): number =>
        [...row].filter((other) => lacking.has(pairName([[name, way], other]))).length
      const [best] = ways
        .filter((way) => fit([name, way], row))
        .toSorted((a, b) => brings(b) - brings(a) || uses([name, a]) - uses([name, b]))
      if (best === undefined) throw new Error(`No way of ${name} goes together with the others`)
      row.set(name, best)
    }
    const ways = [...row]
    for (const way of ways) used.set(wayName(way), uses(way) + 1)
    for (const pair of pairsIn(ways)) lacking.delete(pairName(pair))
    rows.push(Object.fromEntries(row))
  }
  return rows
}

export type Way = readonly [factor: string, way: string]
export interface Limits {
  /** Factors of more ways are not paired. */
  mostWays?: number
  /** Ways that do not stand with those beside them. */
  apart?: readonly (readonly [readonly Way[], readonly Way[]])[]
}
type Pair = readonly [Way, Way]

/** Each two ways of two factors of at most so many ways. */
export function pairsOf(factors: Factors, mostWays: number): Pair[] {
  const few = Object.entries(factors).filter(([, ways]) => ways.length <= mostWays)
  const ways = few.flatMap(([name, all]) => all.map((way): Way => [name, way]))
  return pairsIn(ways).filter(([[one], [other]]) => one !== other)
}

function pairsIn(ways: readonly Way[]): Pair[] {
  return ways.flatMap((one, at) => ways.slice(at + 1).map((other): Pair => [one, other]))
}

/** The first of the pairs, as they stand in a row. */
function begin(lacking: ReadonlySet<string>): Way[] {
  const [first] = lacking
  if (first === undefined) return []
  return JSON.parse(first) as [Way, Way]
}

/** Of two ways, in whichever order. */
function pairName([one, other]: Pair): string {
  return JSON.stringify(wayName(one) < wayName(other) ? [one, other] : [other, one])
}

function wayName(way: Way): string {
  return way.join('=')
}
