import type { Stream } from '../core/define/stream.ts'
import { noCounts } from '../core/records/row-batch.ts'
import { isLargeDrop } from '../core/values/large-drop.ts'
import { counted } from '../core/values/quantities.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { countLists, countPresent } from '../warehouse/load/count-rows.ts'
import { markChildrenDeleted } from '../warehouse/load/mark-deleted.ts'
import { judgeDrops } from './deletions/check-drop.ts'
import { restateRelease } from './deletions/restate-release.ts'
import { spendApproval, tripGuard } from './ledger/deletion-guard.ts'
import { batchTransaction } from './read/batch-transaction.ts'
import type { RunContext } from './run/run-context.ts'
import { isApproved } from './stream-drops.ts'

/**
 * Decides about a stream's nested lists that the run doubts. A list that contradicts its record leaves the
 * run incomplete, and its rows stay. Some services omit an empty list, so a few newly absent ones count as
 * empty; beyond `absentLimit` their rows stay too, and the run is incomplete. The rows of lists received as
 * empty are deleted, unless the deletion guard holds them back.
 */
export async function settleLists(run: RunContext, stream: Stream): Promise<void> {
  for (const child of run.cutsOf(stream)) {
    if (child.sync.kind !== 'nested') continue
    const contradicted = run.doubtedLists.parents(child, 'contradicted').length
    if (contradicted > 0) {
      const { countedBy, measuredBy = countedBy === undefined ? [] : [countedBy] } = child.sync
      run.problem(contradictedText(child, contradicted, measuredBy), true, child)
    }
    const emptied = run.doubtedLists.parents(child, 'emptied')
    if (emptied.length > 0) await settleEmptied(run, child, emptied)
    const absent = run.doubtedLists.parents(child, 'absent')
    if (absent.length === 0) continue
    if (isLargeDrop(absent.length, await countOf(run, stream), run.absentLimit))
      run.problem(absentText(child, absent.length), true, child)
    else await deleteChildren(run, child, { parents: absent, approved: false })
  }
}

/** Deletes the rows of emptied lists, unless the drop exceeds the guard's limits and nobody approved it. */
async function settleEmptied(run: RunContext, child: Stream, parents: string[]): Promise<void> {
  const { account, runId, warehouse } = run
  const of = { account, stream: child }
  const lists = await retryDatabase(run, () => countLists(warehouse, of, parents))
  const { owned, missing, filled } = lists
  const drop = { owned, missing, fallen: missing, alone: false, filled, emptied: parents.length }
  const [held] = judgeDrops([drop], run.deletionGuard)
  const approved = held === true && (await isApproved(run, child, missing)) === 'approved'
  if (held !== true || approved) return await deleteChildren(run, child, { parents, approved })
  await batchTransaction(run, child, async (tx) => {
    await tripGuard(tx, { ...of, runId, missing, owned })
    await restateRelease(tx, run, child)
    return new Map([[child.name, noCounts()]])
  })
  run.tripGuard(child, { missing, owned })
}

function contradictedText(
  { name, sync }: Stream,
  count: number,
  measuredBy: readonly string[],
): string {
  const parent = sync.kind === 'nested' ? sync.parent.name : ''
  return (
    `${name}: ${counted(count, 'record')} of ${parent} listed fewer than before, or none, which ` +
    `contradicts ${measuredBy.join(' and ')}. No row was marked as deleted; if it ` +
    "repeats, contact the service's support"
  )
}

function absentText({ name, sync }: Stream, count: number): string {
  const parent = sync.kind === 'nested' ? sync.parent.name : ''
  return (
    `${name}: ${counted(count, 'record')} of ${parent} came without this list, although rows of it are ` +
    'stored. No row was marked as deleted'
  )
}

async function countOf(run: RunContext, stream: Stream): Promise<number> {
  const scope = { account: run.account, stream }
  return await retryDatabase(run, () => countPresent(run.warehouse, scope))
}

async function deleteChildren(
  run: RunContext,
  child: Stream,
  { parents, approved }: { parents: string[]; approved: boolean },
): Promise<void> {
  const target = { account: run.account, runId: run.runId, stream: child }
  const counts = await batchTransaction(run, child, async (tx) => {
    const deleted = await markChildrenDeleted(tx, target, { parents, kept: [] })
    if (approved) await spendApproval(tx, target)
    return new Map([[child.name, { ...noCounts(), deleted }]])
  })
  run.count(child, { deleted: counts.get(child.name)?.deleted ?? 0 })
}
