import type { Cell, TableColumn } from '../../core/define/report.ts'
import { isNumeric } from '../files/browser/format-cell.js'
import { looksLikeFormula } from '../files/looks-like-formula.ts'
import type { PackageWriter } from './xlsx-package.ts'
import { type CellToWrite, columnLetters, inlineXml, sharedXml, styleXml } from './xlsx-rows.ts'
import * as styles from './xlsx-styles.ts'
import { cellText } from './xlsx-text.ts'
import { changeValue, excelValue } from './xlsx-value.ts'

export type CellLook = Pick<TableColumn, 'format' | 'tint' | 'editable'>

export function bodyCell(value: Cell, look: CellLook): CellToWrite {
  const stored = excelValue(value, look.format)
  return { value: stored, style: styleOf(look, typeof stored === 'string' ? 'text' : 'number') }
}

function styleOf(
  { format, tint, editable }: CellLook,
  kind: 'number' | 'text' | 'formula-like',
): styles.CellStyle {
  const change = isChange(tint) && format !== 'seconds'
  // Text in a column of numbers (more digits than a double has, “too few”) must stay text.
  const plain =
    kind === 'text' && isNumeric(format)
      ? styles.figureStyle('text')
      : styles.bodyStyle(kind === 'formula-like' ? 'text' : format)
  const style = change ? styles.changeStyle(format, 'none') : plain
  const shown = kind === 'formula-like' ? styles.quoted(style) : style
  return editable === undefined ? shown : styles.editableStyle(shown)
}

function isChange(tint: CellLook['tint']): boolean {
  return tint === 'delta' || tint === 'change'
}

/** Returns the cells of a table's row as XML. */
export type RowXml = (values: readonly Cell[], row: number) => string

/**
 * Makes the rows of a workbook's tables. Caches the XML of cells whose text is in the workbook's table of
 * texts.
 */
export class BodyRows {
  private readonly writer: PackageWriter
  private readonly texts: KnownTexts = new Map()
  private readonly looks = new Map<string, LookXml>()

  constructor(writer: PackageWriter) {
    this.writer = writer
  }

  of(columns: readonly CellLook[]): RowXml {
    const heads = columns.map((_column, at) => `<c r="${columnLetters(at + 1)}`)
    const looks = columns.map((column) => this.lookOf(column))
    // Not an iterator of pairs, which would make an object for each of some million cells.
    return (values, row) => {
      const place = `${row}"`
      let xml = ''
      for (let at = 0; at < looks.length; at++)
        xml += `${heads[at]}${place}${looks[at]?.of(values[at] ?? null)}`
      return xml
    }
  }

  private lookOf(look: CellLook): LookXml {
    const changes = isChange(look.tint) ? '/change' : ''
    const name = `${look.format}${changes}${look.editable === undefined ? '' : '/editable'}`
    const known = this.looks.get(name) ?? new LookXml(this.writer, this.texts, look)
    this.looks.set(name, known)
    return known
  }
}

/** Cached cells by the report's text; the sheet may store it differently. */
type KnownTexts = Map<string, { xml: string; kind: 'text' | 'formula-like' }>

/** The XML after a cell's reference, for one look. */
class LookXml {
  private readonly writer: PackageWriter
  private readonly texts: KnownTexts
  private readonly look: CellLook
  private readonly changes: boolean
  private readonly heads: Partial<Record<'number' | 'text' | 'formula-like', string>> = {}

  constructor(writer: PackageWriter, texts: KnownTexts, look: CellLook) {
    this.writer = writer
    this.texts = texts
    this.look = look
    this.changes = isChange(look.tint)
  }

  of(value: Cell): string {
    const { format } = this.look
    if (typeof value === 'string' && format !== 'date' && format !== 'instant')
      return this.ofText(value)
    const shown = this.changes && typeof value === 'number' ? changeValue(value, format) : value
    const stored = excelValue(shown, format)
    if (stored === null) return `${this.head('number')}/>`
    if (typeof stored === 'number') return `${this.head('number')}><v>${stored}</v></c>`
    return this.ofText(typeof value === 'string' ? value : stored)
  }

  private ofText(value: string): string {
    const known = this.texts.get(value)
    if (known !== undefined) return this.head(known.kind) + known.xml
    const stored = cellText(value)
    const kind = looksLikeFormula(value) ? 'formula-like' : 'text'
    const head = this.head(kind)
    const shared = this.writer.sharedText(stored)
    if (shared === undefined) return head + inlineXml(stored)
    const xml = sharedXml(shared)
    this.texts.set(value, { xml, kind })
    return head + xml
  }

  /** Returns the XML of the cell's style. Styles are numbered in the order of first use. */
  private head(kind: 'number' | 'text' | 'formula-like'): string {
    return (this.heads[kind] ??= styleXml(this.writer.styleId(styleOf(this.look, kind))))
  }
}
