import { hash, unit } from '../base/random.ts'
import { HOUR_MS } from '../base/wire-time.ts'
import { SITES } from './words.ts'

/** Start times that increase with the index: a window is a range of indexes, which bisection finds. */
export interface Curve {
  readonly rows: number
  startMs(index: number): number
  /** Returns the first row that starts at or after `ms`; `rows` if none does. */
  firstAtOrAfter(ms: number): number
}

/**
 * Makes a curve of a working day: rows are frequent on weekdays in office hours at every site, with lunch
 * breaks and quiet nights.
 */
export function busyHours(options: {
  fromMs: number
  untilMs: number
  seed: number
  rows: number
}): Curve {
  const { fromMs, untilMs, seed, rows } = options
  const hours = Math.max(1, Math.floor((untilMs - fromMs) / HOUR_MS))
  const sums = new Float64Array(hours + 1)
  for (let hour = 0; hour < hours; hour++) {
    const weight = busyness(fromMs + hour * HOUR_MS) * (0.8 + 0.4 * unit(seed, 0xb, hour))
    sums[hour + 1] = (sums[hour] ?? 0) + weight
  }
  const total = sums[hours] ?? 1
  const startMs = (index: number): number => {
    const target = ((index + hash(seed, 0x57, index) / 2 ** 32) / rows) * total
    const hour = bisect(hours, (h) => (sums[h + 1] ?? 0) > target)
    const low = sums[hour] ?? 0
    const share = (target - low) / ((sums[hour + 1] ?? 1) - low)
    return Math.floor((fromMs + (hour + Math.min(share, 1)) * HOUR_MS) / 1000) * 1000
  }
  return {
    rows,
    startMs,
    firstAtOrAfter: (ms) => bisect(rows, (index) => startMs(index) >= ms),
  }
}

/**
 * Returns the smallest number in [0, count) for which `holds` returns true; `count` if there is none. `holds`
 * must be true for all larger numbers too.
 */
export function bisect(count: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function busyness(ms: number): number {
  let weight = 0
  for (const site of SITES) {
    const local = new Date(ms + site.utcHours * HOUR_MS)
    const day = local.getUTCDay()
    const office = OFFICE_HOURS[local.getUTCHours()] ?? 0
    weight += site.weight * (day === 0 || day === 6 ? office * 0.06 : office) + 0.02
  }
  return weight
}

const OFFICE_HOURS = [
  0, 0, 0, 0, 0, 0, 0.1, 0.3, 0.8, 1.5, 1.6, 1.3, 0.6, 1.1, 1.6, 1.4, 1.1, 0.6, 0.3, 0.2, 0.1, 0.05,
  0, 0,
]
