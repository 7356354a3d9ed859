import { point } from '../../core/point.ts'
import { type FilePlace, filesWithoutEntry } from '../../warehouse/evidence-files.ts'
import type { Appending } from './appending.ts'
import { addEntries, type Fact } from './add-entries.ts'

/**
 * Enters each file that the ledger says is stored, or was removed, unless the file's last entry says the
 * same.
 */
export async function enterFiles({
  account,
  signal,
  inTransaction,
  batchEntries: limit,
}: Appending): Promise<{ files: number; removals: number }> {
  const entered = { files: 0, removals: 0 }
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
    for (const { state } of facts) entered[state === 'stored' ? 'files' : 'removals']++
    if (facts.length < limit) return entered
    after = facts.at(-1)
  }
}

function factOf(file: Awaited<ReturnType<typeof filesWithoutEntry>>[number]): Fact {
  const { state, subject, size, sha256: content } = file
  return { kind: state === 'stored' ? 'file' : 'removal', subject, size, content }
}
