import { once } from 'node:events'
import type ExcelJS from 'exceljs'
import { beginRows, type PackageWriter, sheetStream } from './xlsx-package.ts'
import type { CellStyle } from './xlsx-styles.ts'

export interface CellToWrite {
  value: string | number | null
  style: CellStyle
}

/**
 * Writes a sheet's rows as XML, straight into its stream: the writer's own row and cell objects take four
 * times as long and know no back-pressure, so that a long sheet piles up in memory.
 */
export class RowWriter {
  private readonly writer: PackageWriter
  private readonly worksheet: ExcelJS.Worksheet
  private pending = ''
  private begun = false

  constructor(writer: PackageWriter, worksheet: ExcelJS.Worksheet) {
    this.writer = writer
    this.worksheet = worksheet
  }

  write(row: number, cells: readonly CellToWrite[], height: number | undefined): void {
    const high = height === undefined ? '' : ` ht="${height}" customHeight="1"`
    let xml = `<row r="${row}"${high}>`
    for (let index = 0; index < cells.length; index++) {
      const { value, style } = cells[index] as CellToWrite
      const styleId = this.writer.styleId(style)
      if (value === null && styleId === 0) continue
      xml += `<c r="${columnLetters(index + 1)}${row}"${styleId === 0 ? '' : ` s="${styleId}"`}`
      xml += this.content(value)
    }
    this.pending += `${xml}</row>`
  }

  /** Hands on what has gathered; a promise only where the zip has to catch up first. */
  flush(least = 0): Promise<void> | undefined {
    if (this.pending.length < least) return undefined
    if (!this.begun) beginRows(this.worksheet)
    this.begun = true
    const stream = sheetStream(this.worksheet)
    stream.write(this.pending)
    this.pending = ''
    return stream.errored !== null || stream.writableNeedDrain ? caughtUp(stream) : undefined
  }

  /** Text that many cells have is written once; what is beyond that table's bound stands in its cell. */
  private content(value: string | number | null): string {
    if (value === null) return '/>'
    if (typeof value === 'number') return `><v>${value}</v></c>`
    const shared = this.writer.sharedText(value)
    return shared === undefined
      ? ` t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`
      : ` t="s"><v>${shared}</v></c>`
  }
}

async function caughtUp(stream: ReturnType<typeof sheetStream>): Promise<void> {
  if (stream.errored !== null) throw stream.errored
  await once(stream, 'drain')
}

/** A column's letters: 1 is A, 27 is AA. */
export function columnLetters(column: number): string {
  return (LETTERS[column] ??= lettersOf(column))
}

function lettersOf(column: number): string {
  const rest = (column - 1) % 26
  const head = column > 26 ? lettersOf(Math.floor((column - 1) / 26)) : ''
  return head + String.fromCharCode(65 + rest)
}

function escaped(text: string): string {
  return SPECIAL.test(text)
    ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : text
}

const LETTERS: string[] = []
const SPECIAL = /[&<>]/
