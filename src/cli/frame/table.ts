import { count } from '../../core/values/quantities.ts'
import { plainText } from '../../core/values/text.ts'
import { COMMAND } from './called-as.ts'

/** A heading that declares how its column shrinks when the table is wider than the terminal. */
interface Column {
  heading: string
  /**
   * The minimum width of the column. Cells wrap between words down to this width. Longer words are cut in the
   * middle only if no other column can be hidden. Numbers are never cut.
   */
  least?: number
  /** If wrapping cells is not enough, columns that have this number are hidden, the lowest number first. */
  hide?: number
  /** Long cells and words are printed in full, because the user asked for this column. */
  whole?: boolean
}

type Cell = string | number | Column

/** The first row has the headings, unless all of them are empty. */
export type TableRow = readonly Cell[]

/**
 * Declares how a table fits a narrow terminal: the minimum widths of columns, and the columns to hide, in
 * order, if that does not suffice.
 */
export function heading<Name extends string>(
  names: readonly Name[],
  {
    least = {},
    hide = [],
  }: { least?: Partial<Record<Name, number>>; hide?: readonly NoInfer<Name>[] },
): TableRow {
  return names.map((name): Column => {
    const column: Column = { heading: name }
    if (least[name] !== undefined) column.least = least[name]
    if (hide.includes(name)) column.hide = hide.indexOf(name)
    return column
  })
}

/**
 * Pads columns to their widest cell; numbers are right-aligned, with thousands separators. `across` is the
 * width of the terminal; without it, the table is printed whole.
 */
export function layOut(rows: readonly TableRow[], across = Infinity): string[] {
  const many = Math.max(0, ...rows.map((row) => row.length))
  const columns = Array.from({ length: many }, (_, at): Sized => {
    const head = rows[0]?.[at]
    const rules = typeof head === 'object' ? head : undefined
    const cells = rows.map((row) => show(row[at], rules?.whole))
    const width = longest(cells)
    const words = cells.flatMap((cell) => cell.split(' '))
    const [word, number] = [longest(words), longest(words.filter(isNumber))]
    const least = rules?.least === undefined ? width : Math.max(rules.least, number)
    return { at, rules, cells, width, least: Math.min(width, least), word: Math.max(word, least) }
  })
  const shown = fit(columns, across)
  const lines = rows.flatMap((row, index) => {
    const parts = shown.map(({ cells, width, rules }) =>
      wrap(cells[index] ?? '', width, rules?.whole),
    )
    const texts = Array.from(
      { length: Math.max(1, ...parts.map(({ length }) => length)) },
      (_, line) =>
        shown
          .map(({ at, width }, place) => {
            const text = parts[place]?.[line] ?? ''
            const right = index === 0 ? isNumeric(rows, at) : typeof row[at] === 'number'
            return right ? text.padStart(width) : text.padEnd(width)
          })
          .join(GAP)
          .trimEnd(),
    )
    return shown.at(-1)?.rules?.whole ? texts.flatMap((text) => withWholeEnd(text, across)) : texts
  })
  if (lines[0] === '' && columns.some(({ rules }) => rules !== undefined)) lines.shift()
  const hidden = columns.filter((column) => !shown.some(({ at }) => at === column.at))
  if (hidden.length === 0) return lines
  const names = hidden.map(({ cells }) => cells[0]).join(', ')
  return [...lines, ...wrap(`Hidden in ${across} columns: ${names}. --json shows all.`, across)]
}

interface Sized {
  at: number
  rules: Column | undefined
  cells: readonly string[]
  width: number
  /** The column is never narrower than this. */
  least: number
  /** The narrowest width at which no word is cut. */
  word: number
}

/**
 * Hides columns until wrapping the others is enough, or no column can be hidden. Then wraps the columns with
 * the most slack first, and cuts words only if wrapping is still not enough.
 */
function fit(columns: readonly Sized[], across: number): Sized[] {
  const over = (of: readonly Sized[]): number =>
    of.reduce((sum, { width }) => sum + width, 0) + (of.length - 1) * GAP.length - across
  const slack = ({ width, word }: Sized): number => Math.max(0, width - word)
  const shown = columns.map((column) => ({ ...column }))
  while (over(shown) > shown.reduce((sum, column) => sum + slack(column), 0)) {
    const order = shown.map(({ rules }) => rules?.hide ?? Infinity)
    const first = order.indexOf(Math.min(...order))
    if (order[first] === Infinity) break
    shown.splice(first, 1)
  }
  narrow(shown, { over, slack })
  narrow(shown, { over, slack: ({ width, least }) => width - least })
  return shown
}

/** Takes width from the column with the most slack until the table fits or no slack is left. */
function narrow(
  shown: readonly Sized[],
  {
    over,
    slack,
  }: Record<'over', (of: readonly Sized[]) => number> & {
    slack(column: Sized): number
  },
): void {
  while (over(shown) > 0) {
    const widest = shown.reduce((most, one) => (slack(one) > slack(most) ? one : most))
    if (slack(widest) <= 0) return
    widest.width -= 1
  }
}

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length))
}

function isNumber(word: string): boolean {
  return /^[\d.,:]+$/.test(word)
}

/**
 * If a line is too long, moves its last word to a line of its own with less indentation, if the word fits
 * there: a key or fingerprint that the terminal breaks cannot be copied.
 */
function withWholeEnd(line: string, width: number): string[] {
  if (line.length <= width) return [line]
  const from = line.lastIndexOf(' ') + 1
  const word = line.slice(from)
  if (from === 0 || word.length > width) return [line]
  const before = line.slice(0, from).trimEnd()
  return [
    ...(before === '' ? [] : [before]),
    ' '.repeat(Math.min(WHOLE_INDENT, width - word.length)) + word,
  ]
}

/**
 * Breaks a line at its blanks, and indents the later lines like the first. Keeps a command and a long word
 * whole, so that they can be copied.
 */
export function wrapLine(text: string, width = Infinity): string[] {
  if (text.length <= width) return [text]
  const [lead = ''] = HANGING.exec(text) ?? []
  const indent = ' '.repeat(lead.length)
  const words = text.slice(lead.length).match(WORD) ?? []
  const [first = '', ...more] = fill(words, width - lead.length)
  const lines = [lead + first, ...more.map((line) => indent + line)]
  return lines.flatMap((line) => (line.trim().includes(' ') ? [line] : withWholeEnd(line, width)))
}

/** Breaks a text into lines at its blanks. Cuts a longer word in the middle, unless `whole` is set. */
function wrap(text: string, width: number, whole = false): string[] {
  if (text.length <= width) return [text]
  return fill(
    text.split(' ').map((word) => (whole ? word : shorten(word, width))),
    width,
  )
}

function fill(words: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Replaces the middle of a word that is too long with an ellipsis. */
export function shorten(word: string, width: number): string {
  if (word.length <= width) return word
  const end = Math.floor((width - 1) / 2)
  return `${word.slice(0, width - 1 - end)}…${word.slice(word.length - end)}`
}

function show(cell: Cell | undefined, whole = false): string {
  if (cell === undefined) return ''
  if (typeof cell === 'number') return count(cell)
  return plainText(typeof cell === 'string' ? cell : cell.heading, whole ? 5000 : 200)
}

/** Whether a column has numbers, so that its heading is right-aligned. */
function isNumeric(rows: readonly TableRow[], column: number): boolean {
  return rows.slice(1).some((row) => typeof row[column] === 'number')
}

/** A line's indentation with its dash or label; the lines that continue it are indented by this width. */
const HANGING = /^ *(?:- |(?:what to do|not read|then run|expected|found): +)?/
/** An option with its value, or an argument with a character that no plain word has, such as a capital. */
const ARGUMENT = '(?: -[^ ]*[^ .,;:)](?: [^ -][^ ]*)?| [^ ]*[^a-z .,;:)][^ ]*)'
/** A word. A command counts as one word together with its arguments. */
const WORD = new RegExp(`${COMMAND}(?:[^ ]|(?<![.,;:)])${ARGUMENT})*|[^ ]+`, 'g')
/** The indentation of a long word that has a line of its own. */
const WHOLE_INDENT = 4
const GAP = '  '
