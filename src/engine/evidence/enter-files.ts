import { point } from '../../core/point.ts'
import { type FilePlace, filesWithoutEntry } from '../../warehouse/evidence-files.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { StoredNow } from '../../warehouse/files.ts'
import type { Appending } from './appending.ts'
import { addEntries, type Fact } from './add-entries.ts'

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
 * same: what was stored before the account had a key, and what was removed.
 */
export async function enterFiles({
  account,
  signal,
  inTransaction,
  batchEntries: limit,
}: Appending): Promise<void> {
  let after: FilePlace | undefined
  for (;;) {
    signal.throwIfAborted()
    await point('evidence:entering')
    const facts = await inTransaction(async (tx) => {
      const files = await filesWithoutEntry(tx, account, { after, limit })
      await addEntries(tx, account, files.map(factOf))
      return files
    })
    await point('evidence:entered')
    if (facts.length < limit) return
    after = facts.at(-1)
  }
}

function factOf(file: Awaited<ReturnType<typeof filesWithoutEntry>>[number]): Fact {
  const { state, subject, size, sha256: content } = file
  return { kind: state === 'stored' ? 'file' : 'removal', subject, size, content }
}
