import type { Cell, CellFormat, Rows } from '../../core/define/report.ts'
import { toMinutes } from '../../core/time/time.ts'

/** Formats a cell for a page. The result is the same in every locale. */
export function formatCell(value: Cell, format: CellFormat): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const number = typeof value === 'number' ? value : undefined
  switch (format) {
    case 'integer':
      return number === undefined ? String(value) : grouped(number, 0)
    case 'decimal':
      return number === undefined ? String(value) : grouped(number, 1)
    case 'money':
      return number === undefined ? String(value) : grouped(number, 2)
    case 'percent':
      return number === undefined ? String(value) : `${grouped(number * 100, 1)}\u00a0%`
    case 'seconds':
      return number === undefined ? String(value) : clockText(number)
    case 'instant':
      return toMinutes(String(value))
    default:
      return String(value)
  }
}

/** Formats the change between two figures, with its sign; shares change in percentage points. */
export function formatChange(value: Cell, before: Cell | undefined, format: CellFormat): string {
  if (typeof value !== 'number' || typeof before !== 'number') return ''
  const change = visibleChange(value - before, format)
  const sign = change > 0 ? '+' : change < 0 ? '−' : '±'
  const size = Math.abs(change)
  return format === 'percent'
    ? `${sign}${grouped(size * 100, 1)}\u00a0pp`
    : `${sign}${formatCell(size, format)}`
}

/** Returns a change, or 0 if the change would be displayed as zero and so is neither good nor bad. */
export function visibleChange(change: number, format: CellFormat): number {
  return Math.abs(change) < (STEPS[format] ?? 1) / 2 ? 0 : change
}

/** The value of the last digit that is shown. */
const STEPS: Partial<Record<CellFormat, number>> = { percent: 0.001, decimal: 0.1, money: 0.01 }

/** Formats a duration: `h:mm:ss`. */
function clockText(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}

export function isNumeric(format: CellFormat): boolean {
  return NUMERIC.has(format)
}

const NUMERIC: ReadonlySet<CellFormat> = new Set([
  'integer',
  'decimal',
  'money',
  'percent',
  'seconds',
])

/** Reads the first rows, in memory or streamed. */
export async function firstRows(rows: Rows, limit: number): Promise<readonly (readonly Cell[])[]> {
  return 'stream' in rows ? await rows.first(limit) : rows.slice(0, limit)
}

/** Returns all rows in batches. */
export function rowBatches(
  rows: Rows,
): AsyncIterable<readonly (readonly Cell[])[]> | readonly (readonly (readonly Cell[])[])[] {
  return 'stream' in rows ? rows.stream() : [rows]
}

function grouped(number: number, digits: number): string {
  const [whole = '0', fraction] = Math.abs(number).toFixed(digits).split('.')
  const sign = number < 0 && Number(number.toFixed(digits)) !== 0 ? '−' : ''
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${sign}${thousands}${fraction === undefined ? '' : `.${fraction}`}`
}
