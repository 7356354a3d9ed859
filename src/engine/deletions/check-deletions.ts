import type { Stream } from '../../core/declare/stream.ts'
import { point } from '../../core/kill-point.ts'
import { joinKey } from '../../core/records/record-key.ts'
import { noCounts } from '../../core/records/row-batch.ts'
import {
  candidatesOf,
  keepsCandidates,
  updateCandidates,
} from '../../warehouse/ledgers/deletion-candidates.ts'
import { spendApproval, tripGuard } from '../../warehouse/ledgers/deletion-guard.ts'
import { markDeleted } from '../../warehouse/load/mark-deleted.ts'
import { enterSlices } from '../manifest/enter-slices.ts'
import { restateRelease } from '../manifest/restate-release.ts'
import { batchTransaction, retryDatabase } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'
import { carriedOver, isWhole, type SliceReading } from '../run/slice-reading.ts'
import { type GroupRead, readSlices } from '../sync/read-group.ts'
import { askDetails } from './ask-details.ts'
import { checkDrop } from './check-drop.ts'
import {
  answeredFor,
  both,
  findMissing,
  isUsable,
  type Keys,
  reportDoubted,
  sortMissing,
} from './missing-rows.ts'
import { entriesOf } from './slice-entries.ts'
import { dueInLists, isSealed, widen } from './widen-group.ts'

interface Verdict {
  deleted: Keys
  /** Missed once; a later complete read decides. */
  candidates: Keys
  /** Their detail call shows them, and yet two reads of the list did not. */
  hidden: Keys
  /** Some could not be asked for, or may be among the quarantined records: nothing is known of them yet. */
  unasked?: true
  /** A person approved the drop. */
  approved: boolean
  /** A drop past the limit that nobody approved. */
  tripped?: { missing: number; owned: number }
}

/** The group as it was read in the end; no verdict if that was not whole. */
interface Judged {
  groupRead: GroupRead
  verdict?: Verdict | undefined
}

/**
 * Decides which rows that a complete read of the group did not show are deleted, and records its slices in
 * the coverage, in one transaction. Nothing is decided when a slice failed. Where a record was quarantined,
 * which may be the missing row, or a list showed others twice, only a detail call proves a deletion.
 * Answers what was read in all; `whole` when that is everything, and no drop waits for a person or was
 * approved by one.
 */
export async function checkDeletions(
  run: RunContext,
  first: GroupRead,
): Promise<Pick<GroupRead, 'readings'> & { whole: boolean }> {
  const { groupRead, verdict = NOTHING } = await checkMissing(run, first)
  const { group, table } = groupRead
  const { hidden } = verdict
  const readings =
    hidden.length > 0 ? failHidden(run, groupRead, hidden.length) : groupRead.readings
  // Some rows of an approved drop have not been missing long enough: their slices stay due.
  const awaited = verdict.unasked === true || (verdict.approved && verdict.candidates.length > 0)
  const children = run.deletedWith(group.stream)
  const scope = { account: run.account, runId: run.runId, stream: group.stream }
  const counts = await batchTransaction(run, group.stream, async (tx, _client, batch) => {
    await point('delete:before')
    const of = { ...scope, owned: group.owned, children }
    const marked = await markDeleted(tx, of, verdict.deleted)
    await point('delete:after')
    // What even half a read showed is no candidate any more.
    if (keepsCandidates(group.stream)) await updateCandidates(tx, scope, { ...verdict, table })
    await point('ledger:before')
    const deleted = marked.get(group.stream.name)?.deleted ?? 0
    const entries = entriesOf(run, { group, readings }, { deleted, awaited })
    await enterSlices(tx, run, { batch, stream: group.stream, entries })
    await point('ledger:after')
    if (verdict.approved && verdict.deleted.length > 0) await spendApproval(tx, scope)
    if (verdict.tripped !== undefined) {
      await tripGuard(tx, { ...scope, ...verdict.tripped })
      await restateRelease(tx, run, group.stream)
      // The sums of a drop grow, so this must not be done twice: the record of an empty batch sees to it.
      marked.set(group.stream.name, noCounts())
    }
    return marked
  })
  if (verdict.tripped !== undefined) run.tripGuard(group.stream, verdict.tripped)
  for (const stream of [group.stream, ...children])
    run.count(stream, { deleted: counts.get(stream.name)?.deleted ?? 0 })
  for (const { unchanged, ignored, quarantined, refused } of readings)
    run.count(group.stream, { unchanged, ignored, quarantined: quarantined + refused })
  const calm = verdict.tripped === undefined && verdict.unasked !== true && !verdict.approved
  return { readings, whole: calm && readings.every(isWhole) }
}

async function checkMissing(run: RunContext, groupRead: GroupRead): Promise<Judged> {
  const { stream } = groupRead.group
  const { deletions: rule } = stream
  if (rule.by === 'never' || rule.by === 'parent' || !answeredFor(groupRead)) return { groupRead }
  const missing = await findMissing(run, groupRead)
  if (missing.length === 0) return { groupRead }
  const drop = await checkDrop(run, groupRead, missing.length)
  // A read that tripped the guard counts as the first of two all the same.
  if (typeof drop === 'object') {
    const candidates = keepsCandidates(stream) ? sortMissing(groupRead, missing).proven : []
    return { groupRead, verdict: { ...NOTHING, tripped: drop, candidates } }
  }
  const { verdict, ...judged } =
    rule.by === 'detail'
      ? await checkByDetail(run, groupRead, missing)
      : await checkBySecondRead(run, groupRead, { missing, afterMs: rule.afterMs })
  return { ...judged, verdict: verdict && { ...verdict, approved: drop === 'approved' } }
}

/**
 * A row that its detail call still shows is looked for once more: it may have moved between two slices while
 * they were read. A row that the call reports as deleted is deleted, unless it may stand in a list whose
 * records the call does not know (the trash). Beside a quarantined record no list is believed to be complete.
 */
async function checkByDetail(
  run: RunContext,
  groupRead: GroupRead,
  missing: Keys,
): Promise<Judged> {
  const { stream } = groupRead.group
  const { doubted } = sortMissing(groupRead, missing, isUsable)
  const { deleted: unknown, found, whole } = await askDetails(run, stream, missing)
  const { proven: deleted, doubted: elsewhere } = hasOtherLists(stream)
    ? sortMissing(groupRead, unknown)
    : { proven: unknown, doubted: [] }
  const nothing: Verdict = whole && elsewhere.length === 0 ? NOTHING : { ...NOTHING, unasked: true }
  const listed = found.filter(({ record }) => !isSealed(run, groupRead, record))
  if (listed.length === 0) {
    reportDoubted(run, groupRead, [...elsewhere, ...both(deleted, doubted)])
    return { groupRead, verdict: { ...nothing, deleted } }
  }
  const group = await widen(run, groupRead, listed)
  const { again, ...read } = await readAgain(run, { ...groupRead, group }, missing)
  if (again === undefined) return read
  const unseen = both(missing, again)
  reportDoubted(run, groupRead, both(unseen, doubted))
  const names = new Set(unseen.map(joinKey))
  const unlisted = listed.filter(({ key }) => names.has(joinKey(key)))
  const hidden = dueInLists(run, groupRead, unlisted).map(({ key }) => key)
  return { ...read, verdict: { ...nothing, deleted: both(deleted, unseen), hidden } }
}

async function checkBySecondRead(
  run: RunContext,
  groupRead: GroupRead,
  { missing, afterMs }: { missing: Keys; afterMs: number },
): Promise<Judged> {
  const first = sortMissing(groupRead, missing)
  if (afterMs === 0) {
    const { again, ...read } = await readAgain(run, groupRead, missing)
    if (again === undefined) return read
    const second = sortMissing(read.groupRead, both(missing, again))
    const doubted = [...second.doubted, ...both(second.proven, first.doubted)]
    const deleted = both(second.proven, first.proven)
    return { ...read, verdict: { ...doubts(run, groupRead, doubted), deleted } }
  }
  const { account, warehouse } = run
  const { stream } = groupRead.group
  const known = await retryDatabase(run, () => candidatesOf(warehouse, { account, stream }))
  // A read may take long: this one counts from its first request, the one before from its commit.
  const beganMs = Math.min(...groupRead.readings.map(({ requestedAtMs }) => requestedAtMs))
  const ripe = (key: string[]): boolean => {
    const sinceMs = known.get(joinKey(key))
    return sinceMs !== undefined && beganMs - sinceMs >= afterMs
  }
  const candidates = first.proven.filter((key) => !ripe(key))
  const deleted = first.proven.filter(ripe)
  return { groupRead, verdict: { ...doubts(run, groupRead, first.doubted), deleted, candidates } }
}

function doubts(run: RunContext, groupRead: GroupRead, doubted: Keys): Verdict {
  reportDoubted(run, groupRead, doubted)
  return doubted.length === 0 ? NOTHING : { ...NOTHING, unasked: true }
}

/**
 * A second complete read of the group's slices, or only of those whose own list missed something. `again` is
 * what it misses, undefined when it was not complete.
 */
async function readAgain(
  run: RunContext,
  groupRead: GroupRead,
  missing: Keys,
): Promise<{ groupRead: GroupRead; again: Keys | undefined }> {
  const { group, readings, ended } = groupRead
  if (ended !== undefined) throw ended
  const parents = new Set(missing.map(([parent]) => parent))
  const slices =
    group.owned.kind === 'parents'
      ? group.slices.filter(({ parent }) => parents.has(parent?.[0]))
      : group.slices
  const reduced = { ...groupRead, group: { ...group, slices } }
  groupRead.table.forgetSeen()
  const second = { ...reduced, ...(await readSlices(run, reduced)) }
  if (second.ended !== undefined) throw second.ended
  const before = new Map(readings.map((reading) => [reading.slice, reading]))
  const sums = second.readings.map((reading) => carriedOver(before.get(reading.slice), reading))
  const twice = new Set(slices)
  const once = readings.filter(({ slice }) => !twice.has(slice))
  return {
    groupRead: { ...groupRead, readings: [...once, ...sums] },
    again: answeredFor(second) === undefined ? undefined : await findMissing(run, second),
  }
}

function failHidden(
  run: RunContext,
  { group: { stream }, readings }: GroupRead,
  hidden: number,
): SliceReading[] {
  run.problem(
    `${stream.name}: ${hidden} records exist by their detail call, but no list showed them`,
    true,
    stream,
  )
  return readings.map((reading) => ({ ...reading, state: 'failed' }))
}

/** Whether records stand in lists that their detail call does not answer for. */
function hasOtherLists({ sync }: Stream): boolean {
  return sync.kind === 'windows' && sync.besides !== undefined
}

const NOTHING: Verdict = { deleted: [], candidates: [], hidden: [], approved: false }
