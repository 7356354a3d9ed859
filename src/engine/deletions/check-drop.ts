/** What the lists of one group, read together, hold and no longer show. */
export interface Drop {
  owned: number
  missing: number
  /** The missing rows, without those that may be among the records that cannot be used. */
  fallen: number
  /** One list, of which nothing else proves that it may come to nothing. */
  alone: boolean
  /** Its lists that held rows, and how many of these came to nothing. */
  filled: number
  emptied: number
}

export interface DropLimits {
  share: number
  rows: number
  /** So many rows were just taken away by our own calls. */
  own?: number
}

/**
 * Which groups' missing rows wait for a person: those of a group whose drop is past both limits, or whose
 * list of several rows comes to nothing; and all of a stream's, if their sum is past both limits, or if more
 * than half of its lists come to nothing. So a drop trips the guard in however many lists it lies.
 */
export function judgeDrops(
  drops: readonly Drop[],
  { share, rows, own = 0 }: DropLimits,
): boolean[] {
  const isPast = ({ fallen, owned }: Pick<Drop, 'fallen' | 'owned'>): boolean =>
    fallen > rows && fallen > share * owned
  const isEmptied = ({ alone, missing, owned }: Drop): boolean =>
    alone && missing === owned && owned > 1
  const all = { fallen: 0, owned: 0, filled: 0, emptied: 0 }
  for (const drop of drops)
    for (const name of Object.keys(all) as (keyof typeof all)[]) all[name] += drop[name]
  if (all.fallen <= own) return drops.map(() => false)
  const together = isPast(all) || (all.emptied > 1 && all.emptied * 2 > all.filled)
  return drops.map(
    (drop) =>
      drop.fallen > 0 && (together || ((isPast(drop) || isEmptied(drop)) && drop.fallen > own)),
  )
}
