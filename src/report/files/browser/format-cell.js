// @ts-check
/**
 * How a cell looks in a page. The program and the page's own script both use these functions: a browser gets
 * this file as it is, but for the word `export`.
 *
 * @typedef {string | number | boolean | null} CellValue
 * @typedef {{ format: string, tint?: string | undefined }} CellKind
 * @typedef {{ states: Readonly<Record<string, string>>, fullRedShare: number }} Looks
 */

const NUMERIC = new Set(['integer', 'decimal', 'money', 'percent', 'seconds'])
/** @type {Record<string, number>} The value of the last digit that is shown. */
const STEPS = { percent: 0.001, decimal: 0.1, money: 0.01 }

/** @param {string} format */
export function isNumeric(format) {
  return NUMERIC.has(format)
}

/**
 * Formats a cell for a page. The result is the same in every locale.
 * @param {CellValue} value @param {string} format
 */
export function formatCell(value, format) {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (format === 'instant') return String(value).slice(0, 16).replace('T', ' ')
  if (typeof value === 'string') return value
  if (format === 'integer') return grouped(value, 0)
  if (format === 'decimal') return grouped(value, 1)
  if (format === 'money') return grouped(value, 2)
  if (format === 'percent') return `${grouped(value * 100, 1)}\u00a0%`
  return format === 'seconds' ? clockText(value) : String(value)
}

/**
 * Formats the change between two figures, with its sign; shares change in percentage points.
 * @param {CellValue} value @param {CellValue | undefined} before @param {string} format
 */
export function formatChange(value, before, format) {
  if (typeof value !== 'number' || typeof before !== 'number') return ''
  const change = visibleChange(value - before, format)
  const sign = change > 0 ? '+' : change < 0 ? '−' : '±'
  const size = Math.abs(change)
  return format === 'percent'
    ? `${sign}${grouped(size * 100, 1)}\u00a0pp`
    : `${sign}${formatCell(size, format)}`
}

/**
 * Returns a change, or 0 if the change would be displayed as zero and so is neither good nor bad.
 * @param {number} change @param {string} format
 */
export function visibleChange(change, format) {
  return Math.abs(change) < (STEPS[format] ?? 1) / 2 ? 0 : change
}

/**
 * Returns the text, classes and style of a table's cell, and the classes of the pill around its text if it
 * has one. A change has its sign; a change of shares is in percentage points.
 * @param {CellValue} value @param {CellKind} column @param {Looks} looks
 */
export function cellLook(value, { format, tint }, { states, fullRedShare }) {
  const changes = tint === 'delta' || tint === 'change'
  const text = changes ? formatChange(value, 0, format) : formatCell(value, format)
  const short = format === 'text' && text.length <= 24 ? 's' : ''
  const classes = [formatClass(format) || short]
  if (typeof value === 'number' && tint === 'delta') {
    const change = visibleChange(value, format)
    if (change !== 0) classes.push(change > 0 ? 'up-bad' : 'up-good')
  }
  const share = typeof value === 'number' && tint === 'bad-share' ? value / fullRedShare : 0
  const strength = Math.round(Math.min(1, share) * 100) / 100
  const tone = tint === 'state' ? (states[text] ?? '') : /^[a-z]+$/.test(text) ? text : ''
  return {
    text,
    className: classes.filter((name) => name !== '').join(' '),
    style: strength > 0 ? `background:rgba(var(--share),${strength})` : '',
    pill: tint === 'quality' || tint === 'state' ? `pill ${tone}` : undefined,
  }
}

/** Keeps times and numbers on one line, and aligns numbers right. @param {string} format */
export function formatClass(format) {
  if (format === 'date' || format === 'instant') return 'd'
  return isNumeric(format) ? 'n' : ''
}

/** @param {number} number @param {number} digits */
export function grouped(number, digits) {
  const [whole = '0', fraction] = Math.abs(number).toFixed(digits).split('.')
  const sign = number < 0 && Number(number.toFixed(digits)) !== 0 ? '−' : ''
  const thousands = whole.length > 3 ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole
  return `${sign}${thousands}${fraction === undefined ? '' : `.${fraction}`}`
}

/** Formats a duration: `h:mm:ss`. @param {number} seconds */
function clockText(seconds) {
  const whole = Math.round(seconds)
  const two = (/** @type {number} */ part) => String(part).padStart(2, '0')
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}
