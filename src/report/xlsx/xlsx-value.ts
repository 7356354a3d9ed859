import type { Cell, CellFormat } from '../../core/define/report.ts'
import { twoDigits } from '../../core/time/instant.ts'
import { visibleChange } from '../files/browser/format-cell.js'
import { cellText } from './xlsx-text.ts'

/**
 * Returns a cell's value as the sheet stores it: days and times as serial numbers, durations as parts of a
 * day, everything else that is not a number as text. Digits that a double would round stay text.
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

/** Returns a change as the sheet stores it: 0 if it would show as zero, shares in percentage points. */
export function changeValue(change: number, format: CellFormat): number {
  const visible = visibleChange(change, format)
  return format === 'percent' ? visible * 100 : visible
}

/** Returns days since the spreadsheet's epoch; undefined before March 1900, where programs disagree. */
function serial(text: string): number | undefined {
  const epochMs = INSTANT.test(text) ? instantMs(text) : parsedMs(text)
  const days = epochMs / 86_400_000 + 25_569
  return Number.isNaN(days) || days < 61 ? undefined : days
}

/** Parses a text that begins with a day or an instant; NaN for any other text. */
function parsedMs(text: string): number {
  const match = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}))?/.exec(text)
  return match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2] ?? '00:00:00'}Z`)
}

/**
 * Converts an instant in SQL's form, which almost all texts have, digit by digit: for half a million instants
 * that is faster than `Date.parse`.
 */
function instantMs(text: string): number {
  const [year, month] = [twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5) - 1]
  const [day, hour] = [twoDigits(text, 8), twoDigits(text, 11)]
  return Date.UTC(year, month, day, hour, twoDigits(text, 14), twoDigits(text, 17))
}

/** Matches years from 1000 on: `Date.UTC` treats two-digit years differently. */
const INSTANT =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/

export const NUMBER_FORMATS: Record<CellFormat, string> = {
  text: '@',
  boolean: '@',
  integer: '#,##0',
  decimal: '#,##0.0',
  money: '#,##0.00',
  percent: '0.0%',
  date: 'yyyy-mm-dd',
  instant: 'yyyy-mm-dd hh:mm',
  seconds: '[h]:mm:ss',
}
