import type { SheetEnd } from './exceljs-adapter.ts'
import { hyperlinks, type Link, RELATIONSHIPS, xmlEscape } from './package-xml.ts'

/** Cells that a person fills in, with their values if they are known. */
export interface CellsToFill {
  ref: string
  title: string
  values: readonly string[] | undefined
  /** Other values are allowed too, after a warning. */
  open: boolean
  /** Returns the range of a longer list, which does not fit into the cells' rule. */
  range(): string
}

/** Parts of a sheet besides its cells, requested when the sheet ends. */
export interface SheetExtras {
  /** Internal links: cell and target, e.g. `'Quality by day'!A1`. */
  links: Link[]
  /** Ranges whose numbers are text on purpose, so that no green triangle appears. */
  textRanges: string[]
  toFill: CellsToFill[]
  /** Whether the sheet is protected: only cells whose style unlocks them can be edited. */
  locked: boolean
  /** The drawing's number, if the sheet has charts. */
  drawing: number | undefined
  /** The numbers of the sheet's tables. */
  tables: number[]
}

export function noExtras(): SheetExtras {
  return {
    links: [],
    textRanges: [],
    toFill: [],
    locked: false,
    drawing: undefined,
    tables: [],
  }
}

/** Returns the extras in the schema's order. */
export function sheetEnd(extras: SheetExtras): SheetEnd {
  return {
    afterRows: () => (extras.locked ? PROTECTION : ''),
    afterFormats: () => validations(extras.toFill) + hyperlinks(extras.links),
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

/** Protects against mistakes only, so without a password. An action with attribute 0 stays allowed. */
const PROTECTION =
  '<sheetProtection sheet="1" formatCells="0" formatColumns="0" formatRows="0" autoFilter="0"/>'

function validations(cells: readonly CellsToFill[]): string {
  if (cells.length === 0) return ''
  return `<dataValidations count="${cells.length}">${cells.map(validation).join('')}</dataValidations>`
}

/** Returns the cell's data validation: an input prompt, and a drop-down list if the values are known. */
function validation({ ref, title, values = [], open, range }: CellsToFill): string {
  const [only, listed] = [`${title}: ${values.join(', ')}`, `${title}: choose from the list`]
  const prompt = values.length === 0 ? title : open || only.length > MOST_MESSAGE ? listed : only
  const shown = `showInputMessage="1" promptTitle="Edit here" prompt="${attribute(prompt)}"`
  if (values.length === 0) return `<dataValidation allowBlank="1" ${shown} sqref="${ref}"/>`
  const [style, heading, text] = open
    ? [' errorStyle="warning"', 'Not in the list', `${title}: the list does not have this value.`]
    : ['', 'Not possible', `${title} can be one of: ${values.join(', ')}`]
  const list = xmlEscape((open ? undefined : listOf(values)) ?? range())
  return (
    `<dataValidation type="list"${style} allowBlank="1" showErrorMessage="1" errorTitle="${heading}"` +
    ` error="${attribute(text)}" ${shown} sqref="${ref}"><formula1>${list}</formula1></dataValidation>`
  )
}

/** Joins values with commas, in quotes; undefined if too long, or if a value contains a comma or quote. */
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
