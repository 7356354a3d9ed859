import type { SliceRequest, Stream } from '../core/define/stream.ts'
import { CallsheetError, isDaySpent } from '../core/errors.ts'
import { joinKey } from '../core/records/record-key.ts'
import { type DropLimits, isLargeDrop } from '../core/values/large-drop.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { parentInstants } from '../warehouse/load/parent-rows.ts'
import {
  countParentLists,
  type ListCounts,
  type ListScope,
  missingLists,
} from './ledger/due-parents.ts'
import { slicesAt } from './plan/slices-at.ts'
import { readOnce } from './read/read-once.ts'
import type { RunContext } from './run/run-context.ts'
import { isAbsent, isTaken, type SliceReading } from './run/slice-reading.ts'

/** Counts of a fan-out stream's lists, and which of them are absent or withdrawn. */
export interface Lists extends ListCounts {
  /** By slice, the parent's key of each list that did not exist in the service's newest response. */
  absent: Map<string, readonly string[]>
  /** The slices of lists that were read before, but to which the newest response denies access. */
  taken: Set<string>
}

export function noLists(): Lists {
  return { count: 0, filled: 0, answered: false, absent: new Map(), taken: new Set() }
}

export async function readLists(warehouse: Warehouse, scope: ListScope): Promise<Lists> {
  const counts = await countParentLists(warehouse, scope)
  const missing = await missingLists(warehouse, scope)
  const absent = new Map(missing.flatMap((list) => (list.absent ? [[list.slice, list.key]] : [])))
  const taken = new Set(missing.flatMap((list) => (list.taken ? [list.slice] : [])))
  return { ...counts, absent, taken }
}

export function noteAbsent(
  stream: Stream,
  { absent, taken }: Lists,
  readings: readonly SliceReading[],
): void {
  for (const reading of readings) {
    const { request, parent } = reading.slice
    if (reading.state !== 'complete') continue
    absent.delete(request.slice)
    taken.delete(request.slice)
    if (isAbsent(stream, reading)) absent.set(request.slice, parent ?? [])
    if (isTaken(stream, reading)) taken.add(request.slice)
  }
}

/**
 * Makes the run incomplete if many lists are absent or withdrawn: the requests, the service or the account's
 * permission are then probably at fault. A few lists may be late, just deleted or just withdrawn. An absent
 * list whose parent is no longer listed does not count.
 */
export async function reportAbsent(run: RunContext, stream: Stream, lists: Lists): Promise<void> {
  const { absent, taken, count } = lists
  const isTooMany = (missing: number): boolean => isLargeDrop(missing, count, run.absentLimit)
  const report = (text: string, blocking: true | 'for a person'): void =>
    run.problem(`${stream.name}: ${text}`, blocking, stream)
  if (isTooMany(taken.size)) report(takenText(taken.size, count), 'for a person')
  if (!isTooMany(absent.size)) return
  const missing = await stillListed(run, stream, [...absent.values()])
  if (isTooMany(missing)) report(absentText(missing, count), true)
}

export function absentText(missing: number, count: number): string {
  return (
    `${missing} of ${count} lists are missing or not allowed, although the service lists their parents, ` +
    'so their current rows are unknown'
  )
}

export function takenText(taken: number, count: number): string {
  return (
    `${taken} of ${count} lists were read before and are no longer allowed, so their current rows ` +
    'are unknown'
  )
}

/** A run is incomplete if more than 1% of the lists, and more than five, are absent or withdrawn. */
export const ABSENT_LIMIT: DropLimits = { share: 0.01, rows: 5 }

/**
 * Counts the parents that the service still lists. Reads the lists of parents again for this, and stores
 * nothing. Counts all parents if that fails, so that a failure never makes a run look better.
 */
export async function stillListed(
  run: RunContext,
  { sync }: Stream,
  parents: readonly (readonly string[])[],
): Promise<number> {
  if (sync.kind !== 'fan-out') return parents.length
  const sought = new Set(parents.map(joinKey))
  try {
    const requests = await requestsFor(run, sync.parent, parents)
    if (requests === undefined) return sought.size
    const shown = new Set<string>()
    for (const request of requests)
      await readOnce(run, { stream: sync.parent, request }, (key) => void shown.add(key))
    // Lists without any record prove nothing, so all these parents count as listed.
    if (shown.size === 0) return sought.size
    return [...sought].filter((key) => shown.has(key)).length
  } catch (error) {
    if (run.signal.aborted || !(error instanceof CallsheetError)) throw error
    if (isDaySpent(error)) run.postpone()
    return sought.size
  }
}

/** Requests for the lists that would show these parents. Undefined for a fan-out or nested parent stream. */
async function requestsFor(
  run: RunContext,
  parent: Stream,
  parents: readonly (readonly string[])[],
): Promise<SliceRequest[] | undefined> {
  const { sync } = parent
  if (sync.kind === 'snapshot') return sync.requests().filter(({ ifMore }) => ifMore !== true)
  if (sync.kind !== 'windows') return undefined
  const keys = parents.map(([key = '']) => key)
  const scope = { account: run.account, stream: parent, column: sync.cursor }
  const instants = await retryDatabase(run, () => parentInstants(run.warehouse, scope, keys))
  const time = { nowMs: run.clock.now(), historyDays: run.historyDays }
  return slicesAt(parent, instants, time).map(({ request }) => request)
}
