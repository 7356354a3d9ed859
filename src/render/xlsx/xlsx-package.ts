import ExcelJS from 'exceljs'
import type { ReportDocument } from '../../core/declare/report.ts'
import {
  hyperlinks,
  type Link,
  type Part,
  RELATIONSHIPS,
  withOrigin,
  withQuotePrefix,
} from './package-xml.ts'
import { SheetStream } from './sheet-stream.ts'
import { originPart } from './xlsx-origin.ts'
import type { CellStyle } from './xlsx-styles.ts'

/**
 * The relationships and parts that a sheet's charts need, and what goes into the end of the sheet's
 * XML.
 */
export interface SheetExtras {
  /** Internal links: cell and target, e.g. `'Quality by day'!A1`. */
  links: Link[]
  /** A range whose numbers are text on purpose, so that no green triangle asks about them. */
  textRange: string | undefined
  /** The drawing's number, if the sheet has charts. */
  drawing: number | undefined
}

/**
 * The members of exceljs 4.4.0 that no public interface covers: its zip, and the pieces that its
 * stream writer puts into a sheet. The version is pinned; `test/render/xlsx-package.test.ts` checks
 * what comes out.
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
  hyperlinks: '_writeHyperlinks',
  validations: '_writeDataValidations',
  close: '_writeCloseWorksheet',
  columns: '_writeColumns',
  openRows: '_writeOpenSheetData',
  merges: '_merges',
} as const
interface SheetInside {
  id: number
  stream: SheetStream
  startedData: boolean
  [INSIDE.columns]: () => void
  [INSIDE.openRows]: () => void
  [INSIDE.merges]: unknown[]
  [INSIDE.relationships]: { addRelationship(rel: { Type: string; Target: string }): string }
  [INSIDE.hyperlinks]: () => void
  [INSIDE.validations]: () => void
  [INSIDE.close]: () => void
}

type Base = Omit<ExcelJS.stream.xlsx.WorkbookWriter, keyof Inside> & Inside
const BaseWriter = ExcelJS.stream.xlsx.WorkbookWriter as unknown as new (options: object) => Base

/**
 * The stream writer with what it lacks: charts, fixed dates in the zip, elements in the schema's
 * order, quote prefixes.
 */
export class PackageWriter extends BaseWriter {
  // Declared only: the base constructor already calls addThemes, before a field of ours could be set.
  declare parts: Part[] | undefined
  private readonly openSheets: SheetStream[] = []
  private failure: Error | undefined
  private readonly texts = new Map<string, number>()
  private sharedCharacters = 0

  constructor(filename: string, document: ReportDocument) {
    const { title, asOfMs } = document
    super({
      filename,
      creator: 'Callsheet',
      lastModifiedBy: 'Callsheet',
      created: new Date(asOfMs),
      modified: new Date(asOfMs),
      useStyles: true,
      useSharedStrings: true,
      // Level 6 takes twice the time, and makes a long sheet an eighth smaller.
      zip: { zlib: { level: 3, chunkSize: 64 * 1024 } },
    })
    this.title = title
    this.addPart(originPart(document))
    // The zip repeats the error of a sheet, which whoever writes the sheet has heard already.
    this.zip.on('error', () => undefined)
    this.stream.once('error', (error) => {
      this.failure = error
      for (const sheet of this.openSheets) sheet.destroy(error)
    })
  }

  /** The style's number; the same object always has the same. */
  styleId(style: CellStyle): number {
    return this.styles.addStyleModel(style)
  }

  /**
   * The text's number in the workbook's table of texts; undefined where the table is full, since it stays in
   * memory to the end. Not every program reads `_xHHHH_` outside of the table, so such text is always in it.
   */
  sharedText(text: string): number | undefined {
    const known = this.texts.get(text)
    if (known !== undefined) return known
    const full = this.texts.size >= MOST_TEXTS || this.sharedCharacters >= MOST_CHARACTERS
    if (full && !text.includes('_x')) return undefined
    this.sharedCharacters += text.length
    const index = this.sharedStrings.add(text)
    this.texts.set(text, index)
    return index
  }

  /** Called by the base class for each sheet; its own stream takes all that it is given into memory. */
  protected _openStream(name: string): SheetStream {
    const stream = new SheetStream()
    this.openSheets.push(stream)
    // A file that could not even be opened never takes anything, and its sheets would wait for ever.
    if (this.failure !== undefined) stream.destroy(this.failure)
    this.zip.append(stream, { name })
    return stream
  }

  addPart(part: Part): void {
    this.parts ??= []
    this.parts.push(part)
  }

  /**
   * The first thing the base constructor does with its new zip, and so the place to get between the
   * two.
   */
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
    const parts = [...(this.parts ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const { name, xml } of parts) this.zip.append(xml, { name })
    return super.addContentTypes()
  }

  private rewritten(name: string, xml: string): string {
    if (name === '[Content_Types].xml') {
      return xml.replace('</Types>', `${this.overrides()}</Types>`)
    }
    if (name === '/_rels/.rels') return withOrigin(xml)
    return name === 'xl/styles.xml' ? withQuotePrefix(xml) : xml
  }

  private overrides(): string {
    return (this.parts ?? [])
      .filter(({ contentType }) => contentType !== undefined)
      .map((part) => `<Override PartName="/${part.name}" ContentType="${part.contentType}"/>`)
      .join('')
  }
}

export function sheetStream(worksheet: ExcelJS.Worksheet): SheetStream {
  return (worksheet as unknown as SheetInside).stream
}

/** Ends the sheet's head, as the writer does when it is given its first row. */
export function beginRows(worksheet: ExcelJS.Worksheet): void {
  const sheet = worksheet as unknown as SheetInside
  sheet[INSIDE.columns]()
  sheet[INSIDE.openRows]()
  sheet.startedData = true
}

/** Merges cells of rows that the writer does not know. */
export function mergeCells(worksheet: ExcelJS.Worksheet, range: string): void {
  ;(worksheet as unknown as SheetInside)[INSIDE.merges].push(range)
}

/**
 * Makes the writer end the sheet as the schema orders it (conditional formatting, hyperlinks, page
 * set-up, ignored errors, drawing). Call it before the sheet is committed; the extras are read
 * then.
 */
export function orderSheet(worksheet: ExcelJS.Worksheet, extras: SheetExtras): void {
  const sheet = worksheet as unknown as SheetInside
  const writeValidations = sheet[INSIDE.validations].bind(sheet)
  const close = sheet[INSIDE.close].bind(sheet)
  sheet[INSIDE.hyperlinks] = () => undefined
  sheet[INSIDE.validations] = () => {
    writeValidations()
    sheet.stream.write(hyperlinks(extras.links))
  }
  sheet[INSIDE.close] = () => {
    if (extras.textRange !== undefined) {
      const ignored = `<ignoredError sqref="${extras.textRange}" numberStoredAsText="1"/>`
      sheet.stream.write(`<ignoredErrors>${ignored}</ignoredErrors>`)
    }
    if (extras.drawing !== undefined) {
      const id = sheet[INSIDE.relationships].addRelationship({
        Type: `${RELATIONSHIPS}/drawing`,
        Target: `../drawings/drawing${extras.drawing}.xml`,
      })
      sheet.stream.write(`<drawing r:id="${id}"/>`)
    }
    close()
  }
}

const MOST_TEXTS = 65_536
const MOST_CHARACTERS = 4_000_000
