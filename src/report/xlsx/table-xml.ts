import type { TableColumn } from '../../core/define/report.ts'
import { xmlEscape } from './package-xml.ts'
import { cellText } from './xlsx-text.ts'

/** A table of a sheet, as spreadsheet programs define it. */
export interface SheetTable {
  name: string
  /** The titles, equal to the header cells. */
  titles: readonly string[]
  /** The range of the header and the rows below it; it has at least one row. */
  ref: string
}

/** Returns valid header titles: not empty, not too long, unique. */
export function headerTitles(columns: readonly Pick<TableColumn, 'title'>[]): string[] {
  const taken = new Set<string>()
  return columns.map((column, at) => {
    const title =
      column.title.replace(/\s+/g, ' ').trim().slice(0, MOST_TITLE) || `Column ${at + 1}`
    let unique = title
    for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${title} (${number})`
    taken.add(unique.toLowerCase())
    return unique
  })
}

/** Returns a table name that depends only on the titles, so that formulas and queries can use it. */
export function tableName(section: string, title: string): string {
  const text = section === title ? title : `${section} ${title.replace(PASSING, ' ')}`
  const word = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
  const name = word.slice(0, MOST_NAME).replace(/^_+|_+$/g, '') || 'Table'
  return /^\d/.test(name) || LIKE_A_CELL.test(name) ? `T_${name}` : name
}

export function uniqueTableName(name: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((other) => other.toLowerCase()))
  let unique = name
  for (let number = 2; lower.has(unique.toLowerCase()); number++) unique = `${name}_${number}`
  return unique
}

export function tableXml(id: number, { name, titles, ref }: SheetTable): string {
  const columns = titles.map(
    (title, at) => `<tableColumn id="${at + 1}" name="${xmlEscape(cellText(title))}"/>`,
  )
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"' +
    ` id="${id}" name="${name}" displayName="${name}" ref="${ref}" totalsRowShown="0">` +
    `<autoFilter ref="${ref}"/>` +
    `<tableColumns count="${titles.length}">${columns.join('')}</tableColumns>` +
    `<tableStyleInfo name="${STYLE}" showFirstColumn="0" showLastColumn="0" showRowStripes="1"` +
    ' showColumnStripes="0"/></table>'
  )
}

/** Light bands in the theme's blue; a cell's own look takes precedence. */
const STYLE = 'TableStyleMedium2'
/** The maximum length of a title: a header may have 255 characters, and a number may follow the title. */
const MOST_TITLE = 240
const MOST_NAME = 100
/** Parts removed from a title: a remark, and a month or day, which changes each time. */
const PASSING = /\(.*?\)|\d{4}-\d{2}(?:-\d{2})?/g
/** Matches names like `Q1`, `R1C1` or `RC`, which programs read as a cell reference. */
const LIKE_A_CELL = /^(?:[a-z]{1,3}\d+|r\d*(?:c\d*)?|c\d*|true|false)$/i
