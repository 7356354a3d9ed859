import { POINTS } from '../../helpers/kill-points.ts'

export interface NameSums {
  /** All that there are. */
  names: number
  /** Those at which a child of this lane died. */
  namesKilled: number
  /** How many are left to other lanes, by what stands before the colon. */
  namesElsewhere: Readonly<Record<string, number>>
  /** Names of this lane that no trace listed or no child died at. */
  namesMissed: string[]
}

/** Each name is counted once: as one at which a child died, as another lane's, or as missed. */
export function nameSums(died: ReadonlySet<string>): NameSums {
  const alive = POINTS.filter((name) => !died.has(name))
  const elsewhere = alive.filter((name) => ELSEWHERE.test(name))
  const byKind = Object.groupBy(elsewhere, (name) => name.slice(0, name.indexOf(':')))
  return {
    names: POINTS.length,
    namesKilled: POINTS.length - alive.length,
    namesElsewhere: Object.fromEntries(
      Object.entries(byKind).map(([kind, names = []]) => [kind, names.length]),
    ),
    namesMissed: alive.filter((name) => !ELSEWHERE.test(name)),
  }
}

/**
 * No sync of these comes to them, and each has a lane of its own: `test/scenario/prune-kill.lane.test.ts`,
 * `test/scenario/evidence-killed.lane.test.ts`, `test/engine/retention`, `test/erase`, and here
 * `kill-archive` and `kill-flows`. Those of a lake are stopped at in `test/report/lake`, those of a move in
 * `test/cli/move-killed.lane.test.ts`.
 */
const ELSEWHERE =
  /^(prune|retention|erase|download|draft|store|files|evidence|login|device|logout|lake|move):/
