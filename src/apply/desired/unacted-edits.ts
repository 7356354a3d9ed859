import type { SheetForm } from '../../core/define/desired.ts'
import { baseName } from '../../report/xlsx/xlsx-sheet-names.ts'
import { type AnyRow, readAllRows } from '../workbook/read-all-rows.ts'

/** An edit on which an apply does not act: in a column of a list, or in a whole sheet. */
export interface UnactedEdit {
  sheet: string
  /** The column; undefined for deleted lines, and for a sheet that is not read at all. */
  column?: string
  what: 'edited' | 'column added' | 'column gone' | 'lines gone' | 'sheet added'
  count: number
  /** Some of the rows. */
  rows: number[]
}

export interface ListForm extends Pick<SheetForm<unknown>, 'name' | 'columns' | 'key' | 'acts'> {
  /** Whether `apply` acts on deleted lines too. */
  removes: boolean
}

/**
 * Compares an edited workbook with the original: cells of lists by the line's key, in any order, and all
 * other sheets by whole rows.
 */
export async function unactedEdits(
  files: { edited: string; shown: string },
  forms: readonly ListForm[],
): Promise<UnactedEdit[]> {
  const shown = new Map<string, ShownSheet>()
  const sheetOf = (name: string): ShownSheet => {
    const base = baseName(name)
    const form = forms.find((one) => one.name === base)
    const known = shown.get(base) ?? new ShownSheet(base, form)
    shown.set(base, known)
    return known
  }
  for await (const row of readAllRows(files.shown)) sheetOf(row.sheet).show(row)
  const edits = new Edits()
  const added = new Map<string, number>()
  for await (const row of readAllRows(files.edited)) {
    const base = baseName(row.sheet)
    const sheet = shown.get(base)
    if (sheet === undefined) added.set(row.sheet, (added.get(row.sheet) ?? 0) + 1)
    else sheet.compare(row, edits)
  }
  for (const sheet of shown.values()) sheet.end(edits)
  for (const [sheet, count] of added) edits.add({ sheet, what: 'sheet added' }, undefined, count)
  return edits.all()
}

/** One sheet with its continuations. Stores digests of its original content. */
class ShownSheet {
  private readonly name: string
  private readonly form: ListForm | undefined
  private titles: string[] = []
  private readonly lines = new Map<string, Uint32Array>()
  private readonly rows = new Map<number, number>()
  private header: Header | undefined
  private seen = false

  constructor(name: string, form: ListForm | undefined) {
    this.name = name
    this.form = form
  }

  show({ sheet, cells }: AnyRow): void {
    if (this.form === undefined) return this.countRow(cells, 1)
    const header = this.headerOf(sheet, cells)
    if (header === 'this row' || header === undefined) return
    this.titles = [...header.columns.keys()]
    const digests = this.titles.map((title) => digest(header.text(cells, title)))
    this.lines.set(this.keyOf(header, cells), Uint32Array.from(digests))
  }

  compare(row: AnyRow, edits: Edits): void {
    // At the sheet's first row in the edited workbook: the original's header does not apply there.
    if (!this.seen) this.header = undefined
    this.seen = true
    if (this.form === undefined) {
      const id = rowDigest(row.cells)
      if ((this.rows.get(id) ?? 0) > 0) this.countRow(row.cells, -1)
      else edits.add({ sheet: this.name, what: 'edited' }, row.row)
      return
    }
    const header = this.headerOf(row.sheet, row.cells)
    if (header === 'this row' || header === undefined) return
    const key = this.keyOf(header, row.cells)
    const line = this.lines.get(key)
    this.lines.delete(key)
    const read = line === undefined ? this.form.columns : this.form.acts
    for (const title of header.columns.keys()) {
      if (read.includes(title)) continue
      const at = this.titles.indexOf(title)
      const text = header.text(row.cells, title)
      const before = line?.[at] ?? digest('')
      if (digest(text) === before) continue
      const what = at < 0 ? 'column added' : 'edited'
      edits.add({ sheet: this.name, column: title, what }, row.row)
    }
  }

  end(edits: Edits): void {
    const { form, header, name } = this
    // Ignores a deleted sheet, and a sheet that is not a list.
    if (form === undefined || !this.seen) return
    const deleted = this.titles.filter((title) => header?.columns.has(title) === false)
    for (const column of deleted) edits.add({ sheet: name, column, what: 'column gone' }, undefined)
    if (!form.removes && this.lines.size > 0)
      edits.add({ sheet: name, what: 'lines gone' }, undefined, this.lines.size)
  }

  private countRow(cells: AnyRow['cells'], by: number): void {
    const id = rowDigest(cells)
    this.rows.set(id, (this.rows.get(id) ?? 0) + by)
  }

  /** Each sheet of a list has its own header. */
  private headerOf(sheet: string, cells: AnyRow['cells']): Header | 'this row' | undefined {
    if (this.header?.sheet === sheet) return this.header
    const header = new Header(sheet, cells)
    if (this.form?.columns.every((title) => header.columns.has(title)) !== true) return undefined
    this.header = header
    return 'this row'
  }

  private keyOf(header: Header, cells: AnyRow['cells']): string {
    return JSON.stringify(this.form?.key.map((title) => header.text(cells, title)))
  }
}

class Header {
  readonly sheet: string
  readonly columns = new Map<string, number>()

  constructor(sheet: string, cells: AnyRow['cells']) {
    this.sheet = sheet
    for (const [column, text] of [...cells].toSorted(([a], [b]) => a - b)) {
      const title = text.replace(/\s+/g, ' ').trim()
      if (title !== '' && !this.columns.has(title)) this.columns.set(title, column)
    }
  }

  text(cells: AnyRow['cells'], title: string): string {
    return cells.get(this.columns.get(title) ?? -1) ?? ''
  }
}

class Edits {
  private readonly found = new Map<string, UnactedEdit>()

  add(
    edit: Pick<UnactedEdit, 'sheet' | 'column' | 'what'>,
    row: number | undefined,
    count = 1,
  ): void {
    const name = JSON.stringify([edit.sheet, edit.column, edit.what])
    const known = this.found.get(name) ?? { ...edit, count: 0, rows: [] }
    known.count += count
    if (row !== undefined && known.rows.length < MOST_ROWS) known.rows.push(row)
    this.found.set(name, known)
  }

  all(): UnactedEdit[] {
    return [...this.found.values()]
  }
}

function rowDigest(cells: AnyRow['cells']): number {
  return digest(JSON.stringify([...cells].toSorted(([a], [b]) => a - b)))
}

/** Hashes text with 32-bit FNV-1a, so one in four billion edits is missed. */
function digest(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

const MOST_ROWS = 20
