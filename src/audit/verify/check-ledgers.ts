import { AS_FOUND, BASELINE, ROW_LEDGERS } from '../../core/records/statement.ts'
import { counted } from '../../core/values/quantities.ts'
import { readEntry } from '../../evidence/log/entry.ts'
import { contentOf } from '../../evidence/match-versions.ts'
import { mergeBySubject } from '../../evidence/merge-by-subject.ts'
import type { RowLedger } from '../../evidence/sql/ledger-lines.ts'
import { statementAbout, statementsOf } from '../../evidence/sql/statements.ts'
import { strangeStates } from '../../evidence/sql/strange-states.ts'
import { standing } from '../../evidence/standing-statement.ts'
import { ledgerFacts } from '../../evidence/statement-facts.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Comparing } from './verifying.ts'

/**
 * Compares the ledgers with their statements in both directions, and the slice states with the slices. Finds,
 * for example, a slice falsely marked complete. `checkRows` compares the ledger `rows`.
 */
export async function checkLedgers(tx: Transaction, verifying: Comparing): Promise<void> {
  const { account, notJudged } = verifying
  if ((await statementAbout(tx, account, BASELINE)) === undefined) {
    notJudged.push(
      'Whether the ledgers of slices and runs were changed: the next run logs them for the first time.',
    )
    return
  }
  for (const ledger of ['slices', ...ROW_LEDGERS] as const)
    if (ledger !== 'rows') await checkStated(tx, verifying, ledger)
  for (const { stream, slice } of await strangeStates(tx, account))
    verifying.findings.add('slice_state_wrong', `the state of ${stream}, ${slice}`, {
      expected: 'the state according to the ledger of slices',
      found: 'a different state',
    })
}

/** Names of rows that differ from the statements. */
export interface Unstated {
  /** Rows without a statement. */
  nowhere: string[]
  /** Rows whose statement has other content. */
  otherwise: string[]
}

export async function checkStated(
  tx: Transaction,
  verifying: Comparing,
  ledger: RowLedger | 'slices',
): Promise<Unstated> {
  const { account, checked, findings, notJudged, unexplained } = verifying
  let pending = 0
  const without: Unstated = { nowhere: [], otherwise: [] }
  const rows = ledgerFacts(tx, account, ledger)
  for await (const { subject, left, right } of mergeBySubject(
    rows,
    statementsOf(tx, account, `ledger/${ledger}`),
  )) {
    const said = right.filter(({ seq }) => !unexplained.has(seq))
    const { statement, lost } = standing(said)
    const [row] = left
    const what = whatOf(subject)
    for (const { seq } of lost)
      findings.add('salt_missing', `${what}, entry ${seq}`, {
        expected: 'a salt, or a later entry that withdraws this one',
        found: 'no salt, and no such entry',
      })
    checked.stated += row === undefined ? 0 : 1
    if (row === undefined && statement !== undefined)
      findings.add('stated_missing', what, {
        expected: contentText(statement),
        found: 'no row',
      })
    if (row === undefined) continue
    // A time stamp gets its statement only together with the next entries.
    if (statement === undefined && ledger === 'stamps') continue
    const name = subject.split('/').at(-1) ?? ''
    if (statement === undefined) {
      without.nowhere.push(name)
      if (isAsFound(ledger)) pending++
      // `checkRows` reports rows without a statement by table.
      else if (ledger !== 'rows')
        findings.add('stated_nowhere', what, {
          expected: 'an entry that states this content',
          found: counted(row.size, 'row'),
        })
    } else if (!contentOf(statement, row.content)) {
      without.otherwise.push(name)
      findings.add('stated_otherwise', what, {
        expected: contentText(statement),
        found: `${counted(row.size, 'row')} with other content`,
      })
    }
  }
  if (pending > 0)
    notJudged.push(`${pending} ${ledger} that are not logged yet; the next run logs them.`)
  return without
}

/** A readable form of a subject such as `ledger/slices/users/12/3`. */
function whatOf(subject: string): string {
  const [, ledger, name, run, batch] = subject.split('/')
  if (ledger !== 'slices')
    return `${ONE[ledger ?? ''] ?? ledger} ${subject.split('/').slice(2).join('/')}`
  const part = batch === undefined ? 'which it entered without a statement' : `batch ${batch}`
  return `the slices of ${name} by run ${run}, ${part}`
}

function contentText({ seq, line }: { seq: number; line: string }): string {
  const entry = readEntry(line)
  return `the content of entry ${seq}${entry === undefined ? '' : `, with ${counted(entry.size, 'row')}`}`
}

const ONE: Readonly<Record<string, string>> = {
  runs: 'run',
  releases: 'the release of the drop',
  holds: 'hold',
  incidents: 'incident',
  retention: 'since when the ledger is kept:',
  settings: 'what is audited, row',
  suppressions: 'whom no sync keeps, by request',
  stamps: 'the time stamp of the checkpoint over entries up to',
  lakes: 'the snapshot of a lake, publication',
  rows: 'what was written to rows, batch',
}
const isAsFound = (ledger: string): boolean => AS_FOUND.some((one) => ledger === one)
