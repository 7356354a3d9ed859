import type { Stream } from '../core/define/stream.ts'
import { runLimited } from '../core/run-limited.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { type Lists, noteAbsent } from './absent-lists.ts'
import { checkDeletions, type JudgedDrop } from './deletions/check-deletions.ts'
import { type IgnoredWindows, ignoredWindows } from './ignored-windows.ts'
import { hasIdleApproval, spendApproval } from './ledger/deletion-guard.ts'
import { monthsShown } from './months-shown.ts'
import type { PlannedGroup, PlannedSlice } from './plan/plan-stream.ts'
import { blocksStream, type GroupRead, readGroup } from './read/read-group.ts'
import { type TimelessRows, timelessRows } from './read/timeless-rows.ts'
import { readingMarks } from './reading-marks.ts'
import type { RunContext } from './run/run-context.ts'
import { newReading, type SliceReading } from './run/slice-reading.ts'
import { streamDrops } from './stream-drops.ts'
import { reportUnread } from './unread-values.ts'
import { withheldGroups } from './withheld-groups.ts'

export interface StreamWork {
  stream: Stream
  groups: readonly PlannedGroup[]
  lists: Lists
  /** Runs after the lists whose parents expire within a week, before others are asked for. */
  onExpiring(): Promise<void>
}

/**
 * Returns how many rows the stream began with, if one group owns all of them and none came. To count a
 * million rows again would take as long as reading a tenth of them.
 */
export async function runStream(
  run: RunContext,
  { stream, groups, lists, onExpiring }: StreamWork,
): Promise<number | undefined> {
  const marks = readingMarks()
  const withheld = withheldGroups(stream, groups)
  const windows = ignoredWindows(run, stream)
  let drops = streamDrops(run, stream, lists)
  const [settled, waiting] = [new Set<PlannedSlice>(), new Array<PlannedGroup>()]
  let [calm, came] = [true, false]
  let [blocker, held]: [SliceReading | undefined, number | undefined] = [undefined, undefined]
  let timeless: Promise<TimelessRows | undefined> | undefined
  const tell = (readings: readonly SliceReading[]): void => {
    blocker ??= readings.find(blocksStream)
    marks.note(readings)
    noteAbsent(stream, lists, readings)
    run.progress(stream, { ended: readings.map(({ state }) => state) })
  }
  const settle = async (groupRead: GroupRead, judged?: JudgedDrop): Promise<void> => {
    const { readings, whole } = await checkDeletions(run, groupRead, judged)
    calm &&= whole
    came ||= readings.some(({ fresh }) => fresh > 0)
    if (groupRead.group.owned.kind === 'all') held = groupRead.table.loaded
    for (const { slice } of readings) settled.add(slice)
    tell(readings)
  }
  const read = async (group: PlannedGroup): Promise<void> => {
    blocker ??= brokenOff(run, group)
    if (blocker !== undefined) return tell(leftUnread(group, blocker))
    if (withheld.doubtful()) return void waiting.push(group)
    const isServed = (): boolean => group.serves === undefined && windows.areIgnored()
    if (isServed()) return
    if (group.owned.kind === 'windows') timeless ??= timelessRows(run, stream)
    const opened = { timeless: await timeless, ...windows }
    const groupRead = await readGroup(run, marks.withDoubt(group), opened)
    if (isServed() && groupRead.ended === undefined) return
    if (!withheld.keeps(groupRead) && !drops.keeps(groupRead)) await settle(groupRead)
    if (groupRead.ended !== undefined) throw groupRead.ended
  }
  const readAll = (some: readonly PlannedGroup[]) => runLimited(some, GROUPS_AT_ONCE, read)
  await readInOrder(groups, { windows, onExpiring, readAll })
  if (windows.areIgnored()) {
    const due = groups.flatMap(({ slices }) => slices).filter((slice) => !settled.has(slice))
    // What windows missed, or could not place, is judged by the list.
    drops = streamDrops(run, stream, lists)
    timeless = undefined
    await readAll(windows.wholeList(due))
  }
  // A group that was under way got an answer for some list after all.
  if (!withheld.doubtful()) await readAll(waiting.splice(0))
  for (const groupRead of withheld.decided()) if (!drops.keeps(groupRead)) await settle(groupRead)
  await readAll(waiting)
  const decided = await drops.decided(await monthsShown(run, stream, { marks, blocker, readAll }))
  await runLimited(decided, GROUPS_AT_ONCE, ({ groupRead, ...judged }) => settle(groupRead, judged))
  for (const remark of marks.remarks(stream)) run.problem(remark, false)
  await reportUnread(run, stream, { marks, timeless: await timeless })
  marks.tellRefusal(run, stream)
  if (calm && blocker === undefined) await endApprovals(run, stream)
  return came ? undefined : held
}

interface ReadingOrder extends Pick<StreamWork, 'onExpiring'> {
  windows: IgnoredWindows
  readAll(groups: readonly PlannedGroup[]): Promise<void>
}

/** The newest two windows first where they show whether the service knows windows. */
async function readInOrder(
  groups: readonly PlannedGroup[],
  { windows, onExpiring, readAll }: ReadingOrder,
): Promise<void> {
  const isWindow = ({ incremental }: PlannedGroup): boolean => incremental !== true
  const newest = windows.onFirstPage === undefined ? [] : groups.filter(isWindow).slice(0, 2)
  for (const group of newest) await readAll([group])
  // Incremental reads before the others: a window that is read after them shows what is newer.
  await readAll(groups.filter((group) => !isWindow(group)))
  const expiring = groups.filter((group) => group.expiring === true)
  await readAll(expiring)
  if (expiring.length > 0) await onExpiring()
  const others = groups.filter((group) => !newest.includes(group) && group.expiring !== true)
  await readAll(others.filter(isWindow))
}

/** Nothing is missing that an approval is for: it is not kept for a later drop. */
async function endApprovals(run: RunContext, stream: Stream): Promise<void> {
  const { warehouse, account, runId, chainRunId } = run
  for (const one of [stream, ...run.cutsOf(stream)]) {
    if (run.doubtedLists.parents(one, 'emptied').length > 0) continue
    const scope = { account, stream: one, runId }
    if (await retryDatabase(run, () => hasIdleApproval(warehouse, { ...scope, chainRunId })))
      await inTransaction(run, (tx) => spendApproval(tx, scope))
  }
}

/** If the service no longer answers, the rest fails as the last one did, without being tried. */
function brokenOff(run: RunContext, { slices }: PlannedGroup): SliceReading | undefined {
  const error = run.breaker.tripped()
  const [slice] = slices
  if (error === undefined || slice === undefined) return undefined
  return { ...newReading(slice), state: 'failed', error }
}

/**
 * What stopped one slice of the stream stops all: each would be refused alike, at the cost of a call.
 */
function leftUnread(group: PlannedGroup, { state, error }: SliceReading): SliceReading[] {
  return group.slices.map((slice) => ({ ...newReading(slice), state, error }))
}

const GROUPS_AT_ONCE = 4
