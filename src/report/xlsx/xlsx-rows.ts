import { once } from 'node:events'
import type ExcelJS from 'exceljs'
import { looksLikeFormula } from '../files/looks-like-formula.ts'
import { beginRows, sheetStream } from './exceljs-adapter.ts'
import type { PackageWriter } from './xlsx-package.ts'
import { type CellStyle, quoted } from './xlsx-styles.ts'
import { readText } from './xlsx-text.ts'

export interface CellToWrite {
  value: string | number | null
  style: CellStyle
}

/**
 * Writes a sheet's rows as XML directly into its stream: the writer's own row and cell objects take four
 * times as long and ignore back-pressure, so a long sheet would fill the memory.
 */
export class RowWriter {
  private readonly writer: PackageWriter
  private readonly worksheet: ExcelJS.Worksheet
  private piece = Buffer.allocUnsafe(PIECE_BYTES)
  private filled = 0
  private begun = false

  constructor(writer: PackageWriter, worksheet: ExcelJS.Worksheet) {
    this.writer = writer
    this.worksheet = worksheet
  }

  write(row: number, cells: readonly CellToWrite[], height: number | undefined): void {
    let xml = ''
    for (const [index, { value, style }] of cells.entries()) {
      const styleId = this.writer.styleId(isQuoted(value) ? quoted(style) : style)
      if (value === null && styleId === 0) continue
      xml += `<c r="${columnLetters(index + 1)}${row}"${styleXml(styleId)}${this.content(value)}`
    }
    const high = height === undefined ? '' : ` ht="${height}" customHeight="1"`
    xml = `<row r="${row}"${high}>${xml}</row>`
    const most = xml.length * MOST_BYTES
    if (most > PIECE_BYTES - this.filled) this.flush()
    if (most > PIECE_BYTES) sheetStream(this.worksheet).write(xml)
    else this.filled += this.piece.write(xml, this.filled)
  }

  /** Flushes the buffer; full pieces are flushed automatically. */
  flush(): void {
    if (!this.begun) beginRows(this.worksheet)
    this.begun = true
    if (this.filled === 0) return
    sheetStream(this.worksheet).write(this.piece.subarray(0, this.filled))
    this.piece = Buffer.allocUnsafe(PIECE_BYTES)
    this.filled = 0
  }

  /** Returns a promise only if the zip must catch up before the next row. It rejects if the zip failed. */
  catchUp(): Promise<void> | undefined {
    const stream = sheetStream(this.worksheet)
    return stream.errored !== null || stream.writableNeedDrain ? caughtUp(stream) : undefined
  }

  private content(value: string | number | null): string {
    if (value === null) return '/>'
    if (typeof value === 'number') return `><v>${value}</v></c>`
    const shared = this.writer.sharedText(value)
    return shared === undefined ? inlineXml(value) : ` t="s"><v>${shared}</v></c>`
  }
}

/** Whether the cell needs a quote prefix; applies to every cell, because a person can edit each. */
function isQuoted(stored: CellToWrite['value']): boolean {
  return typeof stored === 'string' && looksLikeFormula(readText(stored))
}

function styleXml(styleId: number): string {
  return styleId === 0 ? '' : ` s="${styleId}"`
}

/** Returns the XML of a cell with its own text, after its reference. */
function inlineXml(text: string): string {
  const kept = SPACED.test(text) ? ' xml:space="preserve"' : ''
  return ` t="inlineStr"><is><t${kept}>${escaped(text)}</t></is></c>`
}

async function caughtUp(stream: ReturnType<typeof sheetStream>): Promise<void> {
  if (stream.errored !== null) throw stream.errored
  await once(stream, 'drain')
}

/** Returns a column's letters: 1 is A, 27 is AA. */
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

/**
 * The zip's thread compresses one piece while the next is made. Pieces are large, so that it wakes rarely,
 * but small enough to buffer.
 */
const PIECE_BYTES = 512 * 1024
/** The maximum number of UTF-8 bytes of a UTF-16 unit. */
const MOST_BYTES = 3
const LETTERS: string[] = []
const SPECIAL = /[&<>]/
/** Matches blanks that some programs would remove. */
const SPACED = /^\s|\s\s|[\t\n]|\s$/
