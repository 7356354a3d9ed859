import { randomBytes } from 'node:crypto'
import type { Transaction } from '../warehouse/connect.ts'
import { isOfLedgers, nameOfSubject } from './log/entry.ts'
import { type EntrySubject, insertSubjects, knownSubjects } from './sql/entry-subjects.ts'

/**
 * The names of subjects in entry lines, in a transaction that has locked the manifest: one commitment per
 * subject, used by all its entries. A ledger row is not personal, so its subject stays in clear.
 */
export async function nameSubjects(
  tx: Transaction,
  account: string,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const asked = new Set(subjects.filter((subject) => !isOfLedgers(subject)))
  if (asked.size === 0) return names
  for (const { subject, salt } of await knownSubjects(tx, account, [...asked])) {
    asked.delete(subject)
    names.set(subject, nameOfSubject(subject, salt))
  }
  const salts = randomBytes(SALT_BYTES * asked.size)
  const added = [...asked].map((subject, at): EntrySubject => {
    const salt = salts.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES)
    return { subject, salt, named: nameOfSubject(subject, salt) }
  })
  await insertSubjects(tx, account, added)
  for (const { subject, named } of added) names.set(subject, named)
  return names
}

const SALT_BYTES = 16
