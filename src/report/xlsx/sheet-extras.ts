import type { SheetEnd } from './exceljs-adapter.ts'
import { hyperlinks, type Link, RELATIONSHIPS, xmlEscape } from './package-xml.ts'

/** Cells in which a person may write, and what. */
export interface EditableCells {
  ref: string
  title: string
  allowed: readonly string[] | undefined
}

/** What a sheet has besides its cells; it is read when the sheet ends. */
export interface SheetExtras {
  /** Internal links: cell and target, e.g. `'Quality by day'!A1`. */
  links: Link[]
  /** Ranges whose numbers are text on purpose, so that no green triangle asks about them. */
  textRanges: string[]
  /** Where there are some, all other cells of the sheet are locked. */
  editable: EditableCells[]
  /** The drawing's number, if the sheet has charts. */
  drawing: number | undefined
  /** The numbers of its tables. */
  tables: number[]
}

export function noExtras(): SheetExtras {
  return { links: [], textRanges: [], editable: [], drawing: undefined, tables: [] }
}

/** The extras as the schema orders them. */
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

/** Without a password: it guards against slips. An attribute that is 0 is something that stays allowed. */
const PROTECTION =
  '<sheetProtection sheet="1" formatCells="0" formatColumns="0" formatRows="0" autoFilter="0"/>'

function validations(cells: readonly EditableCells[]): string {
  if (cells.length === 0) return ''
  return `<dataValidations count="${cells.length}">${cells.map(validation).join('')}</dataValidations>`
}

/** A list for the drop-down where the values are known, and in any case what the cell is for. */
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

/** Values between commas in quotes; undefined where they do not go into one. */
function listOf(values: readonly string[]): string | undefined {
  const list = `"${values.join(',')}"`
  const fits = list.length <= MOST_MESSAGE && !values.some((value) => /[",]/.test(value))
  return fits ? list : undefined
}

function attribute(text: string): string {
  return xmlEscape(text.length <= MOST_MESSAGE ? text : `${text.slice(0, MOST_MESSAGE - 1)}…`)
}

/** Characters of a message, and of a list; a longer one makes the workbook broken. */
const MOST_MESSAGE = 225
