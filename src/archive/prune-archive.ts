import type { Observer } from '../core/define/observer.ts'
import { StoreError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import { runLimited } from '../core/run-limited.ts'
import type { Clock } from '../core/time/clock.ts'
import { enterRemoved } from '../evidence/enter-files.ts'
import type { SigningKey } from '../evidence/log/signing-key.ts'
import type { FileStore } from '../store/store.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { acquireLease, type Lease } from '../warehouse/ledger/lease.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { lockHolds } from './sql/holds.ts'
import {
  finishRemovals,
  type UnfinishedRemoval,
  type UnprovenRemovals,
  unfinishedRemovals,
  unprovenRemovals,
} from './sql/kept-contents.ts'
import { type DueContent, dueContents, keptBy, markRemoved } from './sql/retention.ts'
import type { RetentionScope } from './sql/retention-rules.ts'

export interface PruneDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
  store: FileStore
  /** The key that vouches for the recorded removals; a removal without its voucher gets no entry. */
  key: SigningKey
  /**
   * Signs the removal entries. Called before bytes are removed, so that an entry explains each missing file;
   * the bytes of files without an entry stay.
   */
  recordRemovals(lease: Lease): Promise<void>
}

export interface Pruned {
  /** The removed files by the index of their rule in the configuration. */
  byRule: { rule: number; files: number; bytes: number }[]
  /** The number of contents recorded as removed before this prune, whose bytes it removed. */
  finished: number
  /** Due files that stay, by hold. If `hold` is null, another file with the same content stays. */
  kept: { hold: string | null; files: number; bytes: number }[]
  /** Files recorded as removed whose bytes stay, because no entry could be made. */
  unproven: UnprovenRemovals
  /** Files that the store's own lock keeps, and the end of the last lock in epoch milliseconds. */
  locked: { files: number; bytes: number; untilMs: number }
}

/**
 * Removes stored files that are due by a rule, unless a hold, a lock or a file with the same content keeps
 * them. Each file is first recorded as removed, then gets its manifest entry, then its bytes are removed. The
 * next prune completes an interrupted one. Throws BusyError while another process has the account's lease.
 */
export async function pruneArchive(
  deps: PruneDeps,
  { signal, ...scope }: RetentionScope & { signal: AbortSignal },
): Promise<Pruned> {
  const { warehouse, clock, store } = deps
  const lease = await acquireLease(warehouse, {
    account: scope.account,
    job: 'archive prune',
    clock,
  })
  try {
    await store.open()
    const stop = AbortSignal.any([signal, lease.lost])
    const pruning: Pruning = {
      deps,
      scope,
      lease,
      stop,
      pruned: {
        byRule: [],
        finished: 0,
        kept: [],
        unproven: { files: 0, first: null },
        locked: { files: 0, bytes: 0, untilMs: 0 },
      },
      locked: new Set(),
    }
    const { pruned } = pruning
    pruned.finished = (await removeBytes(pruning)).size
    for (let after: string | undefined = ''; after !== undefined; )
      after = await pruneNext(pruning, after)
    pruned.kept = await retryDatabase(deps, () => keptBy(warehouse.db, scope))
    const left = () => unprovenRemovals(warehouse.db, scope.account)
    pruned.unproven = await retryDatabase(deps, left)
    return pruned
  } finally {
    await lease.release()
  }
}

interface Pruning {
  deps: PruneDeps
  scope: RetentionScope
  lease: Lease
  stop: AbortSignal
  pruned: Pruned
  /** Contents that the store locks; this prune does not try to remove them again. */
  locked: Set<string>
}

/** Prunes one batch of contents. Returns where the next batch begins, or undefined after the last. */
async function pruneNext(pruning: Pruning, after: string): Promise<string | undefined> {
  const { deps, scope, stop, pruned } = pruning
  stop.throwIfAborted()
  const { due, last } = await retryDatabase(deps, () =>
    dueContents(deps.warehouse.db, scope, { after, limit: BATCH_CONTENTS }),
  )
  const free = await withoutLocked(pruning, due)
  if (free.length > 0) {
    await point('prune:marking')
    const marked = await inTransaction(fenced(pruning), async (tx) => {
      await lockHolds(tx, scope.account)
      const { due: contents, files } = await markRemoved(tx, scope, free)
      const { account } = scope
      await enterRemoved(tx, { account, key: deps.key, basis: 'archive.retention' }, files)
      return contents
    })
    await point('prune:marked')
    const deleted = await removeBytes(pruning)
    const taken = marked.filter(({ sha256 }) => deleted.has(sha256))
    count(pruned, taken)
    pruned.finished += deleted.size - taken.length
  }
  return last
}

/** Checks locks before anything is recorded: a locked content is not recorded as removed. */
async function withoutLocked(pruning: Pruning, due: readonly DueContent[]): Promise<string[]> {
  const { store } = pruning.deps
  const free: string[] = []
  await runLimited(due, REMOVALS_AT_ONCE, async (content) => {
    const untilMs = await store.lockedUntilMs?.(content.sha256)
    if (untilMs === undefined) free.push(content.sha256)
    else noteLocked(pruning, content, untilMs)
  })
  return free
}

function noteLocked(
  { locked, pruned }: Pruning,
  { sha256, files, size }: Pick<DueContent, 'sha256' | 'files' | 'size'>,
  untilMs: number,
): void {
  locked.add(sha256)
  pruned.locked.files += files
  pruned.locked.bytes += size
  pruned.locked.untilMs = Math.max(pruned.locked.untilMs, untilMs)
}

/**
 * Removes the bytes of contents whose removal is recorded and has a manifest entry, unless a lock, a hold or
 * a stored file keeps them. Returns the digests of the removed contents.
 */
async function removeBytes(pruning: Pruning): Promise<Set<string>> {
  const { deps, scope, lease } = pruning
  const deleted = new Set<string>()
  const unfinished = (after: string) =>
    inTransaction(fenced(pruning), (tx) =>
      unfinishedRemovals(tx, scope.account, { after, limit: REMOVALS_A_BATCH }),
    )
  if ((await unfinished('')).length === 0) return deleted
  await deps.recordRemovals(lease)
  for (let after = ''; ; ) {
    const contents = await unfinished(after)
    if (contents.length === 0) return deleted
    await point('prune:entered')
    const free = contents.filter(({ entered, sha256 }) => entered && !pruning.locked.has(sha256))
    for (const sha256 of await removeContents(pruning, free)) deleted.add(sha256)
    after = contents.at(-1)?.sha256 ?? after
  }
}

/** Removes bytes. Contents removed before a failure are recorded as gone once the store is flushed. */
async function removeContents(
  pruning: Pruning,
  contents: readonly UnfinishedRemoval[],
): Promise<string[]> {
  const { deps, scope, stop } = pruning
  const deleted: string[] = []
  try {
    await runLimited(contents, REMOVALS_AT_ONCE, async (content) => {
      stop.throwIfAborted()
      await point('prune:removing')
      if (await removed(pruning, content)) deleted.push(content.sha256)
      await point('prune:removed')
    })
  } finally {
    await deps.store.flush()
    await inTransaction(fenced(pruning), (tx) => finishRemovals(tx, scope.account, deleted))
    await point('prune:finished')
  }
  return deleted
}

/** Returns false if a lock appeared after the content was recorded as removed; later prunes try again. */
async function removed(pruning: Pruning, content: UnfinishedRemoval): Promise<boolean> {
  const { store, observer } = pruning.deps
  try {
    await store.remove(content.sha256)
    return true
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store_locked') throw error
    observer.event('archive.locked', { error: error.message })
    const untilMs = await store.lockedUntilMs?.(content.sha256)
    noteLocked(pruning, content, untilMs ?? Number.POSITIVE_INFINITY)
    return false
  }
}

const fenced = ({ deps, lease }: Pruning) => ({ ...deps, lease })

function count({ byRule }: Pruned, marked: readonly DueContent[]): void {
  for (const { rule, files, size } of marked) {
    let sum = byRule.find((one) => one.rule === rule)
    if (sum === undefined) byRule.push((sum = { rule, files: 0, bytes: 0 }))
    sum.files += files
    sum.bytes += size
  }
  byRule.sort((a, b) => a.rule - b.rule)
}

const BATCH_CONTENTS = 5_000
const REMOVALS_A_BATCH = 500
const REMOVALS_AT_ONCE = 8
