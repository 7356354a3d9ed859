import { fetchedStream } from '../../core/define/stream.ts'
import { counted } from '../../core/values/quantities.ts'
import { type EvidenceFinding, Findings } from '../../evidence/log/finding.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { checkLedger } from '../verify/check-files.ts'
import { checkRecords } from '../verify/check-records.ts'
import { checkRows } from '../verify/check-rows.ts'
import type { Exporting } from './exporting.ts'

/**
 * Reports records, rows and files that are missing or differ from the manifest. Checks the whole account, not
 * only the scope: the workbook is made from the tables' columns, and the tables decide which records are in
 * scope.
 */
export async function reportFindings(tx: Transaction, exporting: Exporting): Promise<void> {
  const { account, streams, log, problems, lost, unexplained } = exporting
  const checked = { records: 0, erased: 0, stated: 0, rows: 0 }
  const checking = {
    account,
    streams,
    findings: new Findings(),
    notJudged: [],
    checked,
    lost,
    unexplained,
  }
  await checkLedger(tx, checking, log.at)
  const audited = streams.filter((stream) => fetchedStream(stream).audited === true)
  for (const stream of audited)
    if (stream.audited === true) await checkRecords(tx, checking, stream)
  await checkRows(tx, checking, audited)
  const { kept, total } = checking.findings
  problems.push(...kept.slice(0, MOST_TOLD).map(inWords))
  if (total > MOST_TOLD)
    problems.push(`${counted(total - MOST_TOLD, 'more problem')}: run callsheet verify to list all`)
}

function inWords({ code, what, found = '' }: EvidenceFinding): string {
  return `${what}: ${code.replaceAll('_', ' ')}${found === '' ? '' : ` (${found})`}`
}

const MOST_TOLD = 10
