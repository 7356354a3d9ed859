/**
 * The script of a page consists of `format-cell.js` and the files of this folder, in the order that
 * `table-script.ts` lists. A browser runs them unchanged, except for the word `export`.
 *
 * @typedef {import('../../files/browser/format-cell.js').CellValue} Cell
 * @typedef {import('../../files/browser/format-cell.js').Looks} Looks
 * @typedef {{ title: string, format: string, tint: string }} Column
 */

/** @param {Cell} cell @param {Column} column */
function cellText(cell, { format, tint }) {
  const changes = tint === 'delta' || tint === 'change'
  return shownText(changes ? formatChange(cell, 0, format) : formatCell(cell, format))
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
  const { text, className, style, pill } = cellLook(cell, column, looks)
  if (first) element.setAttribute('scope', 'row')
  if (className !== '') element.className = className
  if (style !== '') element.setAttribute('style', style)
  if (text === '') return element
  if (pill === undefined) element.textContent = shownText(text)
  else {
    const inner = document.createElement('span')
    inner.className = pill
    inner.textContent = shownText(text)
    element.append(inner)
  }
  return element
}
