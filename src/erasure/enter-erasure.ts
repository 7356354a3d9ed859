import type { Stream } from '../core/define/stream.ts'
import { addVouched, type EntryFact, type Voucher } from '../evidence/add-entries.ts'
import { lineContent } from '../evidence/log/digest.ts'
import { type ErasedKind, erasureOf } from '../evidence/log/erased-kinds.ts'
import { versionsOf } from '../evidence/sql/audited-records.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { type Erasing, vouchingOf } from './erasing.ts'
import { forgetSubjects, removeSalts, subjectsOfKeys } from './sql/erasure-evidence.ts'
import type { ForgottenFiles } from './sql/erasure-files.ts'

/**
 * Records an erasure in the manifest, in the transaction that changes the rows. Removes the salts of the
 * entries about these files and audited records: then the commitments reveal nothing, and the chain stays
 * intact. Except in a dry run, adds an erasure entry for each, and new entries for the versions that stay.
 */
export async function enterErasure(
  tx: Transaction,
  erasing: Pick<Erasing, 'account' | 'key' | 'request' | 'dryRun'>,
  erased: {
    stream: Stream
    touched: readonly (readonly string[])[]
  } & ForgottenFiles,
): Promise<void> {
  const { account } = erasing
  const { stream, touched, files, staying } = erased
  const audited = stream.audited === true
  const records = audited ? await subjectsOfKeys(tx, stream, touched) : []
  await removeSalts(tx, account, { subjects: records, kinds: ['record'] })
  await removeSalts(tx, account, { subjects: files, kinds: ['file', 'removal'] })
  const left = audited ? await versionsOf(tx, { account, stream }, touched) : []
  const erasures = [...new Set([...records, ...files])].map((subject): EntryFact => {
    const kinds: ErasedKind[] = records.includes(subject) ? ['record'] : []
    if (files.includes(subject)) kinds.push('file')
    return { kind: 'erasure', subject, ...erasureOf(kinds) }
  })
  const anew = left.map(
    ({ subject, size, content }): EntryFact => ({ kind: 'record', subject, size, content }),
  )
  if (!erasing.dryRun) await addVouched(tx, vouchingOf(erasing), [...erasures, ...anew])
  const named = new Set([...staying, ...anew.map(({ subject }) => subject)])
  const gone = erasures.map(({ subject }) => subject).filter((subject) => !named.has(subject))
  await forgetSubjects(tx, account, gone)
}

/**
 * Signs the number of longer words that the operator declared to be another person's, and who declared them.
 * The entry commits to the words without naming them.
 */
export async function enterOthersWords(
  tx: Transaction,
  vouching: Voucher & { account: string },
  {
    request,
    othersWords,
    askedBy,
  }: { request: number; othersWords: readonly string[]; askedBy: string },
): Promise<void> {
  const said = `request ${request}: longer words that are another's: ${othersWords.length}, by ${askedBy}`
  const content = lineContent(JSON.stringify(othersWords.toSorted()))
  await addVouched(tx, { ...vouching, basis: said }, [
    { kind: 'erasure', subject: `erasure_requests/${request}`, size: 0, content },
  ])
}
