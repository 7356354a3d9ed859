import { inTransaction } from '../warehouse/ledger/retry-database.ts'
import { noteDeleted } from './result.ts'
import { writeOffDeleted } from './sql/deleted-parents.ts'
import { expireFiles } from './sql/files.ts'
import type { ArchiveWork } from './work.ts'

/** Gives up files past their last day; with `deleted` also files whose session a sync found deleted. */
export async function giveUp(work: ArchiveWork, { deleted }: { deleted: boolean }): Promise<void> {
  const { result, scope } = work
  result.counts.expired += await inTransaction(work, (tx) => expireFiles(tx, scope))
  if (deleted) noteDeleted(result, await inTransaction(work, (tx) => writeOffDeleted(tx, work)))
}
