import type { Transaction } from '../warehouse/connect.ts'
import type { EntryFact } from './add-entries.ts'
import { entryHash, readEntry } from './log/entry.ts'
import { type PublicKey, readPublicKey } from './log/signing-key.ts'
import { isWordOf } from './log/word.ts'
import { contentOf } from './match-versions.ts'
import { type ManifestRow, readingEntries } from './sql/manifest.ts'
import { statementsOf } from './sql/statements.ts'

/**
 * The keys that may vouch for entries that no checkpoint covers: the current key and, until it has signed a
 * checkpoint, also the key of the newest checkpoint if that key is trusted.
 */
export function wordKeys(
  key: PublicKey,
  ours: readonly string[],
  newest: { key: Buffer } | undefined,
): PublicKey[] {
  const before = newest && readPublicKey(newest.key)
  return before !== undefined && ours.includes(before.fingerprint) ? [key, before] : [key]
}

/**
 * Entries after a number that the key must sign but that none of these keys signed and no person accepted.
 * Anyone with write access to the tables may have added them, so no checkpoint may cover them, and they
 * explain no missing content.
 */
export async function unexplainedEntries(
  tx: Transaction,
  account: string,
  { after, keys }: { after: number; keys: readonly PublicKey[] },
): Promise<ManifestRow[]> {
  const taking = await readingEntries(tx, account, after)
  if (taking.length === 0) return []
  const isExplained = await explainedBy(tx, account, keys)
  return taking.filter((row) => !isExplained(row))
}

/** Makes a test: true if a key signed the entry, or a statement by which a person accepts the entry. */
export async function explainedBy(
  tx: Transaction,
  account: string,
  keys: readonly PublicKey[],
): Promise<(row: ManifestRow) => boolean> {
  const isVouched = (row: ManifestRow) => isVouchedFor(row, account, keys)
  const accepted = new Map<string, ManifestRow[]>()
  for await (const row of statementsOf(tx, account, ACCEPTED))
    if (isVouched(row)) accepted.set(row.subject, [...(accepted.get(row.subject) ?? []), row])
  return (row) =>
    isVouched(row) ||
    (accepted.get(acceptedSubject(row)) ?? []).some((one) => contentOf(one, hashOf(row)))
}

/** The statement by which a person accepts an entry as it is. */
export function acceptance(row: ManifestRow): EntryFact {
  return { kind: 'statement', subject: acceptedSubject(row), size: 1, content: hashOf(row) }
}

function isVouchedFor(
  { seq, kind, named, line, basis, word }: ManifestRow,
  account: string,
  keys: readonly PublicKey[],
): boolean {
  const entry = readEntry(line)
  if (entry?.account !== account || entry.seq !== seq) return false
  if (entry.kind !== kind || entry.subject !== named) return false
  if (basis === null || word === null) return false
  const vouched = { account, hash: entryHash(line), basis }
  return keys.some((key) => isWordOf(key, vouched, word))
}

const acceptedSubject = ({ seq }: ManifestRow): string => `${ACCEPTED}/${seq}`
const hashOf = ({ line }: ManifestRow): Buffer => Buffer.from(entryHash(line), 'hex')

export const WHAT_TO_DO = 'run callsheet audit unexplained to accept or reject them'
const ACCEPTED = 'ledger/accepted'
