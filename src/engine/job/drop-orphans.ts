import type { Stream } from '../../core/declare/stream.ts'
import { noCounts } from '../../core/records/row-batch.ts'
import { deletedParents, markChildrenDeleted } from '../../warehouse/load/mark-deleted.ts'
import { batchTransaction, retryDatabase } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'

/**
 * What belongs to a row that is gone goes with it. A run that read the parents without this stream, as
 * another job's or one that read a part of this job, has called them gone without knowing of it, so they
 * are looked for here.
 */
export async function dropOrphans(run: RunContext, stream: Stream): Promise<void> {
  const { sync, deletions } = stream
  if (sync.kind !== 'fan-out' || deletions.by === 'never') return
  const { account, runId, warehouse } = run
  const scope = { account, stream, parent: sync.parent }
  const parents = await retryDatabase(run, () => deletedParents(warehouse, scope))
  if (parents.length === 0) return
  const own = [stream, ...run.deletedWith(stream)]
  const counts = await batchTransaction(run, stream, async (tx) => {
    const marked = new Map<string, ReturnType<typeof noCounts>>()
    for (const child of own) {
      const rows = await markChildrenDeleted(
        tx,
        { account, runId, stream: child },
        { parents, kept: [] },
      )
      marked.set(child.name, { ...noCounts(), deleted: rows })
    }
    return marked
  })
  for (const child of own) run.count(child, { deleted: counts.get(child.name)?.deleted ?? 0 })
}
