import {
  proveSuppressions,
  removeSuppressions,
  type Suppressed,
} from '../../erasure/sql/suppressions.ts'
import { stateSuppressed } from '../../erasure/state-suppressed.ts'
import { proveSuppressed, unprovenSuppressions } from '../../erasure/suppression-proof.ts'
import type { Voucher } from '../../evidence/add-entries.ts'
import { enterRemoved } from '../../evidence/enter-files.ts'
import { enterRows } from '../../evidence/enter-rows.ts'
import { checkInDoubt, FILE_ENTRY_KINDS } from '../../evidence/file-entries.ts'
import { entryHash } from '../../evidence/log/entry.ts'
import { warrant } from '../../evidence/log/warrant.ts'
import { rewriteTail } from '../../evidence/rewrite-tail.ts'
import { lastCheckpoint } from '../../evidence/sql/checkpoints.ts'
import type { LedgerFile } from '../../evidence/sql/evidence-files.ts'
import { entriesOf, lockManifest, type ManifestRow } from '../../evidence/sql/manifest.ts'
import { callStored, filesCalledRemoved } from '../../evidence/sql/unsigned-tail.ts'
import { type UnstatedRows, unstatedRows } from '../../evidence/sql/unstated-rows.ts'
import { unexplainedEntries } from '../../evidence/unexplained.ts'
import { insertWarrant } from '../../evidence/warrants.ts'
import type { Transaction } from '../../warehouse/connect.ts'

/** What no key of ours explains, so that it stays unsigned. */
export interface Unexplained {
  entries: ManifestRow[]
  files: LedgerFile[]
  /** Persons on the suppression list whom no erasure of ours put there. */
  suppressions: Suppressed[]
  /** What was done to tables of streams without a statement. */
  rows: UnstatedRows[]
}

interface PreviousKeys {
  /** Fingerprints of the older keys that are still trusted. */
  previousKeys?: readonly string[]
}

type Vouching = Voucher & { account: string }

/** What a person decides at once; each kind can be decided separately. */
export const UNEXPLAINED_KINDS = ['entries', 'files', 'suppressions', 'rows'] as const
export type UnexplainedKind = (typeof UNEXPLAINED_KINDS)[number]

/** Until the transaction ends, no process of ours adds to the manifest: the decision is on this state. */
export async function findUnexplained(
  tx: Transaction,
  { account, key, previousKeys = [] }: Pick<Vouching, 'account' | 'key'> & PreviousKeys,
): Promise<Unexplained> {
  await lockManifest(tx, account)
  const after = (await lastCheckpoint(tx, account))?.size ?? 0
  const entries = await unexplainedEntries(tx, account, { after, keys: [key.publicKey] })
  const called = await filesCalledRemoved(tx, account)
  const wanted = { subjects: called.map(({ subject }) => subject), kinds: FILE_ENTRY_KINDS }
  const said = Map.groupBy(await entriesOf(tx, account, wanted), ({ subject }) => subject)
  const files = called.filter(
    (file) => checkInDoubt(file, said.get(file.subject) ?? []) === 'lacks',
  )
  const ownKey = key.publicKey
  const keys = [ownKey.fingerprint, ...previousKeys]
  const suppressions = await unprovenSuppressions(tx, account, { ownKey, keys })
  return { entries, files, suppressions, rows: await unstatedRows(tx, account) }
}

/** Only one kind of these. */
export function ofKind(found: Unexplained, kind: UnexplainedKind): Unexplained {
  return { entries: [], files: [], suppressions: [], rows: [], [kind]: found[kind] }
}

/** A person confirms these as ours, such as those of a key that is gone: each gets its missing proof. */
export async function confirmUnexplained(
  tx: Transaction,
  vouching: Vouching,
  { entries, files, suppressions, rows }: Unexplained,
): Promise<void> {
  const { account, key, basis } = vouching
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
  const requests = [...new Set(suppressions.map(({ requestId }) => requestId))]
  if (requests.length > 0) await stateSuppressed(tx, vouching, requests)
  const batches = [...new Set(rows.map(({ batch }) => `ledger/rows/${batch}`))]
  if (batches.length > 0) await enterRows(tx, vouching, { ledger: 'rows', subjects: batches })
}

/**
 * A person rejects these. The entries are deleted and the later ones added again without them. The files
 * count as stored again, and syncs keep the suppressed persons again. No checkpoint covers any of it. What
 * was done to rows stays unstated: it counts as not done as it is.
 */
export async function rejectUnexplained(
  tx: Transaction,
  vouching: Vouching,
  { entries, files, suppressions }: Unexplained,
): Promise<void> {
  const { account } = vouching
  await rewriteTail(tx, vouching, entries)
  const removals = entries.filter(({ kind }) => kind === 'removal')
  await callStored(
    tx,
    account,
    [...removals, ...files].map(({ subject }) => subject),
  )
  await removeSuppressions(tx, account, suppressions)
}
