import { randomBytes } from 'node:crypto'
import type { Transaction } from '../warehouse/connect.ts'
import { commitmentOf, NOTHING_BEFORE } from './log/digest.ts'
import {
  type EntryKind,
  entryHash,
  entryLine,
  isOfLedgers,
  nameOfSubject,
  sizeInLine,
} from './log/entry.ts'
import type { SigningKey } from './log/signing-key.ts'
import { wordOf } from './log/word.ts'
import { databaseTime, lastEntry, lockManifest, subjectSalts } from './sql/manifest.ts'
import { insertEntries, type NewEntry } from './sql/new-entries.ts'

/** The facts that an entry records; `addEntries` and `addVouched` add the other fields. */
export interface EntryFact {
  kind: EntryKind
  subject: string
  size: number
  content: Buffer
}

/** The key that signs entries about removals, statements and erasures, and the reason signed with them. */
export interface Voucher {
  key: SigningKey
  /** The reason, e.g. `request 12`. */
  basis: string
}

/**
 * Adds entries and signs each with the key. A checkpoint covers an erasure, removal or statement only if the
 * key signed it or a person accepted it, because anyone with write access could add such an entry.
 */
export async function addVouched(
  tx: Transaction,
  { account, ...voucher }: Voucher & { account: string },
  facts: readonly EntryFact[],
): Promise<void> {
  await append(tx, { account, voucher }, facts)
}

/** Adds entries that need no signature of their own, in the caller's transaction. */
export async function addEntries(
  tx: Transaction,
  account: string,
  facts: readonly EntryFact[],
): Promise<void> {
  await append(tx, { account }, facts)
}

/** Appends one entry per fact, in order. Other writers for the account wait until the transaction ends. */
async function append(
  tx: Transaction,
  { account, voucher }: { account: string; voucher?: Voucher },
  facts: readonly EntryFact[],
): Promise<void> {
  if (facts.length === 0) return
  await lockManifest(tx, account)
  const last = await lastEntry(tx, account)
  const at = await databaseTime(tx)
  const subjects = facts.map(({ subject }) => subject)
  const named = await saltSubjects(tx, account, subjects)
  let { seq, prev } = { seq: last?.seq ?? 0, prev: last?.hash.toString('hex') ?? NOTHING_BEFORE }
  const salts = randomBytes(SALT_BYTES * facts.length)
  const added = facts.map(({ kind, subject: told, size: bytes, content }, number): NewEntry => {
    const salt = salts.subarray(number * SALT_BYTES, (number + 1) * SALT_BYTES)
    const commitment = commitmentOf(salt, content.toString('hex'))
    seq++
    const aboutSalt = named.get(told)
    const subject = aboutSalt === undefined ? told : nameOfSubject(told, aboutSalt)
    const v = aboutSalt === undefined ? 1 : 2
    const size = sizeInLine({ v, kind }, bytes)
    const line = entryLine({ v, account, seq, at, kind, subject, size, commitment, prev })
    prev = entryHash(line)
    return {
      seq,
      kind,
      subject,
      line,
      salt: salt.toString('hex'),
      about: aboutSalt === undefined ? null : told,
      about_salt: aboutSalt?.toString('hex') ?? null,
      ...vouched(account, prev, voucher),
    }
  })
  await insertEntries(tx, account, added)
}

/** The columns with the key's signature on an entry and the reason; null without a voucher. */
export function vouched(
  account: string,
  hash: string,
  voucher: Voucher | undefined,
): Pick<NewEntry, 'basis' | 'word'> {
  if (voucher === undefined) return { basis: null, word: null }
  const { key, basis } = voucher
  return { basis, word: wordOf(key, { account, hash, basis }).toString('hex') }
}

/**
 * The salts by which entry lines commit to subjects. A subject keeps its salt until an erasure removes it.
 * Subjects of ledgers are not personal and stay in clear. The transaction must have locked the manifest.
 */
async function saltSubjects(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const asked = new Set(subjects.filter((subject) => !isOfLedgers(subject)))
  const salts = new Map<string, Buffer>()
  if (asked.size === 0) return salts
  for (const { subject, salt } of await subjectSalts(tx, account, [...asked]))
    salts.set(subject, salt)
  for (const subject of asked) if (!salts.has(subject)) salts.set(subject, randomBytes(SALT_BYTES))
  return salts
}

const SALT_BYTES = 16
