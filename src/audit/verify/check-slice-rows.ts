import type { Transaction } from '../../warehouse/connect.ts'
import { comparedSlices } from './shown-rows.ts'
import type { Verifying } from './verifying.ts'

/**
 * Compares the rows of each list and window with what its newest reading showed, by the digest that the
 * signed slice has. So a row that was taken or put in is named, also in tables whose records have no entries
 * of their own. Of those that cannot be compared it says how many there are, and why: that is no finding.
 */
export async function checkSliceRows(tx: Transaction, verifying: Verifying): Promise<void> {
  const { account, streams, checked, findings, notJudged } = verifying
  const untold = new Map<keyof typeof REASONS, Map<string, number>>()
  for (const stream of streams) {
    if (stream.sync.kind === 'nested') continue
    for await (const { slice, runId, rows, same, ...found } of comparedSlices(tx, {
      account,
      stream,
    })) {
      const why = found.barred ?? (found.later ? 'later' : undefined)
      if (why === undefined) checked.lists++
      else {
        const by = untold.get(why) ?? new Map<string, number>()
        untold.set(why, by)
        by.set(stream.name, (by.get(stream.name) ?? 0) + 1)
      }
      if (why === undefined && !same)
        findings.add('slice_rows_wrong', `the rows of ${stream.name}, ${slice}`, {
          expected: `those that the reading by run ${runId} showed`,
          found: `${rows} rows that are not these`,
        })
    }
  }
  for (const [why, by] of untold) {
    const all = [...by.values()].reduce((sum, count) => sum + count, 0)
    const of = [...by].map((one) => one.join(' ')).join(', ')
    checked.listsNotCompared += all
    notJudged.push(
      `Whether the rows of ${all} lists and windows (${of}) are those that were shown: ${REASONS[why]}.`,
    )
  }
}

/** Why the rows of a slice that was read to its end are not compared. */
const REASONS = {
  inexact:
    'these readings have no exact digest, as other lists hold rows of theirs too, or rows were changed, ' +
    'missing or set aside in them, or they were refused',
  erased: 'a person was erased after they were read',
  reached: 'a window that was read later reaches into them',
  later: 'some were written later',
}
