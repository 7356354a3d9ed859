import { point } from '../../core/point.ts'
import { filesInDoubt, type LedgerFile, markEntered } from '../../warehouse/evidence-files.ts'
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
  let looked = limit
  while (looked === limit) {
    signal.throwIfAborted()
    await point('evidence:entering')
    looked = await inTransaction(async (tx) => {
      const files = await filesInDoubt(tx, account, limit)
      const lacking = files.filter(({ lacks_entry }) => lacks_entry)
      await addEntries(tx, account, lacking.map(factOf))
      if (files.length > 0) await markEntered(tx, account, files)
      return files.length
    })
    await point('evidence:entered')
  }
}

function factOf(file: LedgerFile): Fact {
  const { state, subject, size, sha256: content } = file
  return { kind: state === 'stored' ? 'file' : 'removal', subject, size, content }
}
