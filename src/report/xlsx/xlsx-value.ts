import type { Cell, CellFormat } from '../../core/define/report.ts'
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
  const [, day, time = '00:00:00'] = INSTANT.exec(text) ?? []
  const days = Date.parse(`${day}T${time}Z`) / 86_400_000 + 25_569
  return Number.isNaN(days) || days < 61 ? undefined : days
}

/** Matches a text that begins with a day or an instant. */
const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}))?/

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
