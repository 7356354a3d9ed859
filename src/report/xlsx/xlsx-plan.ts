import type { Block, Note, ReportDocument, Section, Table } from '../../core/define/report.ts'
import { counted } from '../../core/values/quantities.ts'
import { firstRows } from '../files/row-batches.ts'
import { CHART_DATA } from './xlsx-chart-data.ts'
import { LISTS } from './xlsx-lists.ts'
import { sheetNames } from './xlsx-sheet-names.ts'

/** A planned sheet; a table that continues opens further sheets itself. */
export interface PlannedSheet {
  name: string
  title: string
  /** The section's title, which names its tables. */
  section: string
  /** How much the sheet has and what its section shows, for the contents; undefined for the cover. */
  about?: string | undefined
  blocks: readonly Block[]
  tab: 'cover' | 'plain' | 'detail'
}

export interface WorkbookPlan {
  sheets: readonly PlannedSheet[]
  /** The sheet before which the chart data is placed; undefined: the chart data is last. */
  chartsBefore: PlannedSheet | undefined
  charts: boolean
}

/** Plans a sheet for each section. In a section with several tables, each long table gets its own sheet. */
export async function planSheets({ sections }: ReportDocument): Promise<WorkbookPlan> {
  const sheets: PlannedSheet[] = []
  for (const [index, section] of sections.entries()) {
    const tab = index === 0 ? 'cover' : section.detail === true ? 'detail' : 'plain'
    for (const sheet of await sheetsOf(section)) {
      const about = tab === 'cover' ? undefined : await aboutOf(sheet)
      sheets.push({ ...sheet, about, name: '', tab })
    }
  }
  const [, , ...names] = sheetNames([CHART_DATA, LISTS, ...sheets.map(({ title }) => title)])
  const named = sheets.map((sheet, at) => ({ ...sheet, name: names[at] ?? sheet.title }))
  const last = named.at(-1)
  const provenance = sections.at(-1)?.provenance === true ? last : undefined
  return {
    sheets: named,
    chartsBefore: provenance?.blocks.some(isChart) === false ? provenance : undefined,
    charts: sections.some(({ blocks }) => blocks.some(isChart)),
  }
}

async function sheetsOf(section: Section): Promise<Omit<PlannedSheet, 'name' | 'tab'>[]> {
  const { title, blocks } = section
  const moved = await longTables(section)
  const own = {
    title,
    section: title,
    about: section.about,
    blocks: withEditNotes(blocks.filter((block) => block.kind !== 'table' || !moved.has(block))),
  }
  const others = [...moved].map((table) => ({
    title: ownTitle(title, table.title),
    section: title,
    blocks: withEditNotes([table]),
  }))
  return [...(own.blocks.length === 0 ? [] : [own]), ...others]
}

/** Begins what a sheet shows with its number of rows, unless the report begins with a count itself. */
async function aboutOf({
  about,
  blocks,
}: Pick<PlannedSheet, 'about' | 'blocks'>): Promise<string | undefined> {
  const [table, ...others] = blocks.filter((block) => block.kind === 'table')
  if (table === undefined || /^[\d,]+ /.test(about ?? '')) return about
  const size = others.length > 0 ? counted(others.length + 1, 'table') : await sizeOf(table)
  return about === undefined ? size : `${size}: ${about}`
}

async function sizeOf({ rows }: Table): Promise<string> {
  const { length } = 'stream' in rows ? await rows.first(MOST_COUNTED + 1) : rows
  const isCounted = !('stream' in rows) || length <= MOST_COUNTED
  return isCounted ? counted(length, 'row') : `more than ${counted(MOST_COUNTED, 'row')}`
}

/** Returns the long tables of a section with several tables: filtering one must not hide the others. */
async function longTables({ blocks }: Section): Promise<Set<Table>> {
  const tables = blocks.filter((block) => block.kind === 'table')
  const long = new Set<Table>()
  if (tables.length < 2) return long
  for (const table of tables)
    if ((await firstRows(table.rows, LONG_ROWS + 1)).length > LONG_ROWS) long.add(table)
  // If all are long, the first stays: a sheet that only describes the others looks empty.
  if (tables[0] !== undefined && long.size === tables.length) long.delete(tables[0])
  return long
}

/** Returns the title of a table's own sheet: `Activities, by person`. */
function ownTitle(section: string, title: string): string {
  if (title === section) return `${section}, list`
  if (title.toLowerCase().includes(section.toLowerCase())) return title
  const lower = /^\p{Lu}\p{Lu}/u.test(title)
    ? title
    : title.slice(0, 1).toLowerCase() + title.slice(1)
  return `${section}, ${lower}`
}

/** Adds a note before a table that a person may edit. */
function withEditNotes(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) => {
    const columns = block.kind === 'table' ? block.columns.filter(({ editable }) => editable) : []
    return columns.length === 0 ? [block] : [editNote(columns.map(({ title }) => title)), block]
  })
}

function editNote(titles: readonly string[]): Note {
  const text =
    `Edit here: the tinted cells under ${titles.join(' and ')}. Save the workbook and run ` +
    '"callsheet apply" with it. All else on this sheet is protected, without a password: filters work; ' +
    'to sort, unprotect the sheet first (Review, Unprotect Sheet).'
  return { kind: 'note', tone: 'warning', text }
}

function isChart({ kind }: Block): boolean {
  return kind === 'chart'
}

/** A table with more rows is long: it fills several screens. */
const LONG_ROWS = 100
/** Counting the rows of a stream means reading them, so a larger count is shown as `more than 1,000 rows`. */
const MOST_COUNTED = 1000
