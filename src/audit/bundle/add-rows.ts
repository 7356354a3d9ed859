import type { AuditSettings } from '../../core/records/audit-settings.ts'
import { jobsReading } from '../../core/records/when-it-ran.ts'
import { contentOf } from '../../evidence/match-versions.ts'
import { type RowLedger, type StatedRow, statedRows } from '../../evidence/sql/ledger-lines.ts'
import { entriesOf, type ManifestRow } from '../../evidence/sql/manifest.ts'
import { standing } from '../../evidence/standing-statement.ts'
import { rowFact } from '../../evidence/statement-facts.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Contents } from './contents.ts'
import type { Exporting } from './exporting.ts'
import { isSigned } from './in-scope.ts'
import { runsAround } from './runs-around.ts'

/**
 * Returns lines for the audit settings valid in the period and since, the time stamps, and runs of the jobs
 * that read a stream: those of the period, one before and one after. Omits rows without a signed entry; omits
 * and reports rows that differ from their entry.
 */
export async function* rowLines(
  tx: Transaction,
  exporting: Exporting,
  { contents, stream }: { contents: Contents; stream: string },
): AsyncGenerator<string> {
  const { account, selection } = exporting
  const line = ({ seq, row, content }: Found): string => {
    contents.known.set(seq, content)
    contents.stated.push(seq)
    return `${JSON.stringify({ entry: seq, row })}\n`
  }
  const audited = (await found(tx, exporting, { ledger: 'settings' }))
    .map((one) => ({ ...one, of: JSON.parse(one.row) as { at: string; settings: AuditSettings } }))
    .toSorted((a, b) => Date.parse(a.of.at) - Date.parse(b.of.at))
  const before = audited.findLastIndex(({ of }) => Date.parse(of.at) <= Date.parse(selection.from))
  const inForce = audited.slice(Math.max(0, before))
  for (const one of inForce) yield line(one)
  for (const one of await found(tx, exporting, { ledger: 'stamps' })) yield line(one)
  const jobs = jobsReading(
    stream,
    inForce.map(({ of }) => of),
  )
  const ids = await runsAround(tx, { account, jobs, from: selection.from, to: selection.to })
  const subjects = ids.map((id) => `ledger/runs/${id}`)
  for (const one of await found(tx, exporting, { ledger: 'runs', subjects })) yield line(one)
}

interface Found {
  seq: number
  row: string
  /** The digest of the row, in hex. */
  content: string
}

async function found(
  tx: Transaction,
  exporting: Exporting,
  { ledger, subjects }: { ledger: RowLedger; subjects?: readonly string[] },
): Promise<Found[]> {
  const { account, problems } = exporting
  const rows: StatedRow[] = []
  for await (const row of statedRows(tx, { account, ledger, subjects })) rows.push(row)
  const said = await entriesOf(tx, account, {
    subjects: rows.map(({ subject }) => subject),
    kinds: ['statement', 'erasure'],
  })
  const bySubject = Map.groupBy(said, ({ subject }: ManifestRow) => subject)
  return rows.flatMap((row) => {
    const { statement } = standing(bySubject.get(row.subject) ?? [])
    const { content } = rowFact(row)
    if (statement !== undefined && !contentOf(statement, content))
      problems.push(
        `the ledger differs from entry ${statement.seq} (${row.subject}): run callsheet verify`,
      )
    else if (statement !== undefined && isSigned(exporting, statement))
      return [{ seq: statement.seq, row: row.line, content: content.toString('hex') }]
    return []
  })
}
