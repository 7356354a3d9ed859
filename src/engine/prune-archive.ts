import type { FileStore } from '../archive/store.ts'
import type { Clock } from '../core/clock.ts'
import { StoreError } from '../core/errors.ts'
import type { Observer } from '../core/observer.ts'
import { point } from '../core/point.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { lockHolds } from '../warehouse/holds.ts'
import { acquireLease, type Lease } from '../warehouse/lease.ts'
import {
  type DueContent,
  dueContents,
  finishRemovals,
  keptBy,
  markRemoved,
  type RetentionScope,
  unfinishedRemovals,
} from '../warehouse/retention.ts'
import { inTransaction, retryDatabase } from './retry-database.ts'
import { runLimited } from './run-limited.ts'

export interface PruneDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
  store: FileStore
  /**
   * Makes a manifest entry of each file that is entered as removed and has none. Called before the bytes go,
   * so that no file is ever missing without an entry that says why.
   */
  recordRemovals(lease: Lease): Promise<void>
}

export interface Pruned {
  /** By the place of the rule in the configuration, from 0. */
  byRule: { rule: number; files: number; bytes: number }[]
  /** Contents of an earlier prune that was cut off, whose bytes this one took. */
  finished: number
  /** What a rule would let go and what keeps it; without a hold it is content that another file has. */
  kept: { hold: string | null; files: number; bytes: number }[]
  /** What the store's own lock keeps, and until when the last of it (epoch milliseconds). */
  locked: { files: number; bytes: number; untilMs: number }
}

/**
 * Removes from the store what the rules let go and no hold keeps, under the account's lease. Each file is
 * first entered as removed, then has its manifest entry, then its bytes go: a prune that was cut off is
 * completed by the next one. Throws BusyError while another process has the account.
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
      pruned: { byRule: [], finished: 0, kept: [], locked: { files: 0, bytes: 0, untilMs: 0 } },
    }
    pruning.pruned.finished = await takeBytes(pruning)
    for (let after: string | undefined = ''; after !== undefined; )
      after = await pruneNext(pruning, after)
    pruning.pruned.kept = await retryDatabase(deps, () => keptBy(warehouse.db, scope))
    return pruning.pruned
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
}

/** One batch of contents, from the decision to the bytes. Answers where the next begins. */
async function pruneNext(pruning: Pruning, after: string): Promise<string | undefined> {
  const { deps, scope, stop, pruned } = pruning
  stop.throwIfAborted()
  const { due, last } = await retryDatabase(deps, () =>
    dueContents(deps.warehouse.db, scope, { after, limit: BATCH_CONTENTS }),
  )
  const free = await withoutLocked(deps.store, due, pruned)
  if (free.length > 0) {
    await point('prune:marking')
    const marked = await inTransaction(fenced(pruning), async (tx) => {
      await lockHolds(tx, scope.account)
      return await markRemoved(tx, scope, free)
    })
    await point('prune:marked')
    count(pruned, marked)
    await takeBytes(pruning)
  }
  return last
}

/** Asked before anything is entered: what the store will not let go is not entered as removed. */
async function withoutLocked(
  store: FileStore,
  due: readonly DueContent[],
  { locked }: Pruned,
): Promise<string[]> {
  const free: string[] = []
  await runLimited(due, REMOVALS_AT_ONCE, async ({ sha256, files, size }) => {
    const untilMs = await store.lockedUntilMs?.(sha256)
    if (untilMs === undefined) {
      free.push(sha256)
      return
    }
    locked.files += files
    locked.bytes += size
    locked.untilMs = Math.max(locked.untilMs, untilMs)
  })
  return free
}

/** Takes the bytes of all that is entered as removed, after the manifest has its entries. */
async function takeBytes(pruning: Pruning): Promise<number> {
  const { deps, scope, lease } = pruning
  const { account } = scope
  let taken = 0
  let after = ''
  for (;;) {
    const next = { after, limit: REMOVALS_A_BATCH }
    const contents = await inTransaction(fenced(pruning), (tx) =>
      unfinishedRemovals(tx, account, next),
    )
    if (contents.length === 0) return taken
    if (after === '') await deps.recordRemovals(lease)
    await point('prune:entered')
    taken += await removeContents(pruning, contents)
    after = contents.at(-1) ?? after
  }
}

/** What was removed before a failure is entered as gone all the same, once no crash can bring it back. */
async function removeContents(pruning: Pruning, contents: readonly string[]): Promise<number> {
  const { deps, scope, stop } = pruning
  const gone: string[] = []
  try {
    await runLimited(contents, REMOVALS_AT_ONCE, async (sha256) => {
      stop.throwIfAborted()
      await point('prune:removing')
      if (await removed(deps, sha256)) gone.push(sha256)
      await point('prune:removed')
    })
  } finally {
    await deps.store.flush()
    await inTransaction(fenced(pruning), (tx) => finishRemovals(tx, scope.account, gone))
    await point('prune:finished')
  }
  return gone.length
}

/** A lock that came after the file was entered as removed is waited for by the prunes to come. */
async function removed({ store, observer }: PruneDeps, sha256: string): Promise<boolean> {
  try {
    await store.remove(sha256)
    return true
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store_locked') throw error
    observer.event('archive.locked', { error: error.message })
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
