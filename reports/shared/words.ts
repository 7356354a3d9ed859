import type { Interval } from './statistics.ts'

/** Puts a sentence's first letter in lower case, for use inside another sentence. */
export function lowerFirst(sentence: string): string {
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`
}

/** Formats a share like the renderers. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** Formats a share with enough digits to show that it differs from a limit, if it does. */
export function percentBeside(share: number, limit: number): string {
  const text = (value: number, digits: number): string => `${(value * 100).toFixed(digits)} %`
  const digits = [1, 2, 3, 4].find((count) => text(share, count) !== text(limit, count)) ?? 1
  return text(share, digits)
}

/** A difference of two shares, in percentage points. */
export function pointsText(difference: number): string {
  return `${signed(difference)} pp`
}

/** Formats the interval of a share: `3.7–6.2 %`. */
export function intervalText(interval: Interval | undefined): string {
  return interval === undefined
    ? ''
    : `${(interval.low * 100).toFixed(1)}–${(interval.high * 100).toFixed(1)} %`
}

/** Formats the interval of a difference of two shares: `+1.9 to +4.5 pp`. */
export function pointsInterval({ low, high }: Interval): string {
  return `${signed(low)} to ${signed(high)} pp`
}

function signed(difference: number): string {
  const size = (Math.abs(difference) * 100).toFixed(1)
  return size === '0.0' ? '±0.0' : `${difference > 0 ? '+' : '−'}${size}`
}
