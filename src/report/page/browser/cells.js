/**
 * The files of this folder are the script of a page, put together in the order of their names in
 * `page-script.ts`. A browser runs them as they are.
 *
 * @typedef {string | number | boolean | null} Cell
 * @typedef {{ title: string, format: string, tint: string }} Column
 * @typedef {{ states: Record<string, string>, fullRedShare: number }} Looks
 */

const NUMERIC = new Set(['integer', 'decimal', 'money', 'percent', 'seconds'])
/** @type {Record<string, number>} The value of the last digit that is shown. */
const STEPS = { percent: 0.001, decimal: 0.1, money: 0.01 }

/**
 * Formats a cell as `format-cell.ts` does.
 * @param {Cell} cell @param {Column} column
 */
function cellText(cell, { format, tint }) {
  if (cell === null) return ''
  if (tint === 'delta' || tint === 'change')
    return typeof cell === 'number' ? changeText(cell, format) : ''
  return plainText(cell, format)
}

/** @param {string | number | boolean} cell @param {string} format */
function plainText(cell, format) {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  if (format === 'instant') return shownText(String(cell).slice(0, 16).replace('T', ' '))
  if (typeof cell === 'string') return shownText(cell)
  if (format === 'integer') return grouped(cell, 0)
  if (format === 'decimal') return grouped(cell, 1)
  if (format === 'money') return grouped(cell, 2)
  if (format === 'percent') return `${grouped(cell * 100, 1)}\u00a0%`
  return format === 'seconds' ? duration(cell) : String(cell)
}

/** @param {number} cell @param {string} format */
function changeText(cell, format) {
  const change = visibleChange(cell, format)
  const sign = change > 0 ? '+' : change < 0 ? '−' : '±'
  const size = Math.abs(change)
  return format === 'percent'
    ? `${sign}${grouped(size * 100, 1)}\u00a0pp`
    : `${sign}${plainText(size, format)}`
}

/** @param {number} change @param {string} format */
function visibleChange(change, format) {
  return Math.abs(change) < (STEPS[format] ?? 1) / 2 ? 0 : change
}

/** @param {number} number @param {number} digits */
function grouped(number, digits) {
  const [whole = '0', fraction] = Math.abs(number).toFixed(digits).split('.')
  const sign = number < 0 && Number(number.toFixed(digits)) !== 0 ? '−' : ''
  const thousands = whole.length > 3 ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole
  return `${sign}${thousands}${fraction === undefined ? '' : `.${fraction}`}`
}

/** @param {number} seconds */
function duration(seconds) {
  const whole = Math.round(seconds)
  const two = (/** @type {number} */ part) => String(part).padStart(2, '0')
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}

/** Replaces lone surrogates, and control characters except tab and line ends. @param {string} text */
function shownText(text) {
  return /[^ -~]/.test(text) ? text.toWellFormed().replace(/(?![\t\n\r])\p{Cc}/gu, '\ufffd') : text
}

/**
 * Makes a cell's element, equal to the HTML from `table-cells.ts`.
 * @param {Cell} cell @param {Column} column @param {{ first: boolean, looks: Looks }} how
 */
function cellElement(cell, column, { first, looks }) {
  const element = document.createElement(first ? 'th' : 'td')
  const text = cellText(cell, column)
  if (first) element.setAttribute('scope', 'row')
  const short = column.format === 'text' && text.length <= 24 ? 's' : ''
  const look = formatClass(column.format) || short
  if (look !== '') element.className = look
  paint(element, cell, { column, looks })
  if (text === '') return element
  if (column.tint !== 'quality' && column.tint !== 'state') element.textContent = text
  else {
    const pill = document.createElement('span')
    const word = /^[a-z]+$/.test(text) ? text : ''
    pill.className = `pill ${column.tint === 'state' ? (looks.states[text] ?? '') : word}`
    pill.textContent = text
    element.append(pill)
  }
  return element
}

/** @param {string} format */
function formatClass(format) {
  if (format === 'date' || format === 'instant') return 'd'
  return NUMERIC.has(format) ? 'n' : ''
}

/**
 * @param {HTMLElement} element @param {Cell} cell
 * @param {{ column: Column, looks: Looks }} how
 */
function paint(element, cell, { column: { tint, format }, looks }) {
  if (typeof cell !== 'number') return
  if (tint === 'delta') {
    const change = visibleChange(cell, format)
    if (change !== 0) element.classList.add(change > 0 ? 'up-bad' : 'up-good')
  }
  if (tint !== 'bad-share') return
  const strength = Math.round(Math.min(1, cell / looks.fullRedShare) * 100) / 100
  if (strength > 0) element.setAttribute('style', `background:rgba(var(--share),${strength})`)
}
