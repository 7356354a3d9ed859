/**
 * Returns true if a row with this cell passes the filter.
 * @typedef {(cell: Cell) => boolean} Test
 */

/**
 * Removes case and accents from a text. The result is the same in every language.
 * @param {string} text
 */
function folded(text) {
  const plain = /[^ -~]/.test(text) ? text.normalize('NFKD').replace(ACCENTS, '') : text
  return plain.toLowerCase()
}

const ACCENTS = /[\u0300-\u036f]/g

/**
 * Returns the folded text of a cell, which the filters compare.
 * @param {Cell} cell @param {Column} column
 */
function foldedCell(cell, column) {
  const text = cellText(cell, column)
  return typeof cell === 'string' ? folded(text) : text.replace('\u00a0', ' ')
}

/**
 * Sorts row numbers by a column: numbers by size, then text. Empty cells come last in both directions, and
 * rows with equal cells keep their order.
 * @param {readonly number[]} places @param {readonly (readonly Cell[])[]} rows
 * @param {{ column: number, down: boolean }} by
 */
function sorted(places, rows, { column, down }) {
  const keys = rows.map((row) => sortKey(row[column] ?? null))
  const sign = down ? -1 : 1
  return places.toSorted((a, b) => {
    const [one, other] = [keys[a] ?? '', keys[b] ?? '']
    if (one === '' || other === '') return Number(one === '') - Number(other === '') || a - b
    const kinds = Number(typeof one === 'string') - Number(typeof other === 'string')
    return sign * (kinds || Number(one > other) - Number(one < other)) || a - b
  })
}

/** @param {Cell} cell */
function sortKey(cell) {
  if (cell === null) return ''
  return typeof cell === 'string' ? folded(cell) : Number(cell)
}

/**
 * Parses a filter: `> 5`, `<= 2026-06`, `= open`, or a text that the cell contains. `=` alone matches empty
 * cells; any other filter without a value gives undefined.
 * @param {string} words @param {Column} column @returns {Test | undefined}
 */
function filterTest(words, column) {
  const [, sign = '', rest = ''] = /^\s*(<=|>=|<|>|=)?\s*(.*?)\s*$/s.exec(words) ?? []
  const wanted = folded(rest)
  const shown = (/** @type {Cell} */ cell) => foldedCell(cell, column)
  if (sign === '') return wanted === '' ? undefined : (cell) => shown(cell).includes(wanted)
  if (sign === '=' && wanted === '') return (cell) => shown(cell) === ''
  if (wanted === '') return undefined
  const number = isNumeric(column.format) ? wantedNumber(wanted, column.format) : undefined
  if (number === undefined)
    return (cell) => {
      const text = shown(cell)
      const part = sign === '=' ? text : text.slice(0, wanted.length)
      return text !== '' && holds(sign, Number(part > wanted) - Number(part < wanted))
    }
  return (cell) =>
    (typeof cell === 'number' && holds(sign, cell - number)) ||
    (sign === '=' && shown(cell) === wanted)
}

/** @param {string} sign @param {number} difference */
function holds(sign, difference) {
  if (difference === 0) return sign.includes('=')
  return sign.startsWith(difference > 0 ? '>' : '<')
}

/**
 * Parses a number such as `1,200`, `12.5 %`, `-3 pp` or `1:30:00`; undefined for any other text.
 * @param {string} text @param {string} format
 */
function wantedNumber(text, format) {
  const plain = text.replace(/[\s,+%]|pp$/g, '').replace('−', '-')
  if (format === 'seconds' && /^\d+(:\d+){1,2}$/.test(plain))
    return plain.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  const number = plain === '' ? Number.NaN : Number(plain)
  if (Number.isNaN(number)) return undefined
  return format === 'percent' ? number / 100 : number
}
