import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from '../../core/define/report.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Origin } from '../../report/xlsx/xlsx-origin.ts'
import type { EngineDeps } from '../../sync/run/run-context.ts'
import { remakeWorkbook } from '../remake-workbook.ts'
import { type ListForm, type UnactedEdit, unactedEdits } from './unacted-edits.ts'

/** Edits that are not acted on, or why they could not be looked for. */
export type Unacted = { edits: readonly UnactedEdit[] } | { why: string }

/** A workbook that somebody edited, and the reports of which it may be one. */
export interface EditedFile {
  file: string
  timeZone: string
  reports: readonly Report[]
}

/**
 * Makes the workbook again as it was, which the same runs allow, and compares it with what became of it. What
 * keeps it from being made says nothing against applying the rest.
 */
export async function findUnacted(
  deps: Pick<EngineDeps, 'warehouse'>,
  { file, origin, timeZone, reports }: EditedFile & { origin: Origin },
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
    await remakeWorkbook(deps, made, shown)
    return { edits: await unactedEdits({ edited: file, shown }, forms) }
  } catch (error) {
    if (!(error instanceof CallsheetError)) throw error
    return { why: error.facts.came }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
