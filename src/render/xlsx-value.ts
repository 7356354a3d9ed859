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
  const match = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}))?/.exec(text)
  if (match === null) return undefined
  const epochMs = Date.parse(`${match[1]}T${match[2] ?? '00:00:00'}Z`)
  const days = epochMs / 86_400_000 + 25_569
  return Number.isNaN(days) || days < 61 ? undefined : days
}

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
