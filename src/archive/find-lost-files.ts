import { createHash } from 'node:crypto'
import { StoreError } from '../core/errors.ts'
import { runLimited } from '../core/run-limited.ts'
import { isLargeDrop } from '../core/values/large-drop.ts'
import { count } from '../core/values/quantities.ts'
import { faultOfOneFile } from '../store/one-file.ts'
import type { FileStore } from '../store/store.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { markLost, markWhole, refetchableContents, type StoredContent } from './sql/lost-files.ts'
import type { ArchiveWork } from './work.ts'

/**
 * Finds contents that the store lost and the service may still have, and marks their files for another
 * download. Contents already marked as lost are read again, because they may be back. If so many are missing
 * that this may be the wrong store, the run reports a problem and fetches no lost file, unless a person asked
 * for a retry.
 */
export async function findLostFiles(work: ArchiveWork, most = MOST_LOOKED_FOR): Promise<void> {
  const { warehouse, scope, account, archive, result } = work
  const had = (lost: boolean) =>
    retryDatabase(work, () => refetchableContents(warehouse.db, scope, { lost, most }))
  const [noted, stored] = [await had(true), await had(false)]
  if (noted.length + stored.length === 0) return
  const store = await archive.store()
  const whole: string[] = []
  await runLimited(noted, READ_AT_ONCE, async (content) => {
    work.signal.throwIfAborted()
    if (await isWhole(store, content)) whole.push(content.sha256)
  })
  const missing = await notShown(work, store, stored)
  const lost = noted.length - whole.length + missing.length
  const of = noted.length + stored.length
  work.leaveLost = work.retry !== true && isLargeDrop(lost, of, work.deletionGuard)
  await inTransaction(work, async (tx) => {
    await markWhole(tx, account, whole)
    if (!work.leaveLost) await markLost(tx, account, missing)
  })
  if (noted.length === most || stored.length === most)
    result.notes.push(
      `files: one run looks for ${most} contents in ${store.place}, those that expire first; ` +
        'whether others are lost callsheet verify says',
    )
  if (work.leaveLost) result.problems.push(storeAway(store.place, { lost, of }))
  else if (lost > 0)
    result.notes.push(
      lost === 1
        ? `files: 1 file was missing or damaged in ${store.place} and is downloaded again`
        : `files: ${count(lost)} files were missing or damaged in ${store.place} and are downloaded again`,
    )
}

function storeAway(place: string, { lost, of }: { lost: number; of: number }): string {
  return (
    `files: ${lost} of ${of} contents are missing or damaged in ${place}, which may be the wrong store or ` +
    'not mounted. None was marked as lost or downloaded again. Mount the right store; callsheet verify ' +
    'lists the missing files. If they are lost, run callsheet archive --retry to download them again'
  )
}

/** Returns the digests that the store does not list, or lists with another size if it gives sizes. */
async function notShown(
  { signal, result }: ArchiveWork,
  store: FileStore,
  stored: readonly StoredContent[],
): Promise<string[]> {
  if (stored.length === 0) return []
  const sizes = new Map(stored.map(({ sha256, size }) => [sha256, size]))
  try {
    for await (const file of store.names?.() ?? store.list()) {
      signal.throwIfAborted()
      if (typeof file === 'string') sizes.delete(file)
      else if (sizes.get(file.sha256) === file.size) sizes.delete(file.sha256)
    }
  } catch (error) {
    const came = faultOfOneFile(error)
    if (came === undefined) throw error
    result.problems.push(
      `files: a folder of ${store.place} cannot be listed (${came}), so lost files there cannot be found`,
    )
    return []
  }
  return [...sizes.keys()]
}

async function isWhole(store: FileStore, { sha256, size }: StoredContent): Promise<boolean> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const piece of (await store.read(sha256)) ?? []) {
      hash.update(piece)
      bytes += piece.length
    }
  } catch (error) {
    if (faultOfOneFile(error) === undefined) throw error
    // An object in cold storage cannot be read now; it counts as intact.
    return error instanceof StoreError && error.code === 'store_cold'
  }
  return bytes === size && hash.digest('hex') === sha256
}

const MOST_LOOKED_FOR = 200_000
const READ_AT_ONCE = 4
