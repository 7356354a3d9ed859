import type { Stream } from '../../core/declare/stream.ts'
import { type ErasedKind, erasureOf } from '../../evidence/erased-kinds.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import { removeSalts, subjectsOfKeys } from '../../warehouse/erasure/erasure-evidence.ts'
import { versionsOf } from '../../warehouse/evidence/audited-records.ts'
import { addVouched, type Fact, type Voucher } from '../evidence/add-entries.ts'

/**
 * In the transaction that changes them: takes the salts of what an account's manifest says of records and
 * files, so that its commitments tell nothing any more and the chain stays whole; enters that this was an
 * erasure; and enters anew what is left of records that only named the person.
 */
export async function enterErasure(
  tx: Transaction,
  vouching: Voucher & { account: string },
  erased: {
    stream: Stream
    touched: readonly (readonly string[])[]
    /** Subjects of the files that went. */
    files: readonly string[]
  },
): Promise<void> {
  const { account } = vouching
  const { stream, touched, files } = erased
  const audited = stream.audited === true
  const records = audited ? await subjectsOfKeys(tx, stream, touched) : []
  await removeSalts(tx, account, { subjects: records, kinds: ['record'] })
  await removeSalts(tx, account, { subjects: files, kinds: ['file', 'removal'] })
  const left = audited ? await versionsOf(tx, { account, stream }, touched) : []
  const erasures = [...new Set([...records, ...files])].map((subject): Fact => {
    const kinds: ErasedKind[] = records.includes(subject) ? ['record'] : []
    if (files.includes(subject)) kinds.push('file')
    return { kind: 'erasure', subject, ...erasureOf(kinds) }
  })
  const anew = left.map(
    ({ subject, size, content }): Fact => ({ kind: 'record', subject, size, content }),
  )
  await addVouched(tx, vouching, [...erasures, ...anew])
}
