import type { SheetEnd } from './exceljs-adapter.ts'
import { hyperlinks, type Link, RELATIONSHIPS, xmlEscape } from './package-xml.ts'

/** Editable cells, with their allowed values. */
export interface EditableCells {
  ref: string
  title: string
  allowed: readonly string[] | undefined
}

/** Parts of a sheet besides its cells, requested when the sheet ends. */
export interface SheetExtras {
  /** Internal links: cell and target, e.g. `'Quality by day'!A1`. */
  links: Link[]
  /** Ranges whose numbers are text on purpose, so that no green triangle appears. */
  textRanges: string[]
  /** If a sheet has editable cells, all its other cells are locked. */
  editable: EditableCells[]
  /** The drawing's number, if the sheet has charts. */
  drawing: number | undefined
  /** The numbers of its tables. */
  tables: number[]
}

export function noExtras(): SheetExtras {
  return { links: [], textRanges: [], editable: [], drawing: undefined, tables: [] }
}

/** Returns the extras in the schema's order. */
export function sheetEnd(extras: SheetExtras): SheetEnd {
  return {
    afterRows: () => (extras.editable.length === 0 ? '' : PROTECTION),
    afterFormats: () => validations(extras.editable) + hyperlinks(extras.links),
    last(relate) {
      const { textRanges, drawing, tables } = extras
      const ignored = textRanges.map(
        (range) => `<ignoredError sqref="${range}" numberStoredAsText="1"/>`,
      )
      const related = (kind: string, target: string) => relate(`${RELATIONSHIPS}/${kind}`, target)
      const parts = tables.map(
        (id) => `<tablePart r:id="${related('table', `../tables/table${id}.xml`)}"/>`,
      )
      return (
        (ignored.length === 0 ? '' : `<ignoredErrors>${ignored.join('')}</ignoredErrors>`) +
        (drawing === undefined
          ? ''
          : `<drawing r:id="${related('drawing', `../drawings/drawing${drawing}.xml`)}"/>`) +
        (parts.length === 0
          ? ''
          : `<tableParts count="${parts.length}">${parts.join('')}</tableParts>`)
      )
    },
  }
}

/** Protects against mistakes only, so without a password. An attribute of 0 stays allowed. */
const PROTECTION =
  '<sheetProtection sheet="1" formatCells="0" formatColumns="0" formatRows="0" autoFilter="0"/>'

function validations(cells: readonly EditableCells[]): string {
  if (cells.length === 0) return ''
  return `<dataValidations count="${cells.length}">${cells.map(validation).join('')}</dataValidations>`
}

/** Returns a drop-down list if the values are known, and always the cell's purpose. */
function validation({ ref, title, allowed }: EditableCells): string {
  const list = allowed === undefined ? undefined : listOf(allowed)
  const prompt = allowed === undefined ? title : `${title}: ${allowed.join(', ')}`
  const shown = `showInputMessage="1" promptTitle="Edit here" prompt="${attribute(prompt)}"`
  if (list === undefined) return `<dataValidation allowBlank="1" ${shown} sqref="${ref}"/>`
  const error = attribute(`${title} can be one of: ${allowed?.join(', ')}`)
  return (
    `<dataValidation type="list" allowBlank="1" showErrorMessage="1" errorTitle="Not possible"` +
    ` error="${error}" ${shown} sqref="${ref}"><formula1>${xmlEscape(list)}</formula1></dataValidation>`
  )
}

/** Joins values with commas, in quotes; undefined if they do not fit. */
function listOf(values: readonly string[]): string | undefined {
  const list = `"${values.join(',')}"`
  const fits = list.length <= MOST_MESSAGE && !values.some((value) => /[",]/.test(value))
  return fits ? list : undefined
}

function attribute(text: string): string {
  return xmlEscape(text.length <= MOST_MESSAGE ? text : `${text.slice(0, MOST_MESSAGE - 1)}…`)
}

/** The most characters of a message and of a list; longer ones corrupt the workbook. */
const MOST_MESSAGE = 225
