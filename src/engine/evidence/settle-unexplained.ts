import { entryHash } from '../../evidence/entry.ts'
import { warrant } from '../../evidence/warrant.ts'
import type { LedgerFile } from '../../warehouse/archive/evidence-files.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import {
  proveSuppressions,
  removeSuppressions,
  type Suppressed,
} from '../../warehouse/erasure/listed-suppressions.ts'
import { lastHead } from '../../warehouse/evidence/heads.ts'
import { entriesOf, lockManifest, type ManifestRow } from '../../warehouse/evidence/manifest.ts'
import { callStored, filesCalledRemoved } from '../../warehouse/evidence/unsigned-tail.ts'
import { insertWarrant } from '../../warehouse/evidence/warrants.ts'
import type { Voucher } from '../manifest/add-entries.ts'
import { unexplainedEntries } from '../manifest/unexplained.ts'
import { enterRemoved } from './enter-files.ts'
import { checkInDoubt, FILE_ENTRY_KINDS } from './file-entries.ts'
import { rewriteTail } from './rewrite-tail.ts'
import { proveSuppressed, unprovenSuppressions } from './suppression-proof.ts'

/** What no key of ours explains, so that it stays unsigned. */
export interface Unexplained {
  entries: ManifestRow[]
  files: LedgerFile[]
  /** Persons on the suppression list whom no erasure of ours put there. */
  suppressions: Suppressed[]
}

interface PreviousKeys {
  /** Fingerprints of the older keys that are still trusted. */
  previousKeys?: readonly string[]
}

type Vouching = Voucher & { account: string }

/** What a person decides at once; each kind can be decided separately. */
export const UNEXPLAINED_KINDS = ['entries', 'files', 'suppressions'] as const
export type UnexplainedKind = (typeof UNEXPLAINED_KINDS)[number]

/** Until the transaction ends, no process of ours adds to the manifest: the decision is on this state. */
export async function findUnexplained(
  tx: Transaction,
  { account, key, previousKeys = [] }: Pick<Vouching, 'account' | 'key'> & PreviousKeys,
): Promise<Unexplained> {
  await lockManifest(tx, account)
  const after = (await lastHead(tx, account))?.last_seq ?? 0
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
  return { entries, files, suppressions }
}

/** Only one kind of these. */
export function ofKind(found: Unexplained, kind: UnexplainedKind): Unexplained {
  return { entries: [], files: [], suppressions: [], [kind]: found[kind] }
}

/** A person confirms these as ours (such as older ones after the upgrade): each gets its missing proof. */
export async function confirmUnexplained(
  tx: Transaction,
  vouching: Vouching,
  { entries, files, suppressions }: Unexplained,
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
}

/**
 * A person rejects these. The entries are deleted and the later ones added again without them. The files
 * count as stored again, and syncs keep the suppressed persons again. No head covers any of it.
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
