import { ExcelWriter } from './exceljs-adapter.ts'
import { type Part, withQuotePrefix } from './package-xml.ts'
import { type SheetTable, tableXml, uniqueTableName } from './table-xml.ts'

/** A streaming workbook writer that adds charts, tables and quote prefixes. */
export class PackageWriter extends ExcelWriter {
  private readonly parts: Part[] = []
  private readonly texts = new Map<string, number>()
  private sharedCharacters = 0
  private readonly tableNames: string[] = []

  /**
   * Returns the text's number in the workbook's table of texts; undefined if the table is full: its size is
   * limited, because it stays in memory to the end. Text like `_xHHHH_` is always in the table, because some
   * programs read it only there.
   */
  sharedText(text: string): number | undefined {
    const full = this.texts.size >= MOST_TEXTS || this.sharedCharacters >= MOST_CHARACTERS
    if (full && !text.includes('_x')) return undefined
    const known = this.texts.get(text)
    if (known !== undefined) return known
    this.sharedCharacters += text.length
    const index = this.addText(text)
    this.texts.set(text, index)
    return index
  }

  addPart(part: Part): void {
    this.parts.push(part)
  }

  /** Makes the table's part and returns its number. */
  addTable(table: SheetTable): number {
    const name = uniqueTableName(table.name, this.tableNames)
    const id = this.tableNames.push(name)
    this.addPart({
      name: `xl/tables/table${id}.xml`,
      xml: tableXml(id, { ...table, name }),
      contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml',
    })
    return id
  }

  protected override lastParts(): readonly Part[] {
    return this.parts.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  protected override rewritten(name: string, xml: string): string {
    if (name === '[Content_Types].xml') {
      return xml.replace('</Types>', `${this.overrides()}</Types>`)
    }
    return name === 'xl/styles.xml' ? withQuotePrefix(xml) : xml
  }

  private overrides(): string {
    return this.parts
      .filter(({ contentType }) => contentType !== undefined)
      .map((part) => `<Override PartName="/${part.name}" ContentType="${part.contentType}"/>`)
      .join('')
  }
}

/**
 * The limits of the table of texts. Frequent texts occur early; a larger table would contain texts of single
 * rows, and every reader would load them.
 */
const MOST_TEXTS = 8_192
const MOST_CHARACTERS = 4_000_000
