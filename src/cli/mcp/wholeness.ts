import type { TableFreshness } from '../../warehouse/run-statement.ts'
import { REPORT_VIEWS } from '../../warehouse/schema/report-views.ts'

/**
 * Writes the first line of an answer: whether the tables it reads are whole, and when they were read. `read`
 * names tables and views of `report`. An account without a row in `freshness` was never read completely.
 */
export function wholenessOf(
  read: readonly string[],
  freshness: readonly TableFreshness[],
  accounts: readonly string[],
): string {
  const tables = [...new Set(read.map((name) => name.replace(/^history_/, '')))].filter(
    (name) => !Object.hasOwn(REPORT_VIEWS, name),
  )
  if (tables.length === 0) return NO_DATA
  const known = freshness.filter(({ table }) => tables.includes(table))
  const missing = tables.flatMap((table) =>
    accounts
      .filter((account) => !known.some((row) => row.table === table && row.account === account))
      .map((account) => `${table} of ${account}: no complete reading is recorded`),
  )
  const broken = [...known.filter(({ whole }) => !whole).map(brokenText), ...missing]
  const parts = [...new Set(known.flatMap(({ rows_kept: part }) => part ?? []))]
  const only = parts.length === 0 ? '' : ` Only a part is kept: ${listed(parts, '; ')}.`
  if (broken.length > 0)
    return `incomplete: the answer may be too low or partial. ${listed(broken, '; ')}.${only}`
  const [oldest = 'unknown'] = known.map(({ complete_to: at }) => at ?? 'unknown').sort()
  const what = `all records of ${listed(tables, ', ')} that existed then were read.`
  return `complete as of ${oldest}: ${what}${only}`
}

function brokenText(row: TableFreshness): string {
  const { account, table, state, complete_to: at } = row
  const reasons = [
    state.replaceAll('_', ' '),
    ...(row.missing_parts > 0 ? [`${row.missing_parts} days or lists missing`] : []),
    ...(row.quarantined > 0 ? [`${row.quarantined} records quarantined`] : []),
    ...(row.deletions_held > 0 ? [`${row.deletions_held} deletions held back`] : []),
    ...(at === null ? [] : [`last read to the end as of ${at}`]),
  ]
  return `${table} of ${account}: ${reasons.join(', ')}`
}

function listed(parts: readonly string[], between: string): string {
  const more = parts.length - LISTED
  return `${parts.slice(0, LISTED).join(between)}${more > 0 ? `${between}and ${more} more` : ''}`
}

const LISTED = 20
export const NO_DATA = 'uses no synced table'
