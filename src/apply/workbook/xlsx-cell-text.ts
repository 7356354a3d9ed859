import type { NumberKind } from './xlsx-number-kinds.ts'

/**
 * Formats a number as a person reads it: digits without exponent or groups, since it may be a typed phone
 * number; dates and times as `2026-10-31 14:05`, durations as `26:00:05`.
 */
export function numberText(stored: string, kind: NumberKind, date1904: boolean): string {
  const value = Number(stored)
  if (stored.trim() === '' || !Number.isFinite(value)) return stored
  if (kind === 'duration' && value >= 0) return durationText(value)
  if (kind === 'date' && value >= 0 && value < MOST_DAYS) return dateText(value, date1904)
  return plainNumber(stored.trim(), value)
}

/** Uses 15 digits, as spreadsheet programs store and show them: there 0.1 + 0.2 is 0.3. */
function plainNumber(stored: string, value: number): string {
  if (/^-?[1-9]\d*$/.test(stored)) return stored
  const shown = { useGrouping: false, maximumSignificantDigits: 15 } as const
  return (value === 0 ? 0 : value).toLocaleString('en-US', shown)
}

function dateText(days: number, date1904: boolean): string {
  const seconds = Math.round(days * 86_400)
  const clock = clockText(seconds % 86_400)
  if (days < 1) return clock
  // In the 1900 date system the first two months are a day off, for a leap day that never existed.
  const shift = date1904 ? 1_462 : days < 60 ? 1 : 0
  const epochMs = (seconds + (shift - EPOCH_DAYS) * 86_400) * 1_000
  const day = new Date(epochMs).toISOString().slice(0, 10)
  return seconds % 86_400 === 0 ? day : `${day} ${clock}`
}

/** Omits zero seconds. */
function clockText(seconds: number): string {
  const text = durationText(seconds / 86_400).padStart(8, '0')
  return text.endsWith(':00') ? text.slice(0, -3) : text
}

function durationText(days: number): string {
  const seconds = Math.round(days * 86_400)
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${Math.floor(seconds / 3_600)}:${two((seconds % 3_600) / 60)}:${two(seconds % 60)}`
}

const EPOCH_DAYS = 25_569
/** The day after the last one, 9999-12-31. */
const MOST_DAYS = 2_958_466
