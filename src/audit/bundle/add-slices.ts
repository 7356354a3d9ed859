import { SLICES } from '../../core/records/statement.ts'
import { counted } from '../../core/values/quantities.ts'
import { openDisputes } from '../../evidence/disputes.ts'
import { leafHash } from '../../evidence/log/merkle.ts'
import { contentOf } from '../../evidence/match-versions.ts'
import { mergeBySubject } from '../../evidence/merge-by-subject.ts'
import { batchLines } from '../../evidence/sql/slice-lines.ts'
import { statementsOf } from '../../evidence/sql/statements.ts'
import { standing } from '../../evidence/standing-statement.ts'
import { batchFact } from '../../evidence/statement-facts.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { SliceRules } from '../proof/bundle-slices.ts'
import { rowLines } from './add-rows.ts'
import { selectedKeys } from './audit-selection.ts'
import type { Contents } from './contents.ts'
import { type Exporting, UNSIGNED } from './exporting.ts'
import { isSigned } from './in-scope.ts'

/**
 * Adds the slices for the sessions of the period and for the lists of the sessions in scope, as complete
 * batches that signed entries state. Also adds runs, audit settings and time stamps. Omits and reports slices
 * that are unsigned or differ from their entry; the bundle then proves no days.
 */
export async function addSlices(
  tx: Transaction,
  exporting: Exporting,
  contents: Contents,
): Promise<void> {
  const { account, bundle, facts, problems, selection } = exporting
  const rules = rulesOf(exporting)
  const sessions = selectedKeys(tx, selection)[rules?.windows.stream ?? '']
  if (rules === undefined || sessions === undefined) return
  const fromMs = Date.parse(selection.from) - rules.windows.overlap_days * DAY_MS
  const period = { from: new Date(fromMs).toISOString(), to: selection.to }
  const before = problems.length
  const disputes = openDisputes(tx, account)
  for (const { stream } of [rules.windows, rules.lists]) {
    const found = await disputes.of({ stream, sinceMs: fromMs })
    if (found !== undefined)
      problems.push(
        `the ledger of ${stream} differs from the signed entries (${found}): run callsheet verify`,
      )
  }
  let unsigned = 0
  const lines = async function* (): AsyncGenerator<string> {
    const batches = batchLines(tx, { account, period, sessions, ...streamsOf(rules) })
    for await (const { left, right } of mergeBySubject(
      batches,
      statementsOf(tx, account, SLICES),
    )) {
      const [batch] = left
      const { statement } = standing(right)
      if (batch === undefined) continue
      const leaves = Buffer.concat(batch.lines.map(leafHash))
      const { content: root } = batchFact({ subject: batch.subject, leaves })
      if (statement === undefined || !isSigned(exporting, statement)) unsigned++
      else if (!contentOf(statement, root))
        problems.push(
          `the ledger differs from entry ${statement.seq} (${batch.subject}): run callsheet verify`,
        )
      else {
        contents.known.set(statement.seq, root.toString('hex'))
        contents.stated.push(statement.seq)
        yield `${JSON.stringify({ entry: statement.seq, slices: batch.lines })}\n`
      }
    }
    yield* rowLines(tx, exporting, { contents, stream: rules.windows.stream })
  }
  await bundle.add('slices.ndjson', lines())
  if (unsigned > 0) problems.push(`${counted(unsigned, 'batch', 'batches')} of slices ${UNSIGNED}`)
  // The newest slice of each name decides about a day, so with missing slices a day may wrongly look read.
  if (problems.length === before) facts.slices = rules
}

/** The rules of the first audited stream with a list per record of a parent that is read in windows. */
function rulesOf({ streams }: Exporting): SliceRules | undefined {
  for (const { name, audited, sync } of streams) {
    if (audited !== true || sync.kind !== 'fan-out' || sync.within === undefined) continue
    if (sync.parent.sync.kind !== 'windows') continue
    const { overlapDays } = sync.parent.sync
    return {
      windows: { stream: sync.parent.name, overlap_days: overlapDays },
      lists: { stream: name, prefix: sync.request(['']).slice, ...sync.within },
    }
  }
  return undefined
}

function streamsOf({ windows, lists }: SliceRules) {
  return { windows: windows.stream, lists: lists.stream, prefix: lists.prefix }
}

const DAY_MS = 86_400_000
