import { Findings } from '../../evidence/finding.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { checkColumns } from '../evidence/check-columns.ts'
import type { Exporting } from './exporting.ts'

/**
 * Tells of records whose columns are not what their bytes say. The workbook is made of the columns, and they
 * decide which records a bundle holds: so all of the account's are looked at, not those in scope alone.
 */
export async function tellColumns(tx: Transaction, exporting: Exporting): Promise<void> {
  const { account, streams, problems } = exporting
  const findings = new Findings()
  for (const stream of streams)
    if (stream.audited === true)
      await checkColumns(
        tx,
        { account, streams, findings, notJudged: [] },
        { stream, known: new Set() },
      )
  for (const { what, found = '' } of findings.kept.slice(0, MOST_TOLD))
    problems.push(`${what} is not in the tables as its bytes have it: ${found}`)
  if (findings.total > MOST_TOLD)
    problems.push(`${findings.total - MOST_TOLD} more records are not: run callsheet verify`)
}

const MOST_TOLD = 10
