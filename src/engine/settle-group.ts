import { recordSlices } from '../warehouse/coverage.ts'
import { missingKeys } from '../warehouse/fingerprints.ts'
import { markGone } from '../warehouse/mark-gone.ts'
import { brakeMarking, brakeReleased, suspectsOf, updateSuspects } from '../warehouse/suspects.ts'
import { inTransaction } from './retry-database.ts'
import { confirmGone } from './confirm-gone.ts'
import { widen } from './widen-group.ts'
import { type GroupReading, readSlices } from './read-slices.ts'
import type { RunContext } from './run-context.ts'
import { entriesOf } from './slice-entries.ts'
import type { SliceReading } from './slice-reading.ts'

type Keys = string[][]

interface Verdict {
  gone: Keys
  /** Missed once; a later complete reading confirms. */
  suspects: Keys
  /** Exist by their detail call, and yet no list showed them twice. */
  hidden: Keys
}

/**
 * Judges what a whole reading of the group did not show, and enters its slices in the coverage, in one
 * transaction. Nothing is judged when a slice failed or a record without a key could be the missing one.
 */
export async function settleGroup(run: RunContext, taking: GroupReading): Promise<void> {
  const verdict = (await judgeMissing(run, taking)) ?? { gone: [], suspects: [], hidden: [] }
  if (verdict.hidden.length > 0) failHidden(run, taking, verdict.hidden.length)
  const { group, table } = taking
  const judged = taking.readings.every((reading) => reading.state === 'complete')
  const cuts = run.cutsOf(group.stream)
  const counts = await inTransaction(run, async (tx) => {
    const marked = await markGone(
      tx,
      { ...group, account: run.account, runId: run.runId, cuts },
      verdict.gone,
    )
    if (judged && group.stream.gone.by === 'second-reading')
      await updateSuspects(
        tx,
        { account: run.account, runId: run.runId, stream: group.stream },
        {
          suspects: verdict.suspects,
          table,
        },
      )
    await recordSlices(tx, run, entriesOf(run, taking, marked.get(group.stream.name) ?? 0))
    return marked
  })
  for (const stream of [group.stream, ...cuts])
    run.count(stream, { gone: counts.get(stream.name) ?? 0 })
  for (const { unchanged, ignored, quarantined } of taking.readings)
    run.count(group.stream, { unchanged, ignored, quarantined })
}

async function judgeMissing(run: RunContext, taking: GroupReading): Promise<Verdict | undefined> {
  const { stream } = taking.group
  if (stream.gone.by === 'never' || stream.gone.by === 'parent' || !wholeReading(taking))
    return undefined
  const first = await findMissing(run, taking)
  if (first.length === 0) return undefined
  if (await braked(run, taking, first.length)) return undefined
  return stream.gone.by === 'detail'
    ? await judgeByDetail(run, taking, first)
    : await judgeByReading(run, taking, { missing: first, afterMs: stream.gone.afterMs })
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
  const { gone, found } = await confirmGone(run, taking.group.stream, missing)
  if (found.length === 0) return { gone, suspects: [], hidden: [] }
  await widen(run, taking, found)
  const again = await readAgain(run, taking)
  if (again === undefined) return undefined
  const names = new Set(again.map(nameOf))
  return {
    gone: gone.filter((key) => names.has(nameOf(key))),
    suspects: [],
    hidden: found.map(({ key }) => key).filter((key) => names.has(nameOf(key))),
  }
}

async function judgeByReading(
  run: RunContext,
  taking: GroupReading,
  { missing, afterMs }: { missing: Keys; afterMs: number },
): Promise<Verdict | undefined> {
  if (afterMs === 0) {
    const again = await readAgain(run, taking)
    if (again === undefined) return undefined
    const names = new Set(missing.map(nameOf))
    return { gone: again.filter((key) => names.has(nameOf(key))), suspects: [], hidden: [] }
  }
  const { account, warehouse } = run
  const known = await suspectsOf(warehouse, { account, stream: taking.group.stream })
  const ripe = (key: string[]): boolean => {
    const sinceMs = known.get(nameOf(key))
    return sinceMs !== undefined && run.clock.now() - sinceMs >= afterMs
  }
  return { gone: missing.filter(ripe), suspects: missing.filter((key) => !ripe(key)), hidden: [] }
}

/** A second complete reading of the group's slices; undefined when it was not whole. */
async function readAgain(run: RunContext, taking: GroupReading): Promise<Keys | undefined> {
  const first = taking.readings
  taking.table.forgetSeen()
  await readSlices(run, taking)
  carryOver(first, taking.readings)
  return wholeReading(taking) ? await findMissing(run, taking) : undefined
}

/** The ledger tells what the group's readings did together: a row is new only once. */
function carryOver(first: readonly SliceReading[], again: readonly SliceReading[]): void {
  for (const [at, { fresh, changed }] of first.entries()) {
    const reading = again[at]
    if (reading === undefined) continue
    reading.unchanged = Math.max(0, reading.unchanged - fresh - changed)
    reading.fresh += fresh
    reading.changed += changed
  }
}

function wholeReading({ readings }: GroupReading): boolean {
  return readings.every((reading) => reading.state === 'complete' && reading.quarantined === 0)
}

async function findMissing(run: RunContext, { group, table }: GroupReading): Promise<Keys> {
  if (table.countMissing() === 0) return []
  const { stream, owned } = group
  const expiresAt = stream.gone.by === 'detail' ? stream.gone.expiresAt : undefined
  const scope = { account: run.account, stream, owned }
  return await missingKeys(
    run.warehouse,
    { ...scope, ...(expiresAt === undefined ? {} : { expiresAt }) },
    table,
  )
}

/** A fall past the limit, or to nothing at all, waits for a person. */
async function braked(
  run: RunContext,
  { group, table, readings }: GroupReading,
  missing: number,
): Promise<boolean> {
  const owned = table.size - readings.reduce((sum, reading) => sum + reading.fresh, 0)
  const { share, rows } = run.goneLimit
  const emptied = group.owned.kind === 'all' && missing === owned && owned > 1
  if (!emptied && (missing <= rows || missing <= share * owned)) return false
  const scope = { account: run.account, runId: run.runId, stream: group.stream }
  if (await brakeReleased(run.warehouse, { ...scope, missing })) return false
  await brakeMarking(run.warehouse, { ...scope, missing, owned })
  run.brake(group.stream, { missing, owned })
  return true
}

function failHidden(run: RunContext, { group, readings }: GroupReading, hidden: number): void {
  run.problem(
    `${group.stream.name}: ${hidden} records exist by their detail call, but no list showed them`,
    true,
  )
  for (const reading of readings) reading.state = 'failed'
}

function nameOf(key: readonly string[]): string {
  return key.join('\u001f')
}
