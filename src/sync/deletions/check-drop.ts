import { type DropLimits, isLargeDrop } from '../../core/values/large-drop.ts'
import type { GroupRead } from '../read/read-group.ts'
import type { SliceReading } from '../run/slice-reading.ts'
import type { Keys } from './missing-rows.ts'

/** How many rows the lists of one group own, and how many of them they no longer show. */
export interface Drop {
  owned: number
  missing: number
  /** The missing rows. Without detail calls, less the unusable records, which may be some of them. */
  fallen: number
  /** Trips the guard if its list is suddenly empty. */
  alone: boolean
  /** How many of the group's lists had rows. */
  filled: number
  /** How many of the filled lists are now empty; counted only for the rule `second-read`. */
  emptied: number
}

/**
 * Decides which groups' missing rows wait for a person. A group's rows wait if its drop exceeds both limits,
 * or if it is `alone` and its several rows are all missing. All rows of a stream wait if their sum exceeds
 * both limits, or if several lists, and more than half of all, are now empty: a drop spread over many lists
 * trips the guard too. A drop of at most `own` rows is exempt, since our calls just removed as many.
 */
export function judgeDrops(
  drops: readonly Drop[],
  { own = 0, ...limits }: DropLimits & { own?: number },
): boolean[] {
  const isPast = ({ fallen, owned }: Pick<Drop, 'fallen' | 'owned'>): boolean =>
    isLargeDrop(fallen, owned, limits)
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

/** The drop of a group with these missing keys. */
export function dropOf(
  { group, table, readings }: Pick<GroupRead, 'group' | 'readings'> & { table: { loaded: number } },
  keys: Keys,
): Drop {
  const { stream, owned: of } = group
  const [owned, missing] = [table.loaded, keys.length]
  // Unusable records may be some of the missing rows; then only a detail call marks a row as deleted.
  const unusable = stream.deletions.by === 'detail' ? 0 : sum(readings, unusableIn)
  const fallen = Math.max(0, missing - unusable)
  const bySecondRead = stream.deletions.by === 'second-read'
  const alone =
    (of.kind === 'all' && stream.mayBeEmpty !== true) || (of.kind === 'windows' && bySecondRead)
  if (of.kind !== 'parents') {
    const [filled, emptied] = [owned > 0, owned > 0 && missing === owned && bySecondRead].map(
      Number,
    )
    return { owned, missing, fallen, alone, filled: filled ?? 0, emptied: emptied ?? 0 }
  }
  const parents = new Set(keys.map(([parent]) => parent))
  const isEmpty = ({ received, erased }: SliceReading): boolean => received <= erased
  const isOf = ({ slice }: SliceReading): boolean => parents.has(slice.parent?.[0])
  const emptied = bySecondRead ? readings.filter((one) => isEmpty(one) && isOf(one)).length : 0
  const filled = readings.filter((one) => !isEmpty(one)).length + emptied
  return { owned, missing, fallen, alone, filled, emptied }
}

function unusableIn({ quarantined, refused }: SliceReading): number {
  return quarantined + refused
}

function sum(readings: readonly SliceReading[], of: (reading: SliceReading) => number): number {
  return readings.reduce((all, reading) => all + of(reading), 0)
}
