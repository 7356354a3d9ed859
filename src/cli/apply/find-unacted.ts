import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CallsheetError } from '../../core/errors/errors.ts'
import { remakeReport } from '../../engine/apply/remake-report.ts'
import type { EngineDeps } from '../../engine/run/run-context.ts'
import type { Origin } from '../../render/xlsx/xlsx-origin.ts'
import { reports } from '../catalog/catalog.ts'
import { count, type Output } from '../frame/output.ts'
import { type ListForm, type UnactedEdit, unactedEdits } from './unacted-edits.ts'

/** Edits that are not acted on, or why they could not be looked for. */
export type Unacted = { edits: readonly UnactedEdit[] } | { why: string }

/**
 * Makes the workbook again as it was, which the same runs allow, and compares it with what became of it. What
 * keeps it from being made says nothing against applying the rest.
 */
export async function findUnacted(
  deps: Pick<EngineDeps, 'warehouse'>,
  { file, origin, timeZone }: { file: string; origin: Origin; timeZone: string },
  forms: readonly ListForm[],
): Promise<Unacted> {
  const report = reports.find(({ name }) => name === origin.report)
  if (report === undefined) return { why: `there is no report ${origin.report}` }
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-shown-'))
  try {
    const shown = join(folder, 'shown.xlsx')
    const zone = origin.timeZone ?? timeZone
    const { account, asOfMs: endedByMs, sinceMs, settings } = origin
    const made = { report, account, params: {}, timeZone: zone, endedByMs, sinceMs, settings }
    await remakeReport(deps, made, shown)
    return { edits: await unactedEdits({ edited: file, shown }, forms) }
  } catch (error) {
    if (!(error instanceof CallsheetError)) throw error
    return { why: error.facts.came }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export function reportUnacted(output: Output, unacted: Unacted): void {
  if ('why' in unacted) {
    output.note(`Which other cells were edited cannot be seen: ${unacted.why}.`)
    return
  }
  if (unacted.edits.length === 0) return
  output.note('Edited, and not acted on:')
  for (const edit of unacted.edits) output.note(`  ${lineOf(edit)}`)
}

function lineOf({ sheet, column, what, count: number, rows }: UnactedEdit): string {
  const place = column === undefined ? sheet : `${sheet}, column ${column}`
  const more = number > rows.length ? ', ...' : ''
  const where =
    rows.length === 0 ? '' : ` (row${number === 1 ? '' : 's'} ${rows.join(', ')}${more})`
  if (what === 'column gone') return `${place}: the column is gone`
  if (what === 'lines gone')
    return `${place}: ${count(number)} lines are gone; they stay as they are`
  if (what === 'sheet added') return `${place}: a sheet that the report does not have`
  const things = column === undefined ? 'rows' : 'cells'
  const added = what === 'column added' ? ' of a column that the report does not have' : ''
  return `${place}: ${count(number)} ${number === 1 ? things.slice(0, -1) : things}${added}${where}`
}
