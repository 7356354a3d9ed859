import type { Stream } from '../core/define/stream.ts'
import { runLimited } from '../core/run-limited.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { type Lists, noteAbsent } from './absent-lists.ts'
import { checkDeletions, type JudgedDrop } from './deletions/check-deletions.ts'
import { hasIdleApproval, spendApproval } from './ledger/deletion-guard.ts'
import { monthsShown } from './months-shown.ts'
import { type DueGroup, sizeOf } from './plan/plan-fan-out.ts'
import type { PlannedGroup, PlannedSlice } from './plan/plan-stream.ts'
import { type IgnoredWindows, ignoredWindows } from './read/ignored-windows.ts'
import { blocksStream, type GroupRead, readGroup } from './read/read-group.ts'
import { type TimelessRows, timelessRows } from './read/timeless-rows.ts'
import { readingMarks } from './reading-marks.ts'
import type { RunContext } from './run/run-context.ts'
import type { SliceReading } from './run/slice-reading.ts'
import { streamDrops } from './stream-drops.ts'
import { reportUnread } from './unread-values.ts'
import { withheldGroups } from './withheld-groups.ts'

export interface StreamWork {
  stream: Stream
  groups: readonly DueGroup[]
  lists: Lists
  /** Called after the lists of parents that expire within a week were read, if there are any. */
  onExpiring(): Promise<void>
}

/** Reads the due groups of a stream, and decides about the rows that they no longer show. */
export async function runStream(
  run: RunContext,
  { stream, groups, lists, onExpiring }: StreamWork,
): Promise<void> {
  const marks = readingMarks()
  const [withheld, windows] = [withheldGroups(stream, groups), ignoredWindows(run, stream)]
  let drops = streamDrops(run, stream, lists)
  const [settled, waiting] = [new Set<PlannedSlice>(), new Array<DueGroup>()]
  let calm = true
  let blocker: Blocker | undefined
  let timeless: Promise<TimelessRows | undefined> | undefined
  const note = (readings: readonly SliceReading[]): void => {
    blocker ??= readings.find(blocksStream)
    marks.note(readings)
    noteAbsent(stream, lists, readings)
    run.progress(stream, { ended: readings.map(({ state }) => state) })
  }
  const settle = async (groupRead: GroupRead, judged?: JudgedDrop): Promise<void> => {
    const { readings, whole } = await checkDeletions(run, groupRead, judged)
    calm &&= whole
    if (windows.onFirstPage !== undefined) for (const { slice } of readings) settled.add(slice)
    note(readings)
  }
  const read = async (due: DueGroup): Promise<void> => {
    blocker ??= brokenOff(run)
    if (blocker !== undefined) return leaveUnread(run, { stream, due, blocker })
    if (withheld.doubtful()) return void waiting.push(due)
    const group = await opened(run, stream, due)
    const isServed = (): boolean => group.serves === undefined && windows.areIgnored()
    if (isServed() || group.slices.length === 0) return
    if (group.owned.kind === 'windows') timeless ??= timelessRows(run, stream)
    const beside = { timeless: await timeless, ...windows }
    const groupRead = await readGroup(run, marks.withDoubt(group), beside)
    if (isServed() && groupRead.ended === undefined) return
    if (!withheld.keeps(groupRead) && !drops.keeps(groupRead)) await settle(groupRead)
    if (groupRead.ended !== undefined) throw groupRead.ended
  }
  const readAll = (some: readonly DueGroup[]) => runLimited(some, GROUPS_AT_ONCE, read)
  await readInOrder(groups, { windows, onExpiring, readAll })
  if (windows.areIgnored()) {
    const due = groups.flatMap(slicesOf).filter((slice) => !settled.has(slice))
    // The whole list decides about rows that windows missed or could not place.
    drops = streamDrops(run, stream, lists)
    timeless = undefined
    await readAll(windows.wholeList(due))
  }
  // Another group may have received a list since these groups were put aside.
  if (!withheld.doubtful()) await readAll(waiting.splice(0))
  for (const groupRead of withheld.decided()) if (!drops.keeps(groupRead)) await settle(groupRead)
  await readAll(waiting)
  const decided = await drops.decided(await monthsShown(run, stream, { marks, blocker, readAll }))
  await runLimited(decided, GROUPS_AT_ONCE, ({ groupRead, ...judged }) => settle(groupRead, judged))
  for (const remark of marks.remarks(stream)) run.problem(remark, false)
  await reportUnread(run, stream, { marks, timeless: await timeless })
  marks.reportRefusal(run, stream)
  if (calm && blocker === undefined && run.range === undefined) await endApprovals(run, stream)
}

interface ReadingOrder extends Pick<StreamWork, 'onExpiring'> {
  windows: IgnoredWindows
  readAll(groups: readonly DueGroup[]): Promise<void>
}

/** Reads all groups, the two newest windows first if the service may not support windows. */
async function readInOrder(
  groups: readonly DueGroup[],
  { windows, onExpiring, readAll }: ReadingOrder,
): Promise<void> {
  const isWindow = (group: DueGroup): boolean => 'open' in group || group.incremental !== true
  const newest = windows.onFirstPage === undefined ? [] : groups.filter(isWindow).slice(0, 2)
  for (const group of newest) await readAll([group])
  // Incremental reads come before the other windows, since the later of two requests counts.
  await readAll(groups.filter((group) => !isWindow(group)))
  const expiring = groups.filter((group) => group.expiring === true)
  await readAll(expiring)
  if (expiring.length > 0) await onExpiring()
  const others = groups.filter((group) => !newest.includes(group) && group.expiring !== true)
  await readAll(others.filter(isWindow))
}

/** Marks idle approvals as used, so that they do not apply to a later drop. */
async function endApprovals(run: RunContext, stream: Stream): Promise<void> {
  const { warehouse, account, runId, chainRunId } = run
  for (const one of [stream, ...run.cutsOf(stream)]) {
    if (run.doubtedLists.parents(one, 'emptied').length > 0) continue
    const scope = { account, stream: one, runId }
    if (await retryDatabase(run, () => hasIdleApproval(warehouse, { ...scope, chainRunId })))
      await inTransaction(run, (tx) => spendApproval(tx, scope))
  }
}

const slicesOf = (group: DueGroup) => ('open' in group ? [] : group.slices)

/** Loads a group when its turn comes. It lacks lists of parents that were deleted or expired since. */
async function opened(run: RunContext, stream: Stream, due: DueGroup): Promise<PlannedGroup> {
  if (!('open' in due)) return due
  const group = await retryDatabase(run, () => due.open())
  run.progress(stream, { planned: group.slices.length - due.count })
  return group
}

/** The result that stopped the reading of a stream. */
type Blocker = Pick<SliceReading, 'state' | 'error'>

/** The error with which all remaining groups fail unrequested if the service no longer responds. */
function brokenOff(run: RunContext): Blocker | undefined {
  const error = run.breaker.tripped()
  return error === undefined ? undefined : { state: 'failed', error }
}

/** Leaves the slices of a group unread: each would fail in the same way, at the cost of a call. */
function leaveUnread(
  run: RunContext,
  { stream, due, blocker }: { stream: Stream; due: DueGroup; blocker: Blocker },
): void {
  run.progress(stream, { ended: Array.from({ length: sizeOf(due) }, () => blocker.state) })
}

const GROUPS_AT_ONCE = 4
