import { lapsingOf, recordLapsed } from '../archive/sql/lapsed-parents.ts'
import type { Stream } from '../core/define/stream.ts'
import { WORD_FIELDS } from '../core/define/word-fields.ts'
import { noCounts, takenIn } from '../core/records/row-batch.ts'
import { decidingStream } from '../core/records/row-part.ts'
import { speaksWords } from '../core/records/translate.ts'
import { counted } from '../core/values/quantities.ts'
import { isPartUnread } from '../warehouse/keep-out/row-parts.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { countPresent, valuesOf } from '../warehouse/load/count-rows.ts'
import { deletedParents, markChildrenDeleted } from '../warehouse/load/mark-deleted.ts'
import { type Lists, noLists, readLists, reportAbsent } from './absent-lists.ts'
import { trippedInChain } from './ledger/deletion-guard.ts'
import { sliceHistories } from './ledger/slice-histories.ts'
import { type DueGroup, planFanOut, sizeOf } from './plan/plan-fan-out.ts'
import { type PlannedGroup, planStream } from './plan/plan-stream.ts'
import { batchTransaction } from './read/batch-transaction.ts'
import type { PlanDeps, RunContext } from './run/run-context.ts'
import { runStream, type StreamWork } from './run-stream.ts'
import { settleLists } from './settle-lists.ts'

interface JobWork extends Pick<StreamWork, 'onExpiring'> {
  streams: readonly Stream[]
}

/** Reads the due slices of a job's streams, parents before the streams that fan out from them. */
export async function runJob(run: RunContext, { streams, onExpiring }: JobWork): Promise<void> {
  for (const stream of streams) {
    if (stream.sync.kind === 'nested') continue
    await dropOrphans(run, stream)
    const { groups, lists } = await retryDatabase(run, () => dueWork(run, stream))
    for (const group of groups) run.progress(stream, { planned: sizeOf(group) })
    await runStream(run, { stream, groups, lists, onExpiring })
    await reportAbsent(run, stream, lists)
    await settleLists(run, stream)
    await reportLapsed(run, stream)
  }
  for (const stream of streams) await reportWords(run, stream)
  for (const stream of streams) {
    const of = { account: run.account, stream }
    run.countPresent(stream, await retryDatabase(run, () => countPresent(run.warehouse, of)))
  }
  const trippedGuards = await retryDatabase(run, () => trippedInChain(run.warehouse, run))
  for (const stream of streams)
    for (const drop of trippedGuards.filter(({ stream: name }) => name === stream.name))
      run.tripGuard(stream, { missing: drop.missing, owned: drop.owned })
}

type DueScope = Pick<RunContext, 'account' | 'chainRunId' | 'full' | 'range'> & PlanDeps

/** The slices that are due now, for any stream except a fan-out. */
export async function dueGroups(run: DueScope, stream: Stream): Promise<PlannedGroup[]> {
  const { account, clock, chainRunId, full, range, historyDays, withoutTrash, rows } = run
  const histories = await sliceHistories(run.warehouse, {
    account,
    stream: stream.name,
    chainRunId,
  })
  const time = { nowMs: clock.now(), historyDays, withoutTrash }
  // If the part was changed, reads of the chain's earlier runs do not count.
  const isUnread = await isPartUnread(run.warehouse.db, account, { stream, rows })
  const since = isUnread ? Number.MAX_SAFE_INTEGER : chainRunId
  return planStream(stream, { ...time, chainRunId: since, histories, full, range })
}

/** The slices of a stream that are due; those of a fan-out are known only after its parents were read. */
async function dueWork(
  run: RunContext,
  stream: Stream,
): Promise<{ groups: DueGroup[]; lists: Lists }> {
  const { sync } = stream
  if (sync.kind !== 'fan-out') return { groups: await dueGroups(run, stream), lists: noLists() }
  const { account, chainRunId, warehouse, full } = run
  const scope = { account, stream, sync, chainRunId, full, nowMs: run.clock.now() }
  const lists = await readLists(warehouse, scope)
  return { groups: await planFanOut(warehouse, scope, lists.answered), lists }
}

/**
 * Marks the children of deleted parents as deleted, and removes the children of parents that left the
 * account's part. An earlier run that did not read this stream may have ended only the parents.
 */
async function dropOrphans(run: RunContext, stream: Stream): Promise<void> {
  const { sync, deletions } = stream
  if (sync.kind !== 'fan-out' || deletions.by === 'never') return
  const { account, runId, warehouse } = run
  const scope = { account, stream, parent: sync.parent }
  const { deleted, left } = await retryDatabase(run, () => deletedParents(warehouse, scope))
  const isPart = run.rows?.[decidingStream(stream).name] !== undefined
  const ends = { deleted, left: isPart ? left : [] }
  if (ends.deleted.length + ends.left.length === 0) return
  const own = [stream, ...run.deletedWith(stream)]
  const counts = await batchTransaction(run, stream, async (tx) => {
    const marked = new Map<string, ReturnType<typeof noCounts>>()
    for (const child of own) {
      const taken = noCounts()
      for (const end of ['deleted', 'left'] as const) {
        const target = { account, runId, stream: child, end }
        taken[end] = await markChildrenDeleted(tx, target, { parents: ends[end], kept: [] })
      }
      marked.set(child.name, taken)
    }
    return marked
  })
  for (const child of own) run.count(child, takenIn(counts.get(child.name)))
}

/**
 * Reports lists that expired at the service before they were ever read completely: one incident for each, and
 * one problem of this run. No run requests them again, so nothing else would report them.
 */
async function reportLapsed(run: RunContext, stream: Stream): Promise<void> {
  const lapsing = lapsingOf(run.account, stream)
  if (lapsing === undefined) return
  const lapsed = await inTransaction(run, (tx) => recordLapsed(tx, lapsing, run.runId))
  if (lapsed === 0) return
  const { stream: parent } = lapsing.parent
  run.problem(
    `${stream.name}: ${counted(lapsed, 'record')} of ${parent.name} expired before the list was read, so ` +
      'this data is lost; callsheet.incidents gives the details',
    // A denied stream is reported as denied, so its lost lists do not make the run incomplete.
    !(stream.name in run.noted().notAllowed),
    // The rows that were read are correct, so the stream still counts as read to its end.
    'files',
  )
}

/**
 * If no words are configured, reports a field that has undocumented values and none of the documented ones
 * with "svc": the service then uses its own words, and a search for documented ones finds nothing.
 */
async function reportWords(run: RunContext, stream: Stream): Promise<void> {
  const { warehouse, account, words } = run
  if (words !== undefined || !speaksWords(stream.operation)) return
  for (const column of Object.keys(stream.columns)) {
    const known = WORD_FIELDS[column] ?? []
    const ofSvc = known.filter((word) => /svc/i.test(word))
    if (ofSvc.length === 0) continue
    const held = await retryDatabase(run, () => valuesOf(warehouse, { account, stream }, column))
    const unknown = held.filter((value) => !known.includes(value))
    if (unknown.length === 0 || held.some((value) => ofSvc.includes(value))) continue
    const text = `the service sends ${unknown.slice(0, 5).join(', ')} and never ${ofSvc.join(', ')}`
    const todo =
      "set accounts[].words to the service's own words, or to {svc: svc} if the service uses the " +
      'documented words'
    run.problem(`${stream.name}.${column}: ${text}; ${todo}`, 'for a person', stream)
  }
}
