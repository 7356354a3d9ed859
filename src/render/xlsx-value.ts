import type { Cell, CellFormat } from '../core/report.ts'
import { cellText } from './xlsx-text.ts'

/**
 * A cell's value as the sheet stores it: days and times as serial numbers, durations as parts of a
 * day, all else that is not a number as text. Digits that a double would round stay text.
 */
export function excelValue(value: Cell, format: CellFormat): string | number | null {
  if (value === null) return null
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return null
    return format === 'seconds' ? value / 86_400 : value
  }
  if (format === 'date' || format === 'instant') return serial(value) ?? cellText(value)
  return cellText(value)
}

/**
 * Days since the spreadsheet's epoch. What lies before March 1900 has no serial that all programs
 * agree on.
 */
function serial(text: string): number | undefined {
  const epochMs = INSTANT.test(text) ? instantMs(text) : parsedMs(text)
  const days = epochMs / 86_400_000 + 25_569
  return Number.isNaN(days) || days < 61 ? undefined : days
}

/** A day, an instant, or what begins with one. */
function parsedMs(text: string): number {
  const match = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}))?/.exec(text)
  return match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2] ?? '00:00:00'}Z`)
}

/** As SQL gives all instants: half a million of them are counted here faster than they are parsed. */
function instantMs(text: string): number {
  const month = digits(text, 5)
  // The year begins in March, so that the day that some years have more is its last.
  const year = digits(text, 0) * 100 + digits(text, 2) - (month < 3 ? 1 : 0)
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + digits(text, 8) - 1
  const days = year * 365 + leapDays + dayOfYear - DAYS_TO_1970
  return (((days * 24 + digits(text, 11)) * 60 + digits(text, 14)) * 60 + digits(text, 17)) * 1000
}

function digits(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528
}

const INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/
/** From March 1 of the year 0. */
const DAYS_TO_1970 = 719_468

export const NUMBER_FORMATS: Record<CellFormat, string> = {
  text: '@',
  boolean: '@',
  integer: '#,##0',
  decimal: '#,##0.0',
  percent: '0.0%',
  date: 'yyyy-mm-dd',
  instant: 'yyyy-mm-dd hh:mm',
  seconds: '[h]:mm:ss',
}
