import { hash } from '../base/random.ts'

/** The parameters of a drawn day of changes. */
export interface Day {
  seed: number
  scale: number
  nowMs: number
  /** When the account was last synced, if known. */
  sinceMs?: number | undefined
}

/** Returns a function that draws a share of the rows that fit: at least one if possible, and none twice. */
export function drawer(day: Day, salt: number, taken = new Set<number>()) {
  let draws = 0
  return (
    span: { from: number; until: number },
    share: number,
    fits: (i: number) => boolean,
  ): number[] => {
    const width = span.until - span.from
    const wanted = width <= 0 ? 0 : Math.max(1, Math.round(width * share * day.scale))
    const found: number[] = []
    for (let tries = 0; tries < wanted * 40 && found.length < wanted; tries++) {
      const index = span.from + (hash(day.seed, salt, draws++) % width)
      if (taken.has(index) || !fits(index)) continue
      taken.add(index)
      found.push(index)
    }
    return found
  }
}
