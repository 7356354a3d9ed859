import { inTransaction } from '../warehouse/ledger/retry-database.ts'
import { mostDays } from './archive-access.ts'
import { reviveDeleted } from './sql/deleted-parents.ts'
import { admitFiles, refreshExpiry, reviveFiles } from './sql/files.ts'
import { analyzeFiles } from './sql/planner.ts'
import type { ArchiveWork } from './work.ts'

/** Records the files to fetch now: new ones, and those that were given up and can be fetched after all. */
export async function admit(work: ArchiveWork): Promise<void> {
  const limits = { days: mostDays(work.archive, work.source), most: ADMIT_AT_ONCE }
  let admitted = 0
  let last = ADMIT_AT_ONCE
  for (; last === ADMIT_AT_ONCE; admitted += last) {
    work.signal.throwIfAborted()
    last = await inTransaction(work, (tx) => admitFiles(tx, work, limits))
  }
  if (admitted > MANY_FILES) await inTransaction(work, analyzeFiles)
  const revived = await inTransaction(work, async (tx) => {
    await refreshExpiry(tx, work)
    return (await reviveDeleted(tx, work)) + (await reviveFiles(tx, work.scope))
  })
  if (revived > 0) work.observer.event('archive.revived', { count: revived })
}

const ADMIT_AT_ONCE = 50_000
const MANY_FILES = 1_000
