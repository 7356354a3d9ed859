import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Owner } from '../../core/define/owner.ts'
import type { Report } from '../../core/define/report.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { ReadyRequest } from '../../report/open-context.ts'
import { prepareReport } from '../../report/prepare-report.ts'
import { renderXlsx } from '../../report/xlsx/xlsx.ts'
import type { Origin } from '../../report/xlsx/xlsx-origin.ts'
import type { EngineDeps } from '../../sync/run/run-context.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { type ListForm, type UnactedEdit, unactedEdits } from './unacted-edits.ts'

/** Edits that have no effect, or the reason why the search for them failed. */
export type Unacted = { edits: readonly UnactedEdit[] } | { why: string }

/** An edited workbook, and the reports that it may come from. */
export interface EditedFile {
  file: string
  timeZone: string
  reports: readonly Report[]
  owners?: readonly Owner[]
}

/**
 * Recreates the original workbook from its runs, and compares the edited one with it. If that fails, returns
 * why; the edits are applied all the same.
 */
export async function findUnacted(
  deps: Pick<EngineDeps, 'warehouse'>,
  { file, origin, timeZone, reports, owners }: EditedFile & { origin: Origin },
  forms: readonly ListForm[],
): Promise<Unacted> {
  const report = reports.find(({ name }) => name === origin.report)
  if (report === undefined) return { why: `there is no report ${origin.report}` }
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-shown-'))
  try {
    const shown = join(folder, 'shown.xlsx')
    const zone = origin.timeZone ?? timeZone
    const { account, asOfMs: endedByMs, sinceMs, settings } = origin
    const moment = { timeZone: zone, endedByMs, sinceMs }
    const made = { report, account, params: {}, ...moment, settings, owners }
    await remakeWorkbook(deps, made, shown)
    return { edits: await unactedEdits({ edited: file, shown }, forms) }
  } catch (error) {
    if (!(error instanceof CallsheetError)) throw error
    return { why: error.facts.came }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Recreates a workbook as it was, for comparison with the edited one. The result is not recorded. */
async function remakeWorkbook(
  { warehouse }: { warehouse: Pick<Warehouse, 'transaction'> },
  request: ReadyRequest,
  path: string,
): Promise<void> {
  await warehouse.transaction(
    async (tx) => {
      const { document } = await prepareReport(tx, request)
      await renderXlsx(document, path)
    },
    { snapshot: true, keeps: true },
  )
}
