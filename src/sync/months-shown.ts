import { refuseLoop, withNext } from '../api/answers/paging.ts'
import type { Page } from '../api/answers/payload.ts'
import { historyLimitOf } from '../core/define/history-limit.ts'
import type { Stream } from '../core/define/stream.ts'
import { isDaySpent, isOfOneCall, PageTokenError } from '../core/errors.ts'
import { DAY_MS, utcDay } from '../core/time/time.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { heldBeside } from '../warehouse/load/held-beside.ts'
import { shortEnds } from './plan/month-ends.ts'
import { limitsOf, type PlannedGroup, planEnds, type WindowSync } from './plan/plan-stream.ts'
import { startOfDay } from './plan/windows.ts'
import { instantIn } from './read/check-asked.ts'
import { isAskedWrongly } from './read/list-end.ts'
import type { RunContext } from './run/run-context.ts'
import type { SliceReading } from './run/slice-reading.ts'

/** Whether the service omits the first day (`from`) or the last day (`to`) of a requested range. */
interface LeftOut {
  from: boolean
  to: boolean
}

interface EndsRead {
  /** The results of reading the days around the ends of months; `readAll` appends to them. */
  marks: { readonly monthEnds: readonly SliceReading[] }
  /** The error that stopped the reading of the stream, if any. */
  blocker: unknown
  readAll(groups: readonly PlannedGroup[]): Promise<void>
}

/**
 * Whether the service showed the first and last days of a stream's months; reports the days that it did not.
 * The days around the ends of months are read to prove it, but a service may refuse or silently cut such a
 * range. Then known rows decide: a service that shows the first and last day of other ranges also shows those
 * of a month.
 */
export async function monthsShown(
  run: RunContext,
  stream: Stream,
  { marks: { monthEnds: ends }, blocker, readAll }: EndsRead,
): Promise<boolean> {
  const { sync } = stream
  if (sync.kind !== 'windows' || blocker !== undefined) return true
  const refused = refusedIn(ends)
  const isCrossed = ends.some(({ beforeEnd, afterEnd }) => beforeEnd > 0 && afterEnd > 0)
  if (refused.length === 0 && (isCrossed || ends.length === 0)) return true
  if (run.inTrouble(stream)) return refused.length === 0
  try {
    const leftOut = await boundsLeftOut(run, stream, sync)
    if (leftOut === undefined || !(leftOut.from || leftOut.to)) return true
    if (refused.length === 0) {
      if ((await crossesEnds(run, stream, sync)) !== false) return true
      reportLeftOut(run, stream, { leftOut, days: [] })
      return false
    }
    const before = ends.length
    const monthsEnds = refused.map(({ slice }) => slice.monthEndMs ?? 0)
    const short = shortEnds(monthsEnds, limitsOf(sync, { ...run, nowMs: run.clock.now() }), leftOut)
    run.progress(stream, { planned: short.length })
    await readAll(planEnds(stream, short, new Map()))
    const unshown = refusedIn(ends.slice(before))
    if (unshown.length > 0) reportLeftOut(run, stream, { leftOut, days: unshown.map(dayLacking) })
    return unshown.length === 0
  } catch (error) {
    if (run.signal.aborted || !(isOfOneCall(error) || error instanceof PageTokenError)) throw error
    if (isDaySpent(error)) run.postpone()
    const text = `${stream.name}: could not check whether the service lists whole months. ${error.message}`
    run.problem(text, true, stream)
    return false
  }
}

function refusedIn(ends: readonly SliceReading[]): SliceReading[] {
  return ends.filter(({ refusedRange }) => refusedRange === true)
}

/** The day for which a short range over the end of a month was requested. */
function dayLacking({ slice: { request, monthEndMs = 0 } }: SliceReading): string {
  return utcDay(request.slice.startsWith('before=') ? monthEndMs - DAY_MS : monthEndMs)
}

function reportLeftOut(
  run: RunContext,
  stream: Stream,
  { leftOut: { from, to }, days }: { leftOut: LeftOut; days: readonly string[] },
): void {
  const which = from && to ? 'the first and the last day' : `the ${from ? 'first' : 'last'} day`
  const how = days.length > 0 ? 'refuses ranges across' : 'cuts ranges at'
  const lacking = days.length > 0 ? days.toSorted().join(', ') : `${which} of a month`
  run.problem(
    `${stream.name}: the service leaves out ${which} of a range and ${how} the end of a month, so records ` +
      `that began on ${lacking} may be missing; contact the service's support and ask how to ` +
      'request such a day',
    'for a person',
    stream,
  )
}

/** Whether ranges leave out their first or last day; undefined if no known row allows a test. */
async function boundsLeftOut(
  run: RunContext,
  stream: Stream,
  sync: WindowSync,
): Promise<LeftOut | undefined> {
  const nowMs = run.clock.now()
  const limitMs = nowMs - (historyLimitOf(sync, run.historyDays) - 2) * DAY_MS
  let atMs = startOfDay(nowMs)
  let left: LeftOut | undefined
  for (let tries = 0, days = 0; tries < MOST_TRIES && days < ENOUGH_DAYS; tries++) {
    const { beforeMs } = await heldAt(run, stream, { sync, atMs })
    if (beforeMs === undefined || beforeMs < limitMs) break
    atMs = startOfDay(beforeMs)
    // The ranges that begin or end on this day must stay within one month.
    if (isDateOne(atMs) || isDateOne(atMs + DAY_MS)) continue
    const lacks = async (...range: [number, number]): Promise<boolean> =>
      !(await shows(run, stream, { sync, days: range, look: [atMs] }))
    const to: boolean = left?.to !== false && (await lacks(atMs - DAY_MS, atMs))
    const from: boolean = left?.from !== false && (await lacks(atMs, atMs + DAY_MS))
    if (!to && !from) return { from, to }
    if (await lacks(atMs - DAY_MS, atMs + DAY_MS)) continue
    left = { from, to }
    days++
  }
  return left
}

/** Whether a range over a month's end shows known rows of both months; undefined without such rows. */
async function crossesEnds(
  run: RunContext,
  stream: Stream,
  sync: WindowSync,
): Promise<boolean | undefined> {
  const now = new Date(run.clock.now())
  let crosses: boolean | undefined
  for (let back = 0; back < ENOUGH_DAYS; back++) {
    const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)
    const { beforeMs } = await heldAt(run, stream, { sync, atMs: endMs - DAY_MS })
    const { fromMs } = await heldAt(run, stream, { sync, atMs: endMs + DAY_MS })
    if (beforeMs === undefined || fromMs === undefined) continue
    const [last, first] = [startOfDay(beforeMs), startOfDay(fromMs)]
    const days = [last - DAY_MS, first + DAY_MS] as const
    if (days[1] - days[0] > MOST_DAYS * DAY_MS || days[1] > now.getTime()) continue
    if (await shows(run, stream, { sync, days, look: [last, first] })) return true
    const isThere = (day: number): Promise<boolean> =>
      shows(run, stream, { sync, days: [day - DAY_MS, day + DAY_MS], look: [day] })
    if ((await isThere(last)) && (await isThere(first))) crosses = false
  }
  return crosses
}

async function heldAt(
  run: RunContext,
  stream: Stream,
  { sync: { cursor: column }, atMs }: { sync: WindowSync; atMs: number },
): ReturnType<typeof heldBeside> {
  const of = { account: run.account, stream, column }
  return await retryDatabase(run, () => heldBeside(run.warehouse, of, atMs))
}

/** Whether the range between two days shows a record on each day in `look`; false if the range is refused. */
async function shows(
  run: RunContext,
  stream: Stream,
  { sync, days: [fromMs, toMs], look }: Look,
): Promise<boolean> {
  const { arguments: args } = sync.request({ fromMs, toMs })
  const [asked, lacking] = [new Set<string>(), new Set(look)]
  let page: Page | undefined
  do {
    const query = withNext(page?.asked ?? args, page?.next)
    try {
      page = await run.client.fetchPage(stream.operation, query, { signal: run.signal })
    } catch (error) {
      if (isAskedWrongly(error)) return false
      throw error
    }
    for (let at = 0; at < page.records.count; at++) {
      const record = page.records.recordAt(at)
      const atMs = record && instantIn(stream, record)
      if (atMs !== undefined) lacking.delete(startOfDay(atMs))
    }
    page.records.release()
    if (page.next !== undefined) refuseLoop(stream, page.next, asked)
  } while (lacking.size > 0 && page.next !== undefined)
  return lacking.size === 0
}

interface Look {
  sync: WindowSync
  days: readonly [number, number]
  look: readonly number[]
}

function isDateOne(ms: number): boolean {
  return new Date(ms).getUTCDate() === 1
}

/** How many days are tested: more than one, since a row may be deleted between two calls. */
const ENOUGH_DAYS = 3
const MOST_TRIES = 10
/** The longest range that surely fits the service's limit of a month: 28 days with both end days. */
const MOST_DAYS = 27
