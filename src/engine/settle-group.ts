import { noCounts, type Owned } from '../core/load.ts'
import { meansGone } from '../core/means-gone.ts'
import { joinKey } from '../core/record-key.ts'
import { point } from '../core/point.ts'
import { recordSlices } from '../warehouse/coverage.ts'
import { missingKeys } from '../warehouse/fingerprints.ts'
import { markGone } from '../warehouse/mark-gone.ts'
import {
  brakeMarking,
  brakeReleased,
  keepsSuspects,
  spendRelease,
  suspectsOf,
  updateSuspects,
} from '../warehouse/suspects.ts'
import { batchTransaction, retryDatabase } from './retry-database.ts'
import { confirmGone } from './confirm-gone.ts'
import { dueInLists, isSealed, widen } from './widen-group.ts'
import { type GroupReading, readSlices } from './read-slices.ts'
import type { RunContext } from './run-context.ts'
import { entriesOf } from './slice-entries.ts'
import { isWhole, type SliceReading } from './slice-reading.ts'

type Keys = string[][]

interface Verdict {
  gone: Keys
  /** Missed once; a later complete reading confirms. */
  suspects: Keys
  /** Exist by their detail call, and yet no list showed them twice. */
  hidden: Keys
  /** Some were not asked for, so that nothing is known of them yet. */
  unasked?: true
  /** A person let the fall pass. */
  released: boolean
  /** A fall past the limit, that nobody let pass. */
  braked?: { missing: number; owned: number }
}

/**
 * Judges what a whole reading of the group did not show, and enters its slices in the coverage, in one
 * transaction. Nothing is judged when a slice failed or a record without a key could be the missing one.
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
  return taking.readings.every(isWhole) && verdict.braked === undefined && !verdict.released
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
    return { ...NOTHING, braked: fall, suspects: keepsSuspects(stream) ? first : [] }
  const verdict =
    stream.gone.by === 'detail'
      ? await judgeByDetail(run, taking, first)
      : await judgeByReading(run, taking, { missing: first, afterMs: stream.gone.afterMs })
  return verdict && { ...verdict, released: fall === 'released' }
}

/**
 * What the detail call still answers is read once more: it may have moved between two slices while they
 * were read.
 */
async function judgeByDetail(
  run: RunContext,
  taking: GroupReading,
  missing: Keys,
): Promise<Verdict | undefined> {
  const { gone, found, whole } = await confirmGone(run, taking.group.stream, missing)
  const nothing: Verdict = whole ? NOTHING : { ...NOTHING, unasked: true }
  const listed = found.filter(({ record }) => !isSealed(run, taking, record))
  if (listed.length === 0) return { ...nothing, gone }
  await widen(run, taking, listed)
  const again = await readAgain(run, taking, missing)
  if (again === undefined) return undefined
  const names = new Set(again.map(joinKey))
  const unseen = listed.filter(({ key }) => names.has(joinKey(key)))
  return {
    ...nothing,
    gone: gone.filter((key) => names.has(joinKey(key))),
    hidden: dueInLists(run, taking, unseen).map(({ key }) => key),
  }
}

async function judgeByReading(
  run: RunContext,
  taking: GroupReading,
  { missing, afterMs }: { missing: Keys; afterMs: number },
): Promise<Verdict | undefined> {
  if (afterMs === 0) {
    const again = await readAgain(run, taking, missing)
    if (again === undefined) return undefined
    const names = new Set(missing.map(joinKey))
    return { ...NOTHING, gone: again.filter((key) => names.has(joinKey(key))) }
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
  const suspects = missing.filter((key) => !ripe(key))
  return { ...NOTHING, gone: missing.filter(ripe), suspects }
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
  const { fresh, changed, nested } = first
  again.nested += nested
  again.unchanged = Math.max(0, again.unchanged - fresh - changed)
  again.fresh += fresh
  again.changed += changed
}

/**
 * The rows that the reading can miss. Lists of single parents stand each for itself: one that was refused, or
 * that may have been cut short, misses nothing; but a detail that is gone is missed, and asked for once more.
 * All other slices of a group answer together or not at all.
 */
function answeredFor({ group, readings }: GroupReading): Owned | undefined {
  if (group.news === true) return undefined
  if (group.owned.kind !== 'parents') return readings.every(isWhole) ? group.owned : undefined
  const { gone, operation } = group.stream
  const answered = ({ error }: SliceReading): boolean =>
    error === undefined || (gone.by === 'detail' && meansGone(operation, error))
  const keys = readings
    .filter((reading) => isWhole(reading) && answered(reading) && !reading.atBound)
    .map(({ slice }) => slice.parent?.[0] ?? '')
  return keys.length === 0 ? undefined : { ...group.owned, keys }
}

async function findMissing(run: RunContext, taking: GroupReading): Promise<Keys> {
  const { group, table } = taking
  const owned = answeredFor(taking)
  if (owned === undefined || table.countMissing() === 0) return []
  const { stream } = group
  const expiresAt = stream.gone.by === 'detail' ? stream.gone.expiresAt : undefined
  const scope = { account: run.account, stream, owned }
  const unexpired = { ...scope, ...(expiresAt === undefined ? {} : { expiresAt }) }
  return await retryDatabase(run, () => missingKeys(run.warehouse, unexpired, table))
}

/**
 * A fall past the limit, or of several rows to nothing at all where no detail call tells better, waits for a
 * person. The list of a single parent, or of the trash, may well come to nothing: for that the limit alone
 * holds, and so it does for one row, the last of many a list that honestly ends.
 */
async function judgeFall(
  run: RunContext,
  { group, table, readings }: GroupReading,
  missing: number,
): Promise<'free' | 'released' | { missing: number; owned: number }> {
  const { stream } = group
  const owned = table.size - readings.reduce((sum, reading) => sum + reading.fresh, 0)
  const { share, rows, own = 0 } = run.goneLimit
  if (missing <= own) return 'free'
  const unproven =
    (group.owned.kind === 'all' && stream.mayBeEmpty !== true) ||
    (group.owned.kind === 'windows' && stream.gone.by === 'second-reading')
  const emptied = unproven && missing === owned && owned > 1
  if (!emptied && (missing <= rows || missing <= share * owned)) return 'free'
  const scope = { account: run.account, runId: run.runId, stream }
  const released = await retryDatabase(run, () =>
    brakeReleased(run.warehouse, { ...scope, chainRunId: run.chainRunId, missing }),
  )
  return released ? 'released' : { missing, owned }
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
