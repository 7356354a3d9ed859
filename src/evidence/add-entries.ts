import { randomBytes } from 'node:crypto'
import type { Transaction } from '../warehouse/connect.ts'
import { commitmentOf, NOTHING_BEFORE } from './log/digest.ts'
import { type EntryKind, entryHash, entryLine, sizeInLine } from './log/entry.ts'
import type { SigningKey } from './log/signing-key.ts'
import { warrant } from './log/warrant.ts'
import { nameSubjects } from './name-subjects.ts'
import { databaseTime, lastEntry, lockManifest } from './sql/manifest.ts'
import { insertEntries, type NewEntry } from './sql/new-entries.ts'
import { insertWarrant } from './warrants.ts'

/** The content to record; the other fields of an entry follow from its place in the chain. */
export interface EntryFact {
  kind: EntryKind
  subject: string
  size: number
  content: Buffer
}

/** The key that vouches for removals, statements and erasures, and the reason for them. */
export interface Voucher {
  key: SigningKey
  /** E.g. `request 12`. */
  basis: string
}

/**
 * Adds entries with a warrant: a checkpoint may cover erasures, removals and statements only if a key vouches
 * for them.
 */
export async function addVouched(
  tx: Transaction,
  { account, key, basis }: Voucher & { account: string },
  facts: readonly EntryFact[],
): Promise<void> {
  const end = await addEntries(tx, account, facts)
  if (end === undefined) return
  const { seq: last, hash } = end
  const range = { first: last - facts.length + 1, last, basis }
  const signature = warrant(key, { account, ...range, hash })
  await insertWarrant(tx, account, { ...range, signature })
}

/**
 * Appends one entry per fact, in order, in the caller's transaction. Other writers for the account wait until
 * it ends. Returns the chain's new end, or undefined if nothing was added.
 */
export async function addEntries(
  tx: Transaction,
  account: string,
  facts: readonly EntryFact[],
): Promise<{ seq: number; hash: string } | undefined> {
  if (facts.length === 0) return undefined
  await lockManifest(tx, account)
  const last = await lastEntry(tx, account)
  const at = await databaseTime(tx)
  const names = await nameSubjects(
    tx,
    account,
    facts.map(({ subject }) => subject),
  )
  let { seq, prev } = { seq: last?.seq ?? 0, prev: last?.hash.toString('hex') ?? NOTHING_BEFORE }
  const salts = randomBytes(SALT_BYTES * facts.length)
  const added = facts.map(({ kind, subject: told, size: bytes, content }, number): NewEntry => {
    const salt = salts.subarray(number * SALT_BYTES, (number + 1) * SALT_BYTES)
    const commitment = commitmentOf(salt, content.toString('hex'))
    seq++
    const subject = names.get(told) ?? told
    const v = subject === told ? 1 : 2
    const size = sizeInLine({ v, kind }, bytes)
    const line = entryLine({ v, account, seq, at, kind, subject, size, commitment, prev })
    prev = entryHash(line)
    return { seq, kind, subject, line, hash: prev, salt: salt.toString('hex') }
  })
  await insertEntries(tx, account, added)
  return { seq, hash: prev }
}

const SALT_BYTES = 16
