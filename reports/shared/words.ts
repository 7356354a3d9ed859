import { count } from '../../src/core/values/quantities.ts'
import type { Interval, Share } from './statistics.ts'

/** Puts a sentence's first letter in lower case, for use inside another sentence. */
export function lowerFirst(sentence: string): string {
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`
}

/** Formats a share: `12.3 %`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** Formats a share for a sentence: `1 of 19`, `7 of 10`, `all` or `none`. */
export function shareText({ of, hits }: Share): string {
  if (hits === 0 || hits === of) return hits === 0 ? 'none' : 'all'
  const share = hits / of
  return share < 1 / 3
    ? `1 of ${count(Math.round(1 / share))}`
    : `${Math.min(9, Math.round(share * 10))} of 10`
}

/** Formats a share of sessions: `1 of 19 sessions`, `no sessions`. */
export function sessionsText(share: Share): string {
  return `${share.hits === 0 ? 'no' : shareText(share)} sessions`
}

/** Formats a day without its year: `June 8`. */
export function dayName(day: string): string {
  return `${MONTH_NAMES[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8))}`
}

/** Formats a month: `June 2026`. */
export function monthName(month: string): string {
  return `${MONTH_NAMES[Number(month.slice(5, 7)) - 1]} ${month.slice(0, 4)}`
}

/** Formats a share with enough digits to show that it differs from a limit, if it does. */
export function percentBeside(share: number, limit: number): string {
  const text = (value: number, digits: number): string => `${(value * 100).toFixed(digits)} %`
  const digits = [1, 2, 3, 4].find((some) => text(share, some) !== text(limit, some)) ?? 1
  return text(share, digits)
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

const MONTH_NAMES =
  'January February March April May June July August September October November December'.split(' ')
