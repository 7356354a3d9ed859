import type { Transaction } from '../../warehouse/connection/connect.ts'
import { comparedSlices } from '../../warehouse/load/shown-rows.ts'
import type { Verifying } from './verifying.ts'

/**
 * Compares the rows of each list and window with what its newest reading showed, by the digest that the
 * signed slice has. So a row that was taken or put in is named, also in tables whose records have no entries
 * of their own. Where something was written after the reading nobody can tell: that is said, and is no
 * finding.
 */
export async function checkSliceRows(tx: Transaction, verifying: Verifying): Promise<void> {
  const { account, streams, checked, findings, notJudged } = verifying
  let later = 0
  for (const stream of streams) {
    if (stream.sync.kind === 'nested') continue
    for await (const { slice, runId, rows, same, ...found } of comparedSlices(tx, {
      account,
      stream,
    })) {
      if (found.later) later++
      else checked.lists++
      if (!found.later && !same)
        findings.add('slice_rows_wrong', `the rows of ${stream.name}, ${slice}`, {
          expected: `those that the reading by run ${runId} showed`,
          found: `${rows} rows that are not these`,
        })
    }
  }
  if (later > 0)
    notJudged.push(
      `Whether the rows of ${later} lists and windows are those that were shown: some were written later.`,
    )
}
