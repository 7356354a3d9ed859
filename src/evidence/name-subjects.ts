import { randomBytes } from 'node:crypto'
import type { Transaction } from '../warehouse/connect.ts'
import { isOfLedgers } from './log/entry.ts'
import { subjectSalts } from './sql/manifest.ts'

/**
 * The salts by which entry lines commit to subjects: all entries about a subject use the same salt. A ledger
 * row is not personal, so its subject stays in clear. The transaction must have locked the manifest.
 */
export async function saltSubjects(
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
