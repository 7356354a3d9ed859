import { point } from '../../core/point.ts'
import { noCounts } from '../../core/records/load.ts'
import { joinKey } from '../../core/records/record-key.ts'
import { recordSlices } from '../../warehouse/ledgers/coverage.ts'
import {
  brakeMarking,
  keepsSuspects,
  spendRelease,
  suspectsOf,
  updateSuspects,
} from '../../warehouse/ledgers/suspects.ts'
import { markGone } from '../../warehouse/load/mark-gone.ts'
import { batchTransaction, retryDatabase } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'
import { isWhole, type SliceReading } from '../run/slice-reading.ts'
import { type GroupReading, readSlices } from '../sync/read-slices.ts'
import { confirmGone } from './confirm-gone.ts'
import { judgeFall } from './judge-fall.ts'
import {
  answeredFor,
  both,
  findMissing,
  isUsable,
  type Keys,
  sortMissing,
  tellDoubted,
} from './missing-rows.ts'
import { entriesOf } from './slice-entries.ts'
import { dueInLists, isSealed, widen } from './widen-group.ts'

interface Verdict {
  gone: Keys
  /** Missed once; a later complete reading confirms. */
  suspects: Keys
  /** Exist by their detail call, and yet no list showed them twice. */
  hidden: Keys
  /** Some were not asked for, or not told from what was set aside: nothing is known of them yet. */
  unasked?: true
  /** A person let the fall pass. */
  released: boolean
  /** A fall past the limit, that nobody let pass. */
  braked?: { missing: number; owned: number }
}

/**
 * Judges what a whole reading of the group did not show, and enters its slices in the coverage, in one
 * transaction. Nothing is judged when a slice failed; nothing but a detail call proves a row to be gone where
 * a record was set aside, which may be that row, or where a list showed others twice.
 * True when all was read, and no fall waits for a person or was let pass by one.
 */
export async function settleGroup(run: RunContext, taking: GroupReading): Promise<boolean> {
  const verdict = (await judgeMissing(run, taking)) ?? NOTHING
  if (verdict.hidden.length > 0) failHidden(run, taking, verdict.hidden.length)
  const { group, table } = taking
  // Of a fall that was let pass some rows are not missed for long enough: the slices stay due, as for these.
  const awaited = verdict.unasked === true || (verdict.released && verdict.suspects.length > 0)
  const children = run.goneWith(group.stream)
  const scope = { account: run.account, runId: run.runId, stream: group.stream }
  const counts = await batchTransaction(run, group.stream, async (tx) => {
    await point('gone:before')
    const marked = await markGone(tx, { ...scope, owned: group.owned, children }, verdict.gone)
    await point('gone:after')
    // What even half a reading showed is suspected no longer.
    if (keepsSuspects(group.stream)) await updateSuspects(tx, scope, { ...verdict, table })
    await point('ledger:before')
    const gone = marked.get(group.stream.name)?.gone ?? 0
    await recordSlices(tx, run, entriesOf(run, taking, { gone, awaited }))
    await point('ledger:after')
    if (verdict.released && verdict.gone.length > 0) await spendRelease(tx, scope)
    if (verdict.braked !== undefined) {
      await brakeMarking(tx, { ...scope, ...verdict.braked })
      // The sums of a brake grow, so this must not be done twice: the entry of a batch of nothing sees to it.
      marked.set(group.stream.name, noCounts())
    }
    return marked
  })
  if (verdict.braked !== undefined) run.brake(group.stream, verdict.braked)
  for (const stream of [group.stream, ...children])
    run.count(stream, { gone: counts.get(stream.name)?.gone ?? 0 })
  for (const { unchanged, ignored, quarantined, refused } of taking.readings)
    run.count(group.stream, { unchanged, ignored, quarantined: quarantined + refused })
  const settled = verdict.braked === undefined && verdict.unasked !== true && !verdict.released
  return settled && taking.readings.every(isWhole)
}

async function judgeMissing(run: RunContext, taking: GroupReading): Promise<Verdict | undefined> {
  const { stream } = taking.group
  if (stream.gone.by === 'never' || stream.gone.by === 'parent' || !answeredFor(taking))
    return undefined
  const first = await findMissing(run, taking)
  if (first.length === 0) return undefined
  const fall = await judgeFall(run, taking, first.length)
  // A reading that pulled the brake counts as the first of two all the same.
  if (typeof fall === 'object')
    return {
      ...NOTHING,
      braked: fall,
      suspects: keepsSuspects(stream) ? sortMissing(taking, first).proven : [],
    }
  const verdict =
    stream.gone.by === 'detail'
      ? await judgeByDetail(run, taking, first)
      : await judgeByReading(run, taking, { missing: first, afterMs: stream.gone.afterMs })
  return verdict && { ...verdict, released: fall === 'released' }
}

/**
 * What the detail call still answers is read once more: it may have moved between two slices while they
 * were read. What it says is gone is gone, but beside what was set aside a list is not believed to be whole.
 */
async function judgeByDetail(
  run: RunContext,
  taking: GroupReading,
  missing: Keys,
): Promise<Verdict | undefined> {
  const { doubted } = sortMissing(taking, missing, isUsable)
  const { gone, found, whole } = await confirmGone(run, taking.group.stream, missing)
  const nothing: Verdict = whole ? NOTHING : { ...NOTHING, unasked: true }
  const listed = found.filter(({ record }) => !isSealed(run, taking, record))
  if (listed.length === 0) {
    tellDoubted(run, taking, both(gone, doubted))
    return { ...nothing, gone }
  }
  await widen(run, taking, listed)
  const again = await readAgain(run, taking, missing)
  if (again === undefined) return undefined
  const unseen = both(missing, again)
  tellDoubted(run, taking, both(unseen, doubted))
  const names = new Set(unseen.map(joinKey))
  const hidden = listed.filter(({ key }) => names.has(joinKey(key)))
  return {
    ...nothing,
    gone: both(gone, unseen),
    hidden: dueInLists(run, taking, hidden).map(({ key }) => key),
  }
}

async function judgeByReading(
  run: RunContext,
  taking: GroupReading,
  { missing, afterMs }: { missing: Keys; afterMs: number },
): Promise<Verdict | undefined> {
  const first = sortMissing(taking, missing)
  if (afterMs === 0) {
    const again = await readAgain(run, taking, missing)
    if (again === undefined) return undefined
    const second = sortMissing(taking, both(missing, again))
    const doubted = [...second.doubted, ...both(second.proven, first.doubted)]
    return { ...doubts(run, taking, doubted), gone: both(second.proven, first.proven) }
  }
  const { account, warehouse } = run
  const { stream } = taking.group
  const known = await retryDatabase(run, () => suspectsOf(warehouse, { account, stream }))
  // A reading may take long: it counts from its first request, the one before to its commit.
  const beganMs = Math.min(...taking.readings.map(({ requestedAtMs }) => requestedAtMs))
  const ripe = (key: string[]): boolean => {
    const sinceMs = known.get(joinKey(key))
    return sinceMs !== undefined && beganMs - sinceMs >= afterMs
  }
  const suspects = first.proven.filter((key) => !ripe(key))
  return {
    ...doubts(run, taking, first.doubted),
    gone: first.proven.filter(ripe),
    suspects,
  }
}

function doubts(run: RunContext, taking: GroupReading, doubted: Keys): Verdict {
  tellDoubted(run, taking, doubted)
  return doubted.length === 0 ? NOTHING : { ...NOTHING, unasked: true }
}

/**
 * A second complete reading of the group's slices, or of those alone whose own list missed something;
 * undefined when it was not whole.
 */
async function readAgain(
  run: RunContext,
  taking: GroupReading,
  missing: Keys,
): Promise<Keys | undefined> {
  const { group, readings: first } = taking
  const parents = new Set(missing.map(([parent]) => parent))
  const slices =
    group.owned.kind === 'parents'
      ? group.slices.filter(({ parent }) => parents.has(parent?.[0]))
      : group.slices
  const second: GroupReading = { ...taking, group: { ...group, slices }, readings: [] }
  taking.table.forgetSeen()
  await readSlices(run, second)
  const again = new Map(second.readings.map((reading) => [reading.slice, reading]))
  for (const reading of first) carryOver(reading, again.get(reading.slice))
  taking.readings = [...first.filter(({ slice }) => !again.has(slice)), ...second.readings]
  return answeredFor(second) === undefined ? undefined : await findMissing(run, second)
}

/** The ledger tells what the group's readings did together: a row is new only once. */
function carryOver(first: SliceReading, again: SliceReading | undefined): void {
  if (again === undefined) return
  const { fresh, changed, nested, refused } = first
  again.nested += nested
  // The second reading finds unchanged what the first one took, or what the database refused of it.
  again.unchanged = Math.max(0, again.unchanged - fresh - changed - refused)
  again.refused += refused
  again.fresh += fresh
  again.changed += changed
}

function failHidden(run: RunContext, { group, readings }: GroupReading, hidden: number): void {
  run.problem(
    `${group.stream.name}: ${hidden} records exist by their detail call, but no list showed them`,
    true,
    group.stream,
  )
  for (const reading of readings) reading.state = 'failed'
}

const NOTHING: Verdict = { gone: [], suspects: [], hidden: [], released: false }
