import type { Book } from './xlsx-book.ts'
import { CHART_DATA } from './xlsx-chart-data.ts'
import type { WorkbookPlan } from './xlsx-plan.ts'
import type { Sheet } from './xlsx-sheet.ts'
import { HEADING, LINK } from './xlsx-styles.ts'
import { excelValue } from './xlsx-value.ts'

/** The link under a sheet's title: to the first sheet, or on that to its contents. */
export function writeTopLink({ plan }: Book, sheet: Sheet): void {
  const [first, ...others] = placesInOrder(plan)
  if (first === undefined || others.length === 0) sheet.skip()
  else if (sheet.name === first.name) writeCell(sheet, 'Contents ↓')
  else writeLink(sheet, `← ${first.title}`, placeOn(first.name))
}

/** Lists the sheets on the first one with full titles, because sheet names have only 31 characters. */
export function writeContents({ plan }: Book, sheet: Sheet): void {
  const [, ...others] = placesInOrder(plan)
  if (others.length === 0) return
  const location = placeOn(sheet.name, sheet.next)
  sheet.extras.links.push({ cell: `A${TOP_ROW}`, location })
  sheet.write([{ value: 'Contents', style: HEADING }], 20)
  for (const { title, name } of others) writeLink(sheet, title, placeOn(name))
}

function writeLink(sheet: Sheet, text: string, location: string): void {
  sheet.extras.links.push({ cell: `A${sheet.next}`, location })
  writeCell(sheet, text)
}

function writeCell(sheet: Sheet, text: string): void {
  const height = sheet.next === TOP_ROW ? 22 : undefined
  sheet.write([{ value: excelValue(text, 'text'), style: LINK }], height)
}

/** A reference to a sheet's row for links: `'Quality by day'!A1`. */
function placeOn(name: string, row = 1): string {
  return `'${name.replaceAll("'", "''")}'!A${row}`
}

/** The sheets in order, without continued ones. */
function placesInOrder({
  sheets,
  charts,
  chartsBefore,
}: WorkbookPlan): { name: string; title: string }[] {
  const places = sheets.flatMap((sheet) =>
    charts && sheet === chartsBefore ? [CHARTS, sheet] : [sheet],
  )
  return charts && chartsBefore === undefined ? [...places, CHARTS] : places
}

const CHARTS = { name: CHART_DATA, title: CHART_DATA }
const TOP_ROW = 3
