import { BASELINE, SLICES } from '../core/records/statement.ts'
import type { Transaction } from '../warehouse/connect.ts'
import type { EntryFact } from './add-entries.ts'
import { readEntry } from './log/entry.ts'
import { contentOf } from './match-versions.ts'
import { mergeBySubject } from './merge-by-subject.ts'
import { type IsSigned, signedEntries } from './signed-entries.ts'
import { statedRows } from './sql/ledger-lines.ts'
import { entriesOf, type ManifestRow } from './sql/manifest.ts'
import { type SliceBatch, sliceBatches } from './sql/slice-lines.ts'
import { statementAbout, statementsOf } from './sql/statements.ts'
import { standing } from './standing-statement.ts'
import { batchFact, rowFact } from './statement-facts.ts'

/** The part of a stream's ledger that a proof relies on. */
export interface RestsOn {
  stream: string
  /** The run as of which the proof reads the ledger, if any. */
  runId?: number
  /** The proof uses slices recorded at this time or later, in epoch milliseconds. */
  sinceMs: number
}

/**
 * Reports how the ledger differs from the signed log in the slices and the run that a proof uses. Undefined
 * if nothing differs, or if the account has never stated its ledgers.
 */
export interface Disputes {
  of(wanted: RestsOn): Promise<string | undefined>
}

/**
 * Checks each stream once, and again only if a later request reaches further back. So all requests for a
 * stream must name the same run.
 */
export function openDisputes(tx: Transaction, account: string): Disputes {
  const known = new Map<string, { sinceMs: number; found: string | undefined }>()
  let opened: Promise<Signing> | undefined
  return {
    async of(wanted) {
      opened ??= openSigning(tx, account)
      const signing = await opened
      if (signing.isSigned === undefined) return undefined
      const before = known.get(wanted.stream)
      if (before !== undefined && before.sinceMs <= wanted.sinceMs) return before.found
      const found = await findDispute({ tx, account, isSigned: signing.isSigned }, wanted)
      known.set(wanted.stream, { sinceMs: wanted.sinceMs, found })
      return found
    },
  }
}

interface Signing {
  /** Undefined if the account has never stated anything. */
  isSigned: IsSigned | undefined
}

async function openSigning(tx: Transaction, account: string): Promise<Signing> {
  const states = (await statementAbout(tx, account, BASELINE)) !== undefined
  return { isSigned: states ? await signedEntries(tx, account) : undefined }
}

interface Disputing {
  tx: Transaction
  account: string
  isSigned: IsSigned
}

async function findDispute(disputing: Disputing, wanted: RestsOn): Promise<string | undefined> {
  const { tx, account } = disputing
  const { stream, runId, sinceMs } = wanted
  const rows = sliceBatches(tx, {
    account,
    streams: [stream],
    from: new Date(sinceMs).toISOString(),
  })
  const said = statementsOf(tx, account, `${SLICES}/${stream}`)
  const absent: string[] = []
  let dispute: string | undefined
  for await (const { subject, left, right } of mergeBySubject<SliceBatch, ManifestRow>(
    rows,
    said,
  )) {
    const [batch] = left
    // Reads to the end even after a dispute, because the cursors stay open until then.
    if (dispute !== undefined) continue
    const found = batch && (await wrong(disputing, batchFact(batch), right))
    if (found !== undefined) dispute = `${found} (${subject})`
    if (batch === undefined && isSince(right, sinceMs) && standing(right).statement !== undefined)
      absent.push(subject)
  }
  return dispute ?? (await missing(disputing, absent)) ?? (await wrongRun(disputing, runId))
}

/** Returns how a row or batch differs from its entries, which are in order; undefined if they agree. */
async function wrong(
  { isSigned }: Pick<Disputing, 'isSigned'>,
  row: EntryFact,
  said: readonly ManifestRow[],
): Promise<string | undefined> {
  const { statement } = standing(said)
  if (statement === undefined) return 'rows that nobody stated'
  if (!contentOf(statement, row.content)) return 'rows that are not as they were stated'
  return (await isSigned(statement)) ? undefined : 'rows of which the statement is not signed'
}

/**
 * Returns a text if stated rows no longer exist. Reads batches of any age, because rows may be much older
 * than their statement.
 */
async function missing(
  { tx, account }: Disputing,
  subjects: readonly string[],
): Promise<string | undefined> {
  if (subjects.length === 0) return undefined
  const left = new Set(subjects)
  for await (const { subject } of sliceBatches(tx, { account, subjects })) left.delete(subject)
  const [first] = left
  return first === undefined ? undefined : `rows that were stated and are gone (${first})`
}

/** Returns why a run proves nothing: its row is missing, changed or not stated by a signed entry. */
async function wrongRun(
  disputing: Disputing,
  runId: number | undefined,
): Promise<string | undefined> {
  if (runId === undefined) return undefined
  const { tx, account } = disputing
  const subjects = [`ledger/runs/${runId}`]
  const said = await entriesOf(tx, account, { subjects, kinds: ['statement', 'erasure'] })
  let dispute: string | undefined = 'a run that nobody stated'
  for await (const row of statedRows(tx, { account, ledger: 'runs', subjects }))
    dispute = await wrong(disputing, rowFact(row), said)
  return dispute === undefined ? undefined : `${dispute} (run ${runId})`
}

function isSince([first]: readonly ManifestRow[], sinceMs: number): boolean {
  return Date.parse(readEntry(first?.line ?? '')?.at ?? '') >= sinceMs
}
