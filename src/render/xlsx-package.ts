import ExcelJS from 'exceljs'

/**
 * The relationships and parts that a sheet's charts need, and what goes into the end of the sheet's
 * XML.
 */
export interface SheetExtras {
  /** Internal links: cell and target, e.g. `'Quality by day'!A1`. */
  links: { cell: string; location: string }[]
  /** A range whose numbers are text on purpose, so that no green triangle asks about them. */
  textRange: string | undefined
  /** The drawing's number, if the sheet has charts. */
  drawing: number | undefined
}

export interface Part {
  name: string
  xml: string
  contentType?: string
}

/**
 * The members of exceljs 4.4.0 that no public interface covers: its zip, and the pieces that its
 * stream writer puts into a sheet. The version is pinned; `test/render/xlsx-package.test.ts` checks
 * what comes out.
 */
interface Inside {
  created: Date
  title: string
  zip: { append(source: unknown, data: { name: string; date?: Date }): unknown }
  addThemes(): Promise<unknown>
  addContentTypes(): Promise<unknown>
}
const INSIDE = {
  relationships: '_sheetRelsWriter',
  hyperlinks: '_writeHyperlinks',
  validations: '_writeDataValidations',
  close: '_writeCloseWorksheet',
} as const
interface SheetInside {
  id: number
  stream: { write(text: string): unknown }
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

  constructor(filename: string, title: string, asOfMs: number) {
    super({
      filename,
      creator: 'Callsheet',
      lastModifiedBy: 'Callsheet',
      created: new Date(asOfMs),
      modified: new Date(asOfMs),
      useStyles: true,
      useSharedStrings: true,
      zip: { zlib: { level: 6 } },
    })
    this.title = title
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
    return name === 'xl/styles.xml' ? withQuotePrefix(xml) : xml
  }

  private overrides(): string {
    return (this.parts ?? [])
      .filter(({ contentType }) => contentType !== undefined)
      .map((part) => `<Override PartName="/${part.name}" ContentType="${part.contentType}"/>`)
      .join('')
  }
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

export const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export function xmlEscape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function hyperlinks(links: SheetExtras['links']): string {
  if (links.length === 0) return ''
  const items = links.map(
    ({ cell, location }) => `<hyperlink ref="${cell}" location="${xmlEscape(location)}"/>`,
  )
  return `<hyperlinks>${items.join('')}</hyperlinks>`
}

/** Without the prefix, text such as `=1+1` becomes a formula as soon as a person edits its cell. */
function withQuotePrefix(xml: string): string {
  return xml.replace(
    /<xf ([^>]*)>(<alignment [^>]*readingOrder="1"[^>]*\/>)/g,
    (_all, xf, inner) => `<xf ${String(xf)} quotePrefix="1">${String(inner)}`,
  )
}
