import { point } from '../core/kill-point.ts'
import { counted } from '../core/values/quantities.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { addEntries, addVouched, type EntryFact, type Voucher } from './add-entries.ts'
import { checkInDoubt, FILE_ENTRY_KINDS } from './file-entries.ts'
import type { Appending } from './sql/appending.ts'
import {
  type FilePlace,
  filesAt,
  filesInDoubt,
  type LedgerFile,
  markEntered,
} from './sql/evidence-files.ts'
import { entriesOf } from './sql/manifest.ts'
import { WHAT_TO_DO } from './unexplained.ts'

/** Records files in the transaction in which the ledger marks them as stored. */
export async function enterStored(
  tx: Transaction,
  account: string,
  stored: readonly Omit<EntryFact, 'kind'>[],
): Promise<void> {
  await addEntries(
    tx,
    account,
    stored.map((file) => ({ kind: 'file', ...file })),
  )
}

/** Records removals in the transaction in which the ledger marks the files as removed. */
export async function enterRemoved(
  tx: Transaction,
  vouching: Voucher & { account: string },
  places: readonly FilePlace[],
): Promise<void> {
  const { account } = vouching
  const { lacking, known } = await judged(tx, account, await filesAt(tx, account, places))
  const removed = lacking.filter(({ state }) => state === 'removed')
  await addVouched(tx, vouching, removed.map(factOf))
  await markEntered(tx, account, [...removed, ...known])
}

/**
 * Records each stored file of the ledger that has no entry, such as a file from before the account had a key.
 * Skips a file whose entry has other content, because no checkpoint may confirm a replaced file. Also skips a
 * file marked as removed without an entry, because only another program marks a file in this way. Returns a
 * problem for each of these two cases, and the number of such removals.
 */
export async function enterFiles(
  appending: Appending,
): Promise<{ problems: string[]; unexplained: number }> {
  const { signal, inTransaction, batchEntries: limit } = appending
  const exchanged: string[] = []
  const unexplained: string[] = []
  let files: LedgerFile[] | undefined
  while (files === undefined || files.length === limit) {
    signal.throwIfAborted()
    await point('evidence:entering')
    const after = files?.at(-1)
    const next = await inTransaction((tx) => enterNext(tx, appending, after))
    files = next.files
    exchanged.push(...next.exchanged)
    unexplained.push(...next.unexplained)
    await point('evidence:entered')
  }
  const problems: string[] = []
  if (exchanged.length > 0)
    problems.push(
      `${counted(exchanged.length, 'file')} changed after being recorded and not recorded again ` +
        `(first: ${exchanged[0]}): run callsheet verify to list them`,
    )
  if (unexplained.length > 0)
    problems.push(
      `${counted(unexplained.length, 'file')} marked as removed, but not removed by Callsheet ` +
        `(first: ${unexplained[0]}): ${WHAT_TO_DO}`,
    )
  return { problems, unexplained: unexplained.length }
}

async function enterNext(
  tx: Transaction,
  { account, batchEntries: limit }: Appending,
  after: FilePlace | undefined,
): Promise<{ files: LedgerFile[]; exchanged: string[]; unexplained: string[] }> {
  const files = await filesInDoubt(tx, account, { after, limit })
  const { lacking, known, exchanged } = await judged(tx, account, files)
  const { stored = [], removed = [] } = Object.groupBy(lacking, ({ state }) => state)
  await addEntries(tx, account, stored.map(factOf))
  await markEntered(tx, account, [...stored, ...known])
  return { files, exchanged, unexplained: removed.map(({ subject }) => subject) }
}

/** Groups files by the results of `checkInDoubt`; `exchanged` contains subjects. */
async function judged(
  tx: Transaction,
  account: string,
  files: readonly LedgerFile[],
): Promise<{ lacking: LedgerFile[]; known: LedgerFile[]; exchanged: string[] }> {
  if (files.length === 0) return { lacking: [], known: [], exchanged: [] }
  const wanted = { subjects: files.map(({ subject }) => subject), kinds: FILE_ENTRY_KINDS }
  const entries = Map.groupBy(await entriesOf(tx, account, wanted), ({ subject }) => subject)
  const by = Map.groupBy(files, (file) => checkInDoubt(file, entries.get(file.subject) ?? []))
  const exchanged = (by.get('exchanged') ?? []).map(({ subject }) => subject)
  return { lacking: by.get('lacks') ?? [], known: by.get('has') ?? [], exchanged }
}

function factOf(file: LedgerFile): EntryFact {
  const { state, subject, size, sha256: content } = file
  return { kind: state === 'stored' ? 'file' : 'removal', subject, size, content }
}
