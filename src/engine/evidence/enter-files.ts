import { point } from '../../core/point.ts'
import {
  type FilePlace,
  filesInDoubt,
  type LedgerFile,
  markEntered,
} from '../../warehouse/evidence-files.ts'
import { entriesOf } from '../../warehouse/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { StoredNow } from '../../warehouse/files.ts'
import type { Appending } from './appending.ts'
import { addEntries, type Fact } from './add-entries.ts'
import { FILE_ENTRY_KINDS, judgeInDoubt } from './file-entries.ts'

/** Enters files in the transaction in which the ledger comes to say that they are stored. */
export async function enterStored(
  tx: Transaction,
  account: string,
  stored: readonly StoredNow[],
): Promise<void> {
  await addEntries(
    tx,
    account,
    stored.map((file) => ({ kind: 'file', ...file })),
  )
}

/**
 * Enters each file that the ledger says is stored, or was removed, unless the file's last entry says the
 * same: what was stored before the account had a key, and what was removed. A file whose entry is of another
 * content is not entered: no head of ours shall stand for what somebody put there. Answers these as problems.
 */
export async function enterFiles(appending: Appending): Promise<string[]> {
  const { signal, inTransaction, batchEntries: limit } = appending
  const exchanged: string[] = []
  let files: LedgerFile[] | undefined
  while (files === undefined || files.length === limit) {
    signal.throwIfAborted()
    await point('evidence:entering')
    const after = files?.at(-1)
    const judged = await inTransaction((tx) => enterNext(tx, appending, after))
    files = judged.files
    exchanged.push(...judged.exchanged)
    await point('evidence:entered')
  }
  if (exchanged.length === 0) return []
  return [
    `${exchanged.length} files are not what their entries say, and were not entered again ` +
      `(first: ${exchanged[0]}): callsheet verify names them`,
  ]
}

async function enterNext(
  tx: Transaction,
  { account, batchEntries: limit }: Appending,
  after: FilePlace | undefined,
): Promise<{ files: LedgerFile[]; exchanged: string[] }> {
  const files = await filesInDoubt(tx, account, { after, limit })
  if (files.length === 0) return { files, exchanged: [] }
  const wanted = { subjects: files.map(({ subject }) => subject), kinds: FILE_ENTRY_KINDS }
  const entries = Map.groupBy(await entriesOf(tx, account, wanted), ({ subject }) => subject)
  const judged = Map.groupBy(files, (file) => judgeInDoubt(file, entries.get(file.subject) ?? []))
  const lacking = judged.get('lacks') ?? []
  await addEntries(tx, account, lacking.map(factOf))
  await markEntered(tx, account, [...lacking, ...(judged.get('has') ?? [])])
  return { files, exchanged: (judged.get('exchanged') ?? []).map(({ subject }) => subject) }
}

function factOf(file: LedgerFile): Fact {
  const { state, subject, size, sha256: content } = file
  return { kind: state === 'stored' ? 'file' : 'removal', subject, size, content }
}
