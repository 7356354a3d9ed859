import ExcelJS from 'exceljs'
import type { Part } from './package-xml.ts'
import { SheetStream } from './sheet-stream.ts'
import type { CellStyle } from './xlsx-styles.ts'

/**
 * Members of exceljs 4.4.0 that its public interface lacks: its zip, and the pieces that its stream writer
 * puts into a sheet. No other file uses them. The version is pinned, and
 * `test/report/xlsx/exceljs-adapter.test.ts` has a test for each.
 */
interface Inside {
  created: Date
  title: string
  zip: {
    append(source: unknown, data: { name: string; date?: Date }): unknown
    on(event: 'error', listener: () => void): unknown
  }
  /** The file that the zip is written to. */
  stream: NodeJS.WritableStream & { destroy(): void }
  styles: { addStyleModel(style: CellStyle): number }
  sharedStrings: { add(value: string): number }
  addThemes(): Promise<unknown>
  addContentTypes(): Promise<unknown>
}
const INSIDE = {
  relationships: '_sheetRelsWriter',
  filter: '_writeAutoFilter',
  hyperlinks: '_writeHyperlinks',
  validations: '_writeDataValidations',
  close: '_writeCloseWorksheet',
  columns: '_writeColumns',
  openRows: '_writeOpenSheetData',
  merges: '_merges',
} as const
interface SheetInside {
  stream: SheetStream
  rowBreaks: { id: number; max: number; man: 1 }[]
  startedData: boolean
  [INSIDE.columns]: () => void
  [INSIDE.openRows]: () => void
  [INSIDE.merges]: unknown[]
  [INSIDE.relationships]: { addRelationship(rel: { Type: string; Target: string }): string }
  [INSIDE.filter]: () => void
  [INSIDE.hyperlinks]: () => void
  [INSIDE.validations]: () => void
  [INSIDE.close]: () => void
}

type Base = Omit<ExcelJS.stream.xlsx.WorkbookWriter, keyof Inside> & Inside
const BaseWriter = ExcelJS.stream.xlsx.WorkbookWriter as unknown as new (options: object) => Base

/** The stream writer, with control over the content and date of each part. */
export abstract class ExcelWriter extends BaseWriter {
  private readonly openSheets: SheetStream[] = []
  private failure: Error | undefined

  constructor(filename: string, { title, asOfMs }: { title: string; asOfMs: number }) {
    super({
      filename,
      creator: 'Callsheet',
      lastModifiedBy: 'Callsheet',
      created: new Date(asOfMs),
      modified: new Date(asOfMs),
      useStyles: true,
      useSharedStrings: true,
      // Level 6 would take twice the time and make a long sheet only an eighth smaller.
      zip: { zlib: { level: 3, chunkSize: 64 * 1024 } },
    })
    this.title = title
    // The zip repeats a sheet's error, which the writer of the sheet has handled.
    this.zip.on('error', () => undefined)
    this.stream.once('error', (error) => {
      this.failure = error
      for (const sheet of this.openSheets) sheet.destroy(error)
    })
  }

  /** Returns the new XML of a part of the writer's own. The base constructor calls it before fields exist. */
  protected abstract rewritten(name: string, xml: string): string

  /** Returns parts that the writer does not know; called after all sheets are written. */
  protected abstract lastParts(): readonly Part[]

  /** Returns the style's number; one object always has one number. */
  styleId(style: CellStyle): number {
    return this.styles.addStyleModel(style)
  }

  /** Adds a text to the workbook's table of texts, and returns its number. */
  protected addText(text: string): number {
    return this.sharedStrings.add(text)
  }

  /** Opens the stream of a sheet for the base class, whose own stream would hold everything in memory. */
  protected _openStream(name: string): SheetStream {
    const stream = new SheetStream()
    this.openSheets.push(stream)
    // A file that could not be opened never drains, so its sheets would wait forever.
    if (this.failure !== undefined) stream.destroy(this.failure)
    this.zip.append(stream, { name })
    return stream
  }

  /** The base constructor calls this first, with its new zip, so the zip can be intercepted here. */
  override addThemes(): Promise<unknown> {
    const append = this.zip.append.bind(this.zip)
    const date = this.created
    this.zip.append = (source, data) => {
      const content = typeof source === 'string' ? this.rewritten(data.name, source) : source
      return append(content, { ...data, date })
    }
    return super.addThemes()
  }

  override async addContentTypes(): Promise<unknown> {
    for (const { name, xml } of this.lastParts()) this.zip.append(xml, { name })
    return super.addContentTypes()
  }
}

export function sheetStream(worksheet: ExcelJS.Worksheet): SheetStream {
  return inside(worksheet).stream
}

/** Ends the sheet's head, as the writer does at its first row. */
export function beginRows(worksheet: ExcelJS.Worksheet): void {
  const sheet = inside(worksheet)
  sheet[INSIDE.columns]()
  sheet[INSIDE.openRows]()
  sheet.startedData = true
}

/** Merges cells of rows that the base writer does not know. */
export function mergeCells(worksheet: ExcelJS.Worksheet, range: string): void {
  inside(worksheet)[INSIDE.merges].push(range)
}

/** Ends a printed page after the row, across all columns. */
export function breakAfter(worksheet: ExcelJS.Worksheet, row: number): void {
  inside(worksheet).rowBreaks.push({ id: row, max: LAST_COLUMN, man: 1 })
}

/** XML that the base writer cannot make or would misplace; requested when the sheet is committed. */
export interface SheetEnd {
  afterRows(): string
  afterFormats(): string
  /** Returns the XML; `relate` returns the ID of a relationship to another part. */
  last(relate: (type: string, target: string) => string): string
}

/** Makes the writer end the sheet in the schema's order. Must be called before the sheet is committed. */
export function endWith(worksheet: ExcelJS.Worksheet, end: SheetEnd): void {
  const sheet = inside(worksheet)
  const close = sheet[INSIDE.close].bind(sheet)
  const write = (xml: string): void => void (xml === '' || sheet.stream.write(xml))
  const relate = (type: string, target: string): string =>
    sheet[INSIDE.relationships].addRelationship({ Type: type, Target: target })
  // The writer would put its own links before the formats; the sheet's filters belong to its tables.
  sheet[INSIDE.hyperlinks] = () => undefined
  sheet[INSIDE.filter] = () => write(end.afterRows())
  sheet[INSIDE.validations] = () => write(end.afterFormats())
  sheet[INSIDE.close] = () => {
    write(end.last(relate))
    close()
  }
}

function inside(worksheet: ExcelJS.Worksheet): SheetInside {
  return worksheet as unknown as SheetInside
}

/** The index of a sheet's last column. */
const LAST_COLUMN = 16_383
