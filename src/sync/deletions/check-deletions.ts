import type { Stream } from '../../core/define/stream.ts'
import { point } from '../../core/kill-point.ts'
import { joinKey } from '../../core/records/record-key.ts'
import { addCounts, noCounts, takenIn } from '../../core/records/row-batch.ts'
import { SLICES } from '../../core/records/statement.ts'
import { counted } from '../../core/values/quantities.ts'
import { addVouched } from '../../evidence/add-entries.ts'
import { signsEvidence } from '../../evidence/signs-evidence.ts'
import { lockManifest } from '../../evidence/sql/manifest.ts'
import { batchFact } from '../../evidence/statement-facts.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { settlePart } from '../../warehouse/keep-out/row-parts.ts'
import { markDeleted } from '../../warehouse/load/mark-deleted.ts'
import { recordSlices, type SliceEntry } from '../ledger/coverage.ts'
import { keepsCandidates, updateCandidates } from '../ledger/deletion-candidates.ts'
import { spendApproval, tripGuard } from '../ledger/deletion-guard.ts'
import { batchTransaction } from '../read/batch-transaction.ts'
import { withServed } from '../read/ignored-windows.ts'
import type { GroupRead } from '../read/read-group.ts'
import type { RunContext } from '../run/run-context.ts'
import { isWhole, type SliceReading } from '../run/slice-reading.ts'
import { askDetails } from './ask-details.ts'
import { both, isUsable, type Keys, reportDoubted, sortMissing } from './missing-rows.ts'
import { readAgain } from './read-again.ts'
import { restateRelease } from './restate-release.ts'
import { reportEmptyPart, reportHeldPart, withLeft, withoutLeft } from './rows-left.ts'
import { checkBySecondRead } from './second-read.ts'
import { entriesOf } from './slice-entries.ts'
import { type Judged, NOTHING, type Verdict } from './verdict.ts'
import { dueInLists, isSealed, widen } from './widen-group.ts'

/** The rows that a complete read of a group did not show, with the guard's verdict. */
export interface JudgedDrop {
  missing: Keys
  drop: 'free' | 'approved' | 'held'
}

/**
 * Decides which missing rows of a group are deleted, marks them, and records the group's slices in the
 * ledger, in one transaction. If a slice failed, no row is deleted (in a fan-out, none of that slice). If a
 * record was quarantined (it may be the missing row) or a list showed a row twice, only a detail call proves
 * a deletion. `whole` is true if all readings are whole, no row's state is unknown, and no drop waits for an
 * approval or used one.
 */
export async function checkDeletions(
  run: RunContext,
  first: GroupRead,
  judged: JudgedDrop = { missing: [], drop: 'free' },
): Promise<Pick<GroupRead, 'readings'> & { whole: boolean }> {
  const { groupRead, verdict = NOTHING } = await checkMissing(run, first, judged)
  reportEmptyPart(run, groupRead)
  const { group, table } = groupRead
  const { hidden } = verdict
  const readings = withServed(
    group,
    hidden.length > 0 ? failHidden(run, groupRead, hidden.length) : groupRead.readings,
  )
  // The slices stay due if rows could not be requested, or rows of an approved drop await a later read.
  const awaited = verdict.unasked === true || (verdict.approved && verdict.candidates.length > 0)
  const children = run.deletedWith(group.stream)
  const scope = { account: run.account, runId: run.runId, stream: group.stream }
  const counts = await batchTransaction(run, group.stream, async (tx, _client, batch) => {
    await point('delete:before')
    const of = { ...scope, owned: group.owned, children }
    const marked = await markDeleted(tx, { ...of, end: 'deleted' }, verdict.deleted)
    addCounts(marked, await markDeleted(tx, { ...of, end: 'left' }, verdict.left))
    await point('delete:after')
    // A row that even a partial read showed is no longer a candidate.
    if (keepsCandidates(group.stream)) await updateCandidates(tx, scope, { ...verdict, table })
    await point('ledger:before')
    const deleted = marked.get(group.stream.name)?.deleted ?? 0
    const entries = entriesOf(run, { group, readings }, { deleted, awaited })
    await enterSlices(tx, run, { batch, stream: group.stream, entries })
    await point('ledger:after')
    const isSpent = verdict.approved && verdict.deleted.length + verdict.left.length > 0
    if (isSpent) await spendApproval(tx, scope)
    const isRead = group.owned.kind === 'all' && readings.every(({ state }) => state === 'complete')
    if (isRead && verdict.tripped === undefined) await settlePart(tx, run.account, group.stream)
    if (verdict.tripped !== undefined) {
      await tripGuard(tx, { ...scope, ...verdict.tripped })
      await restateRelease(tx, run, group.stream)
      // Records an empty batch, so that a retry after a lost response does not add the drop again.
      marked.set(group.stream.name, noCounts())
    }
    return marked
  })
  if (verdict.tripped !== undefined) run.tripGuard(group.stream, verdict.tripped)
  for (const stream of [group.stream, ...children])
    run.count(stream, takenIn(counts.get(stream.name)))
  for (const { unchanged, ignored, quarantined, refused, apart: outside } of readings)
    run.count(group.stream, { unchanged, ignored, outside, quarantined: quarantined + refused })
  const calm = verdict.tripped === undefined && verdict.unasked !== true && !verdict.approved
  return { readings, whole: calm && readings.every(isWhole) }
}

async function checkMissing(
  run: RunContext,
  groupRead: GroupRead,
  { missing: all, drop }: JudgedDrop,
): Promise<Judged> {
  const { stream } = groupRead.group
  const { deletions: rule } = stream
  if (rule.by === 'never' || rule.by === 'parent' || all.length === 0) return { groupRead }
  const { left, missing } = withoutLeft(groupRead, all)
  // A read that trips the guard still counts as the first of two reads.
  if (drop === 'held') {
    const waits = rule.by === 'second-read' && rule.afterMs > 0
    const candidates = waits ? sortMissing(groupRead, missing).proven : []
    const tripped = { missing: all.length, owned: groupRead.table.loaded }
    reportHeldPart(run, groupRead, left)
    return { groupRead, verdict: { ...NOTHING, tripped, candidates } }
  }
  const judged: Judged =
    missing.length === 0
      ? { groupRead, verdict: NOTHING }
      : rule.by === 'detail'
        ? await checkByDetail(run, groupRead, missing)
        : await checkBySecondRead(run, groupRead, { missing, afterMs: rule.afterMs })
  const { verdict, ...read } = withLeft(judged, left)
  return { ...read, verdict: verdict && { ...verdict, approved: drop === 'approved' } }
}

/**
 * Requests each missing row by its detail call. If the call shows the row, the lists are read once more: the
 * row may have moved between two slices. A row reported as deleted is deleted, unless it may be in a list
 * that the call does not cover (the trash). A row with a hashed key cannot be requested. It is deleted if a
 * second read of the lists lacks it too. A list with a quarantined record never counts as complete.
 */
async function checkByDetail(
  run: RunContext,
  groupRead: GroupRead,
  missing: Keys,
): Promise<Judged> {
  const { stream } = groupRead.group
  const { doubted } = sortMissing(groupRead, missing, isUsable)
  const { deleted: unknown, found, nameless, whole } = await askDetails(run, stream, missing)
  const { proven: deleted, doubted: elsewhere } = hasOtherLists(stream)
    ? sortMissing(groupRead, unknown)
    : { proven: unknown, doubted: [] }
  const nothing: Verdict = whole && elsewhere.length === 0 ? NOTHING : { ...NOTHING, unasked: true }
  const listed = found.filter(({ record }) => !isSealed(run, groupRead, record))
  if (listed.length === 0 && nameless.length === 0) {
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
  const { proven, doubted: open } = sortMissing(read.groupRead, both(nameless, again))
  const twice = both(proven, sortMissing(groupRead, nameless).proven)
  const isOpen = open.length > 0 || twice.length < proven.length
  const gone = [...both(deleted, unseen), ...twice]
  return {
    ...read,
    verdict: { ...(isOpen ? { ...nothing, unasked: true } : nothing), deleted: gone, hidden },
  }
}

function failHidden(
  run: RunContext,
  { group: { stream }, readings }: GroupRead,
  hidden: number,
): SliceReading[] {
  run.problem(
    `${stream.name}: no list contains ${counted(hidden, 'record')} whose details the service still returns`,
    true,
    stream,
  )
  return readings.map((reading) => ({ ...reading, state: 'failed' }))
}

/** Whether records may be in lists that their detail call does not cover. */
function hasOtherLists({ sync }: Stream): boolean {
  return sync.kind === 'windows' && sync.besides !== undefined
}

interface EnteredSlices {
  /** The number of the slices' batch in the run. */
  batch: number
  stream: { name: string }
  entries: readonly SliceEntry[]
}

/**
 * Records slices of one stream. If evidence is kept, the same transaction states them in the manifest,
 * vouched for with the key: no recorded slice lacks a statement, and write access to the database alone is
 * not enough to make one.
 */
async function enterSlices(
  tx: Transaction,
  run: Pick<RunContext, 'account' | 'runId' | 'archive' | 'evidence'>,
  { batch, stream, entries }: EnteredSlices,
): Promise<void> {
  const { account, runId } = run
  const signing = await signsEvidence(tx, run)
  if (signing === undefined) {
    await recordSlices(tx, { account, runId }, entries)
    return
  }
  // Locked before the rows: an erasure takes the two locks in this order.
  await lockManifest(tx, account)
  const recorded = await recordSlices(tx, { account, runId, batch }, entries)
  if (recorded.length === 0) return
  const named = recorded.map(({ slice, leaf }) => ({ name: Buffer.from(slice), leaf }))
  // In the order of the database: by their bytes.
  named.sort((a, b) => Buffer.compare(a.name, b.name))
  const leaves = Buffer.concat(named.map(({ leaf }) => leaf))
  const subject = `${SLICES}/${stream.name}/${runId}/${batch}`
  const vouching = { account, key: signing.key, basis: `run ${runId}` }
  await addVouched(tx, vouching, [batchFact({ subject, leaves })])
}
