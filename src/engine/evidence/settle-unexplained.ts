import { NOTHING_BEFORE } from '../../evidence/digest.ts'
import { type Entry, entryHash, entryLine, readEntry } from '../../evidence/entry.ts'
import { warrant } from '../../evidence/warrant.ts'
import type { LedgerFile } from '../../warehouse/archive/evidence-files.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import {
  proveSuppressions,
  removeSuppressions,
  type Suppressed,
} from '../../warehouse/erasure/suppressions.ts'
import { lastHead } from '../../warehouse/evidence/heads.ts'
import {
  entriesBySeq,
  entriesOf,
  insertEntries,
  lastEntry,
  lockManifest,
  type ManifestRow,
  type NewEntry,
} from '../../warehouse/evidence/manifest.ts'
import { callStored, filesCalledRemoved, takeTail } from '../../warehouse/evidence/unsigned-tail.ts'
import { insertWarrant } from '../../warehouse/evidence/warrants.ts'
import type { Voucher } from './add-entries.ts'
import { enterRemoved } from './enter-files.ts'
import { FILE_ENTRY_KINDS, judgeInDoubt } from './file-entries.ts'
import { proveSuppressed, unprovenSuppressions } from './suppression-proof.ts'
import { unexplainedEntries } from './unexplained.ts'

/** What nothing of ours explains, so that nothing of it is signed. */
export interface Unexplained {
  entries: ManifestRow[]
  files: LedgerFile[]
  /** Whom no sync keeps, though no erasure of ours put them on the list of these. */
  suppressions: Suppressed[]
}

interface PreviousKeys {
  /** Fingerprints of the keys of before that are still believed. */
  previousKeys?: readonly string[]
}

type Vouching = Voucher & { account: string }

export async function findUnexplained(
  tx: Transaction,
  { account, key, previousKeys = [] }: Pick<Vouching, 'account' | 'key'> & PreviousKeys,
): Promise<Unexplained> {
  const after = (await lastHead(tx, account))?.last_seq ?? 0
  const entries = await unexplainedEntries(tx, account, { after, key: key.publicKey })
  const called = await filesCalledRemoved(tx, account)
  const wanted = { subjects: called.map(({ subject }) => subject), kinds: FILE_ENTRY_KINDS }
  const said = Map.groupBy(await entriesOf(tx, account, wanted), ({ subject }) => subject)
  const files = called.filter(
    (file) => judgeInDoubt(file, said.get(file.subject) ?? []) === 'lacks',
  )
  const ownKey = key.publicKey
  const keys = [ownKey.fingerprint, ...previousKeys]
  const suppressions = await unprovenSuppressions(tx, account, { ownKey, keys })
  return { entries, files, suppressions }
}

/** A person says that these are ours, as those of before the upgrade are: each gets what it lacked. */
export async function confirmUnexplained(
  tx: Transaction,
  vouching: Vouching,
  { entries, files, suppressions }: Unexplained,
): Promise<void> {
  const { account, key, basis } = vouching
  await lockManifest(tx, account)
  for (const { seq, line } of entries) {
    const range = { first: seq, last: seq, basis }
    const signature = warrant(key, { account, ...range, hash: entryHash(line) })
    await insertWarrant(tx, account, { ...range, signature })
  }
  await enterRemoved(tx, vouching, files)
  await proveSuppressions(
    tx,
    account,
    suppressions.map((one) => ({ ...one, proof: proveSuppressed(key, account, one) })),
  )
}

/**
 * A person says that these are not ours: the entries go, what came after them is entered anew without them,
 * the files count as stored again, and whom these kept out is kept again. No head stands over any of it.
 */
export async function rejectUnexplained(
  tx: Transaction,
  vouching: Vouching,
  { entries, files, suppressions }: Unexplained,
): Promise<void> {
  const { account } = vouching
  await lockManifest(tx, account)
  const [first] = entries
  if (first !== undefined) await rewriteTail(tx, vouching, { from: first.seq, without: entries })
  const removals = entries.filter(({ kind }) => kind === 'removal')
  await callStored(
    tx,
    account,
    [...removals, ...files].map(({ subject }) => subject),
  )
  await removeSuppressions(tx, account, suppressions)
}

async function rewriteTail(
  tx: Transaction,
  { account, key, basis }: Vouching,
  { from, without }: { from: number; without: readonly ManifestRow[] },
): Promise<void> {
  const gone = new Set(without.map(({ seq }) => seq))
  const kept: { entry: Entry; salt: Buffer | null }[] = []
  for await (const { seq, line, salt } of entriesBySeq(tx, account, {
    from,
    to: Number.MAX_SAFE_INTEGER,
  })) {
    const entry = readEntry(line)
    if (!gone.has(seq) && entry !== undefined) kept.push({ entry, salt })
  }
  await takeTail(tx, account, from)
  const before = await lastEntry(tx, account)
  let { seq, prev } = {
    seq: before?.seq ?? 0,
    prev: before?.hash.toString('hex') ?? NOTHING_BEFORE,
  }
  const added = kept.map(({ entry, salt }): NewEntry => {
    seq++
    const line = entryLine({ ...entry, seq, prev })
    prev = entryHash(line)
    const { kind, subject } = entry
    return { seq, kind, subject, line, hash: prev, salt: salt?.toString('hex') ?? null }
  })
  if (added.length === 0) return
  await insertEntries(tx, account, added)
  const range = { first: seq - added.length + 1, last: seq, basis }
  const signature = warrant(key, { account, ...range, hash: prev })
  await insertWarrant(tx, account, { ...range, signature })
}
