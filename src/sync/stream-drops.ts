import type { Stream } from '../core/define/stream.ts'
import { isLargeDrop } from '../core/values/large-drop.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { countPresent } from '../warehouse/load/count-rows.ts'
import { type Lists, stillListed } from './absent-lists.ts'
import type { JudgedDrop } from './deletions/check-deletions.ts'
import { type Drop, dropOf, judgeDrops } from './deletions/check-drop.ts'
import { answeredFor, findMissing, type Keys } from './deletions/missing-rows.ts'
import { deletionsApproved } from './ledger/deletion-guard.ts'
import type { GroupRead } from './read/read-group.ts'
import type { RunContext } from './run/run-context.ts'

/**
 * Collects a stream's groups with missing rows until all groups are read. No row is marked as deleted before
 * then, since the deletion guard compares the missing rows of the whole stream with its limits.
 */
export interface StreamDrops {
  /** Stores a group with missing rows, to be settled at the end, and returns whether it did. */
  keeps(groupRead: GroupRead): boolean
  /**
   * The stored groups, each with its missing rows and the guard's verdict. If the service may not have shown
   * all rows (`isShown` is false), no row counts as missing.
   */
  decided(isShown: boolean): Promise<(JudgedDrop & { groupRead: GroupRead })[]>
}

export function streamDrops(run: RunContext, stream: Stream, lists: Lists): StreamDrops {
  const kept: GroupRead[] = []
  const others: Drop[] = []
  const mayMiss = stream.deletions.by === 'detail' || stream.deletions.by === 'second-read'
  return {
    keeps(groupRead) {
      if (!mayMiss || answeredFor(groupRead) === undefined) return false
      const keeps = groupRead.table.countMissing() > 0
      if (keeps) kept.push(groupRead)
      else others.push(dropOf(groupRead, []))
      return keeps
    },
    async decided(isShown) {
      if (kept.length === 0) return []
      const found: { groupRead: GroupRead; missing: Keys }[] = []
      for (const groupRead of isShown ? kept : kept.map(unproven))
        found.push({ groupRead, missing: await findMissing(run, groupRead) })
      const drops = found.map(({ groupRead, missing }) => dropOf(groupRead, missing))
      const filled =
        stream.sync.kind === 'fan-out' ? [listsBesides(lists, [...drops, ...others])] : []
      const all = [...drops, ...others, ...filled]
      const held = judgeDrops(all, await limitsOf(run, stream, all))
      const missing = found.flatMap((one, at) => (held[at] === true ? one.missing : []))
      const free = missing.length === 0 || (await isOfParents(run, stream, missing))
      const drop = free ? 'free' : await isApproved(run, stream, missing.length)
      return found.map((one, at) => ({ ...one, drop: held[at] === true ? drop : 'free' }))
    },
  }
}

/**
 * A run of a range reads a share of the stream's rows, and may lose that share of the guard's rows: otherwise
 * several ranges would delete what a whole run holds back.
 */
async function limitsOf(run: RunContext, stream: Stream, drops: readonly Drop[]) {
  const { account, range, deletionGuard, warehouse } = run
  if (range === undefined) return deletionGuard
  const all = await retryDatabase(run, () => countPresent(warehouse, { account, stream }))
  const owned = drops.reduce((sum, drop) => sum + drop.owned, 0)
  return { ...deletionGuard, rows: deletionGuard.rows * Math.min(1, owned / Math.max(1, all)) }
}

function unproven(groupRead: GroupRead): GroupRead {
  return { ...groupRead, group: { ...groupRead.group, unproven: true } }
}

/**
 * Returns `approved` if a person approved the deletion of at least this many rows, otherwise `held`. A run of
 * a range uses no approval, since an approval serves one run, which must read all held-back slices.
 */
export async function isApproved(
  run: RunContext,
  stream: Stream,
  missing: number,
): Promise<'approved' | 'held'> {
  const { account, runId, chainRunId, range, warehouse } = run
  if (range !== undefined) return 'held'
  const scope = { account, runId, stream, chainRunId, missing }
  return (await retryDatabase(run, () => deletionsApproved(warehouse, scope))) ? 'approved' : 'held'
}

/**
 * Whether the parents of the missing rows are missing too: the service lists none of them, or too few to
 * exceed the guard's limits. Such rows need no approval of their own; the guard of the parents' stream asks a
 * person.
 */
async function isOfParents(run: RunContext, stream: Stream, missing: Keys): Promise<boolean> {
  if (stream.sync.kind !== 'fan-out' || stream.deletions.by !== 'detail') return false
  const parents = missing.map(([parent = '']) => [parent])
  const listed = await stillListed(run, stream, parents)
  return !isLargeDrop(listed, missing.length, run.deletionGuard)
}

/** An empty drop that counts the lists with rows that were not due, so that the guard sees all lists. */
function listsBesides({ filled }: Lists, drops: readonly Drop[]): Drop {
  const read = drops.reduce((all, drop) => all + drop.filled, 0)
  return { ...NO_DROP, filled: Math.max(0, filled - read) }
}

const NO_DROP: Drop = { owned: 0, missing: 0, fallen: 0, alone: false, filled: 0, emptied: 0 }
