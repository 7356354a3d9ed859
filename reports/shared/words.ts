import type { Interval } from './statistics.ts'

/** For the middle of a sentence. */
export function lowerFirst(sentence: string): string {
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`
}

/** A share as the renderers write it. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** A share with as many digits as it takes to differ from a limit, if it does. */
export function percentBeside(share: number, limit: number): string {
  const text = (value: number, digits: number): string => `${(value * 100).toFixed(digits)} %`
  const digits = [1, 2, 3, 4].find((count) => text(share, count) !== text(limit, count)) ?? 1
  return text(share, digits)
}

/** A difference of two shares, in percentage points. */
export function pointsText(difference: number): string {
  return `${signed(difference)} pp`
}

/** Of a share: `3.7–6.2 %`. */
export function intervalText(interval: Interval | undefined): string {
  return interval === undefined
    ? ''
    : `${(interval.low * 100).toFixed(1)}–${(interval.high * 100).toFixed(1)} %`
}

/** Of a difference of two shares: `+1.9 to +4.5 pp`. */
export function pointsInterval({ low, high }: Interval): string {
  return `${signed(low)} to ${signed(high)} pp`
}

function signed(difference: number): string {
  const size = (Math.abs(difference) * 100).toFixed(1)
  return size === '0.0' ? '±0.0' : `${difference > 0 ? '+' : '−'}${size}`
}
