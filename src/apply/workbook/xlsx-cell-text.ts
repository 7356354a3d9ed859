import type { NumberKind } from './xlsx-number-kinds.ts'

/**
 * A number as a person reads it: digits without an exponent or groups, since a phone number that was typed
 * may have become one; days and times as `2026-10-31 14:05`, durations as `26:00:05`.
 */
export function numberText(stored: string, kind: NumberKind, date1904: boolean): string {
  const value = Number(stored)
  if (stored.trim() === '' || !Number.isFinite(value)) return stored
  if (kind === 'duration' && value >= 0) return durationText(value)
  if (kind === 'date' && value >= 0 && value < MOST_DAYS) return dateText(value, date1904)
  return plainNumber(stored.trim(), value)
}

/** Fifteen digits, as many as the programs keep and show: 0.1 + 0.2 is 0.3 there. */
function plainNumber(stored: string, value: number): string {
  if (/^-?[1-9]\d*$/.test(stored)) return stored
  const shown = { useGrouping: false, maximumSignificantDigits: 15 } as const
  return (value === 0 ? 0 : value).toLocaleString('en-US', shown)
}

function dateText(days: number, date1904: boolean): string {
  const seconds = Math.round(days * 86_400)
  const clock = clockText(seconds % 86_400)
  if (days < 1) return clock
  // The first two months of 1900 are a day off, for a leap day that never was.
  const shift = date1904 ? 1_462 : days < 60 ? 1 : 0
  const epochMs = (seconds + (shift - EPOCH_DAYS) * 86_400) * 1_000
  const day = new Date(epochMs).toISOString().slice(0, 10)
  return seconds % 86_400 === 0 ? day : `${day} ${clock}`
}

/** Without seconds where there are none. */
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
