/**
 * A table of the page with all its rows. Of a long table, the document contains only the visible rows.
 *
 * @typedef {object} View
 * @property {string} title
 * @property {HTMLElement} box  the element that scrolls
 * @property {HTMLTableElement} table
 * @property {readonly Column[]} columns
 * @property {readonly (readonly Cell[])[]} rows
 * @property {readonly number[]} places  the numbers of the rows that pass the filters, in order
 * @property {string} search
 * @property {Map<number, string>} filters
 * @property {{ column: number, down: boolean } | undefined} by
 * @property {string[] | undefined} texts  the folded text of each row, for the search
 * @property {Looks} looks
 * @property {number} top  the scroll position of the box, stored because reading it would force a layout
 * @property {number} height  of the box
 * @property {boolean} drawn  false until the table first becomes visible
 * @property {(said: { count: string, printed: string }) => void} tell
 */

/** Up to this number of rows, all are drawn. Longer tables draw visible rows only, each on one line. */
const DRAWN_WHOLE = 200
/** The maximum number of rows printed of a longer table: without a filter, and with one. */
const PRINTED = { all: 100, chosen: 1000 }
/** The maximum height of an element in pixels; browsers cut off taller ones. */
const TALLEST = 8_000_000
const paper = { is: false }

/** Filters and sorts the rows, and shows them from the first. @param {View} view */
function refresh(view) {
  const tests = [...view.filters].flatMap(([at, words]) => {
    const column = view.columns[at]
    const test = column && filterTest(words, column)
    return test ? [{ at, test }] : []
  })
  const wanted = folded(view.search.trim())
  if (wanted !== '') view.texts ??= view.rows.map((row) => rowText(row, view.columns))
  /** @type {number[]} */
  const places = []
  for (const [place, row] of view.rows.entries())
    if (
      (wanted === '' || view.texts?.[place]?.includes(wanted)) &&
      tests.every(({ at, test }) => test(row[at] ?? null))
    )
      places.push(place)
  view.places = view.by === undefined ? places : sorted(places, view.rows, view.by)
  view.box.scrollTop = 0
  view.top = 0
  draw(view)
}

/**
 * Folds the whole row at once, because folding each cell takes several times as long.
 * @param {readonly Cell[]} row @param {readonly Column[]} columns
 */
function rowText(row, columns) {
  return folded(columns.map((column, at) => cellText(row[at] ?? null, column)).join('\n'))
}

/** @param {View} view */
function draw(view) {
  const { table, places } = view
  if (!view.drawn) fixBoxes([view])
  const lines = inLines(view)
  table.classList.toggle('lines', lines)
  const { first, count, above, below } = lines ? inSight(view) : whole(view)
  table.tBodies[0]?.replaceChildren(
    gap(above),
    ...places.slice(first, first + count).map((place, at) => line(view, place, first + at)),
    ...(places.length === 0 ? [nothing(view)] : []),
    gap(below),
  )
  table.setAttribute('aria-rowcount', String(places.length + 1))
  table.dataset['first'] = String(first)
  tellCount(view, count)
}

/** @param {View} view */
function inLines({ places }) {
  return places.length > DRAWN_WHOLE && !paper.is
}

/** Shows how many rows pass the filters. @param {View} view @param {number} drawn */
function tellCount({ rows, places, tell }, drawn) {
  const all = `${grouped(rows.length, 0)} row${rows.length === 1 ? '' : 's'}`
  const chosen = grouped(PRINTED.chosen, 0)
  const more = places.length === rows.length ? ` Filter the table to print up to ${chosen}.` : ''
  tell({
    count: places.length === rows.length ? all : `${grouped(places.length, 0)} of ${all}`,
    printed: drawn < rows.length ? `Printed: ${grouped(drawn, 0)} of ${all}.${more}` : '',
  })
}

/** @param {View} view */
function whole({ rows, places: { length } }) {
  const most =
    length < rows.length ? PRINTED.chosen : length > DRAWN_WHOLE ? PRINTED.all : DRAWN_WHOLE
  return { first: 0, count: paper.is ? Math.min(most, length) : length, above: 0, below: 0 }
}

/**
 * Returns the rows to draw (the visible ones and some around them), and the heights above and below them.
 * @param {View} view
 */
function inSight({ top, height, places }) {
  const { length } = places
  const tall = Math.min(length * LINE, TALLEST)
  const seen = Math.ceil(height / LINE) + 1
  const furthest = Math.max(1, tall - height)
  const at = Math.min(1, top / furthest) * Math.max(0, length - seen)
  const first = Math.max(0, Math.floor(at) - SPARE)
  const count = Math.min(length - first, seen + 2 * SPARE)
  const above = Math.max(0, Math.min((first / length) * tall, tall - count * LINE))
  return { first, count, above, below: Math.max(0, tall - above - count * LINE) }
}

/** Draws the rows that become visible. @param {View} view */
function scrolled(view) {
  view.top = view.box.scrollTop
  view.height = view.box.clientHeight
  if (inLines(view) && String(inSight(view).first) !== view.table.dataset['first']) draw(view)
}

/**
 * Puts each long table into a box that scrolls, with fixed column widths from the first rows, so that columns
 * do not change while scrolling. Measures all tables before it changes any, to avoid repeated layouts.
 * @param {readonly View[]} views
 */
function fixBoxes(views) {
  const long = views.filter((view) => inLines(view))
  for (const view of views) view.drawn = true
  for (const { table } of long) table.classList.add('lines')
  const measured = long.map((view) => {
    view.height = view.box.clientHeight
    const heads = [...(view.table.tHead?.rows[0]?.cells ?? [])]
    const widths = heads.map((head) => Math.ceil(head.getBoundingClientRect().width))
    return { heads, widths, table: view.table }
  })
  for (const { heads, widths, table } of measured) {
    for (const [at, head] of heads.entries()) head.style.width = `${widths[at]}px`
    table.style.tableLayout = 'fixed'
    table.style.minWidth = `${widths.reduce((sum, width) => sum + width, 0)}px`
  }
}

/** @param {View} view @param {number} place @param {number} at */
function line({ columns, rows, looks }, place, at) {
  const element = document.createElement('tr')
  element.setAttribute('aria-rowindex', String(at + 2))
  const row = rows[place] ?? []
  for (const [index, column] of columns.entries()) {
    const cell = cellElement(row[index] ?? null, column, { first: index === 0, looks })
    const { textContent: text } = cell
    if (text.length > LONG) cell.title = text.slice(0, LONGEST_HINT)
    element.append(cell)
  }
  return element
}

/** @param {number} height */
function gap(height) {
  const element = document.createElement('tr')
  element.className = 'gap'
  element.ariaHidden = 'true'
  element.hidden = height === 0
  const cell = document.createElement('td')
  cell.style.height = `${height}px`
  element.append(cell)
  return element
}

/** @param {View} view */
function nothing({ columns }) {
  const element = document.createElement('tr')
  const cell = document.createElement('td')
  cell.colSpan = columns.length
  cell.className = 'none'
  cell.textContent = 'No row is like that.'
  element.append(cell)
  return element
}

/** The height of a line in pixels, equal to that in the style sheet. */
const LINE = 30
/** The number of lines drawn above and below the visible ones. */
const SPARE = 20
const LONG = 40
const LONGEST_HINT = 2000
