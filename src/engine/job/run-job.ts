import type { Stream } from '../../core/declare/stream.ts'
import {
  hasIdleApproval,
  spendApproval,
  trippedInChain,
} from '../../warehouse/ledgers/deletion-guard.ts'
import { sliceHistories } from '../../warehouse/ledgers/slice-histories.ts'
import { countPresent } from '../../warehouse/load/count-present.ts'
import { parentRows } from '../../warehouse/load/parent-rows.ts'
import { checkDeletions } from '../deletions/check-deletions.ts'
import { planFanOut } from '../plan/plan-fan-out.ts'
import { type PlannedGroup, planStream } from '../plan/plan-stream.ts'
import { slicesOf } from '../run/open-context.ts'
import { inTransaction, retryDatabase } from '../run/retry-database.ts'
import type { PlanDeps, RunContext } from '../run/run-context.ts'
import { runLimited } from '../run/run-limited.ts'
import type { RunResult } from '../run/run-types.ts'
import { newReading, type SliceReading } from '../run/slice-reading.ts'
import { blocksStream, type GroupRead, readGroup } from '../sync/read-group.ts'
import { reportTimeless, type TimelessRows, timelessRows } from '../sync/timeless-rows.ts'
import { type Lists, listsOf, noteAbsent, reportAbsent } from './absent-lists.ts'
import { dropOrphans } from './drop-orphans.ts'
import { learnWindowWay, mayCross } from './month-windows.ts'
import { readingMarks } from './reading-marks.ts'
import { refusals } from './refusals.ts'
import { reportLapsed } from './report-lapsed.ts'
import { reportWords } from './report-words.ts'
import { withheldGroups } from './withheld-groups.ts'

export interface JobWork {
  streams: readonly Stream[]
  /** Runs after each few lists whose parents expire within a week, before others are asked for. */
  onExpiring?: (() => Promise<unknown>) | undefined
}

/** Reads all that is due of a job's streams, parents before the streams that fan out from them. */
export async function runJob(
  run: RunContext,
  { streams, onExpiring }: JobWork,
  result: RunResult,
): Promise<void> {
  const steady = new Map<Stream, number>()
  for (const stream of streams) {
    if (stream.sync.kind === 'nested') continue
    await dropOrphans(run, stream)
    const way = await learnWindowWay(run, stream)
    const read = async (unproven: boolean): Promise<StreamEnd> => {
      const { groups: due, lists } = await retryDatabase(run, () => dueWork(run, stream))
      const groups = unproven ? due.map((group) => ({ ...group, unproven: true as const })) : due
      for (const group of groups) run.progress(stream, { planned: group.slices.length })
      const end = await runStream(run, { stream, groups, lists, result, onExpiring })
      await reportAbsent(run, stream, lists)
      return end
    }
    const { held, outside, blocked } = await read(way === 'neither')
    if (held !== undefined) steady.set(stream, held)
    // Nothing held before could show it, or what came now shows it.
    const doubtful = way === undefined || (way === 'within' && outside > 0)
    if (doubtful && !blocked && (await learnWindowWay(run, stream, outside)) === 'across')
      await read(false)
    await reportLapsed(run, stream, result)
  }
  for (const stream of streams) await reportWords(run, stream)
  for (const stream of streams)
    await retryDatabase(run, () =>
      completeCounts(run, stream, { result, held: steady.get(stream) }),
    )
  const trippedGuards = await retryDatabase(run, () => trippedInChain(run.warehouse, run))
  for (const stream of streams)
    for (const drop of trippedGuards.filter(({ stream: name }) => name === stream.name))
      run.tripGuard(stream, { missing: drop.missing, owned: drop.owned })
}

type DueScope = Pick<RunContext, 'account' | 'chainRunId' | 'full'> & PlanDeps

/** Which slices of the stream are due now. For a fan-out that is known only once its parent has been read. */
export async function dueGroups(run: DueScope, stream: Stream): Promise<PlannedGroup[]> {
  return (await dueWork(run, stream)).groups
}

async function dueWork(
  run: DueScope,
  stream: Stream,
): Promise<{ groups: PlannedGroup[]; lists: Lists }> {
  const scope = { account: run.account, stream: stream.name, chainRunId: run.chainRunId }
  const histories = await sliceHistories(run.warehouse, scope)
  const { clock, chainRunId, full, historyDays, withoutTrash } = run
  const crossMonths = mayCross(run, stream)
  const reach = { historyDays, withoutTrash, crossMonths }
  const facts = { nowMs: clock.now(), chainRunId, histories, full, ...reach }
  const { sync } = stream
  const scoped = { account: run.account, stream }
  const parents =
    sync.kind === 'fan-out' ? await parentRows(run.warehouse, { ...scoped, sync }) : []
  const lists = listsOf(stream, parents, histories)
  if (sync.kind !== 'fan-out') return { groups: planStream(stream, facts), lists }
  return { groups: planFanOut(stream, parents, facts), lists }
}

interface StreamEnd {
  /** How many rows the table began with, if one group owns all of them and none came. */
  held: number | undefined
  /** Records outside the ranges that were asked for. */
  outside: number
  /** Something stopped it before its end. */
  blocked: boolean
}

interface StreamWork extends Pick<JobWork, 'onExpiring'> {
  stream: Stream
  groups: readonly PlannedGroup[]
  lists: Lists
  result: RunResult
}

/**
 * Returns how many rows the stream began with, if one group owns all of them and none came. To count a
 * million rows again would take as long as reading a tenth of them.
 */
async function runStream(
  run: RunContext,
  { stream, groups, lists, result, onExpiring }: StreamWork,
): Promise<StreamEnd> {
  let blocker: SliceReading | undefined
  const marks = readingMarks()
  const refused = refusals()
  const withheld = withheldGroups(stream, groups)
  const waiting: PlannedGroup[] = []
  let calm = true
  let came = false
  let held: number | undefined
  let timeless: Promise<TimelessRows | undefined> | undefined
  const tell = (readings: readonly SliceReading[]): void => {
    blocker ??= readings.find(blocksStream)
    const slices = slicesOf(result, stream)
    for (const { state } of readings) slices[COUNTED[state]]++
    marks.note(readings)
    refused.note(readings)
    noteAbsent(stream, lists, readings)
    run.progress(stream, { slices: readings.length })
  }
  const settle = async (groupRead: GroupRead): Promise<void> => {
    const { readings, whole } = await checkDeletions(run, groupRead)
    calm &&= whole
    came ||= readings.some(({ fresh }) => fresh > 0)
    if (groupRead.group.owned.kind === 'all') held = groupRead.table.loaded
    tell(readings)
  }
  const read = async (group: PlannedGroup): Promise<void> => {
    blocker ??= brokenOff(run, group)
    if (blocker !== undefined) return tell(leftUnread(group, blocker))
    if (withheld.doubtful()) return void waiting.push(group)
    if (group.owned.kind === 'windows') timeless ??= timelessRows(run, stream)
    const groupRead = await readGroup(run, group, await timeless)
    if (!withheld.keeps(groupRead)) await settle(groupRead)
    if (groupRead.ended !== undefined) throw groupRead.ended
  }
  const readAll = (some: readonly PlannedGroup[]) => runLimited(some, GROUPS_AT_ONCE, read)
  // Incremental reads first: a window that is read after them shows what is newer.
  await readAll(groups.filter(({ incremental }) => incremental === true))
  const expiring = groups.filter((group) => group.expiring === true)
  if (onExpiring === undefined) await readAll(expiring)
  else
    for (const group of expiring) {
      await readAll([group])
      await onExpiring()
    }
  await readAll(groups.filter((group) => group.incremental !== true && group.expiring !== true))
  // A group that was under way got an answer for some list after all.
  if (!withheld.doubtful()) await readAll(waiting.splice(0))
  for (const groupRead of withheld.decided()) await settle(groupRead)
  await readAll(waiting)
  for (const remark of marks.remarks(stream)) run.problem(remark, false)
  reportTimeless(run, stream, await timeless)
  refused.tell(run, stream)
  if (calm && blocker === undefined) await endApprovals(run, stream)
  return { held: came ? undefined : held, outside: marks.outside(), blocked: blocker !== undefined }
}

/** Nothing is missing that an approval is for: it is not kept for a later drop. */
async function endApprovals(run: RunContext, stream: Stream): Promise<void> {
  const { warehouse, account, runId, chainRunId } = run
  const scope = { account, stream, runId }
  if (await retryDatabase(run, () => hasIdleApproval(warehouse, { ...scope, chainRunId })))
    await inTransaction(run, (tx) => spendApproval(tx, scope))
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

/** Unchanged rows of a nested stream are those that its parents kept: they are counted, not read. */
async function completeCounts(
  run: RunContext,
  stream: Stream,
  { result, held }: { result: RunResult; held: number | undefined },
): Promise<void> {
  const table = result.tables[stream.name]
  if (table === undefined) return
  const steady = table.inserted + table.deleted === 0 ? held : undefined
  const present = steady ?? (await countPresent(run.warehouse, { account: run.account, stream }))
  table.present = present
  if (stream.sync.kind === 'nested')
    table.unchanged = Math.max(0, present - table.inserted - table.updated)
}

const GROUPS_AT_ONCE = 4
const COUNTED = {
  complete: 'complete',
  failed: 'failed',
  not_allowed: 'notAllowed',
  not_read: 'notRead',
} as const
