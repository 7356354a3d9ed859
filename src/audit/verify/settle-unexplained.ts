import {
  proveSuppressions,
  removeSuppressions,
  type Suppressed,
} from '../../erasure/sql/suppressions.ts'
import { stateSuppressed } from '../../erasure/state-suppressed.ts'
import { proveSuppressed, unprovenSuppressions } from '../../erasure/suppression-proof.ts'
import { addVouched, type Voucher } from '../../evidence/add-entries.ts'
import { enterRemoved } from '../../evidence/enter-files.ts'
import { enterRows } from '../../evidence/enter-rows.ts'
import { checkInDoubt, FILE_ENTRY_KINDS } from '../../evidence/file-entries.ts'
import { rewriteTail } from '../../evidence/rewrite-tail.ts'
import { lastCheckpoint } from '../../evidence/sql/checkpoints.ts'
import type { LedgerFile } from '../../evidence/sql/evidence-files.ts'
import { entriesOf, lockManifest, type ManifestRow } from '../../evidence/sql/manifest.ts'
import { callStored, filesCalledRemoved } from '../../evidence/sql/unsigned-tail.ts'
import { type UnstatedRows, unstatedRows } from '../../evidence/sql/unstated-rows.ts'
import { acceptance, unexplainedEntries } from '../../evidence/unexplained.ts'
import type { Transaction } from '../../warehouse/connect.ts'

/** Changes without a valid proof by one of our keys. */
export interface Unexplained {
  entries: ManifestRow[]
  files: LedgerFile[]
  /** Identities on the suppression list for which no proof shows that one of our erasures added them. */
  suppressions: Suppressed[]
  /** Unstated changes to tables of streams. */
  rows: UnstatedRows[]
}

interface PreviousKeys {
  /** Fingerprints of the older keys that are still trusted. */
  previousKeys?: readonly string[]
}

type Vouching = Voucher & { account: string }

/** The kinds of items that a person can confirm or reject separately. */
export const UNEXPLAINED_KINDS = ['entries', 'files', 'suppressions', 'rows'] as const
export type UnexplainedKind = (typeof UNEXPLAINED_KINDS)[number]

/**
 * Finds the items, and locks the manifest against our other processes until the transaction ends, so that a
 * decision applies to exactly the items found.
 */
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

/** Restricts the items to one kind. */
export function ofKind(found: Unexplained, kind: UnexplainedKind): Unexplained {
  return { entries: [], files: [], suppressions: [], rows: [], [kind]: found[kind] }
}

/** Confirms that items are ours, e.g. items that a lost key signed, and adds the missing proof of each. */
export async function confirmUnexplained(
  tx: Transaction,
  vouching: Vouching,
  { entries, files, suppressions, rows }: Unexplained,
): Promise<void> {
  const { account, key } = vouching
  await addVouched(tx, vouching, entries.map(acceptance))
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
 * Rejects items. Deletes the entries, which no checkpoint covers, and adds the later entries again. Records
 * the files, and those of deleted removals, as stored again. Removes the identities from the list, so that
 * syncs store these people again. Rows need no action: verifications treat unstated changes as not made.
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
