import { idlePages } from '../api/call/idle-pages.ts'
import { withNext } from '../api/call/next-page.ts'
import type { NextPage } from '../api/client.ts'
import { historyLimitOf } from '../core/define/history-limit.ts'
import type { Stream } from '../core/define/stream.ts'
import { PageTokenError, ServiceError } from '../core/errors.ts'
import { holds, type Window } from '../core/time/spans.ts'
import { DAY_MS } from '../core/time/time.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { type HeldDay, heldDays } from '../warehouse/load/held-days.ts'
import { instantIn } from './read/check-asked.ts'
import { checkEcho } from './read/check-echo.ts'
import { staysRefused } from './read/refused-end.ts'
import { keysOn } from './read/windows-ignored.ts'
import type { RunContext } from './run/run-context.ts'

/** How the service answers windows: whole within a month, whole only across its ends, or neither. */
export type WindowWay = 'within' | 'across' | 'neither'
/** Not whole within a month, and nothing is known yet to ask for across its end. */
export type FoundWay = WindowWay | 'untried'

/**
 * Asks the service for days on which something is known to have begun. As a rule two calls are enough: a
 * window of a single day that shows what began earliest and latest in a day counts both its ends in, and its
 * days in UTC. Undefined where nothing is known.
 */
export async function findWindowWay(
  run: RunContext,
  stream: Stream,
  outside: number,
): Promise<FoundWay | undefined> {
  const { sync } = stream
  if (sync.kind !== 'windows') return undefined
  const { account, warehouse, historyDays } = run
  const today = startOfDay(run.clock.now())
  const range = {
    fromMs: today - (historyLimitOf(sync, historyDays) - 1) * DAY_MS,
    toMs: today - DAY_MS,
  }
  const scope = { account, stream, column: sync.cursor }
  const days = await retryDatabase(run, () => heldDays(warehouse, scope, range))
  const whole = outside > 0 ? false : await showsBothEnds(run, stream, days)
  if (whole !== false) return whole === true ? 'within' : undefined
  const pair = closestPair(days)
  if (pair === undefined) return 'untried'
  const asked = { fromMs: pair[0] - DAY_MS, toMs: pair[1] + DAY_MS }
  const sought = pair.map((dayMs) => ({ fromMs: dayMs, toMs: dayMs + DAY_MS }))
  return (await shows(run, stream, { asked, sought })) ? 'across' : 'neither'
}

async function showsBothEnds(
  run: RunContext,
  stream: Stream,
  days: readonly HeldDay[],
): Promise<boolean | undefined> {
  const inner = days.filter(({ dayMs }) => monthOf(dayMs - DAY_MS) === monthOf(dayMs + DAY_MS))
  // Of days that are counted in another zone, one end or the other is left out.
  const earliest = inner.map(({ firstMs }) => firstMs).toSorted(byTimeOfDay)
  const latest = inner.map(({ lastMs }) => lastMs).toSorted((a, b) => byTimeOfDay(b, a))
  const whole = await showsFirstOf(run, stream, earliest)
  return whole === true && latest[0] !== earliest[0] ? showsFirstOf(run, stream, latest) : whole
}

/** The same of the first of these instants of which the service still shows anything at all. */
async function showsFirstOf(
  run: RunContext,
  stream: Stream,
  instants: readonly number[],
): Promise<boolean | undefined> {
  for (const atMs of instants.slice(0, MOST_LOOKED_FOR)) {
    const shown = await showsFromAndTo(run, stream, atMs)
    if (shown !== undefined) return shown
  }
  return undefined
}

/** Whether windows that begin, and that end, with the day of an instant show what began at it. */
async function showsFromAndTo(
  run: RunContext,
  stream: Stream,
  atMs: number,
): Promise<boolean | undefined> {
  const day = startOfDay(atMs)
  const [before, after] = [day - DAY_MS, day + DAY_MS]
  const sought = [{ fromMs: atMs, toMs: atMs + 1_000 }]
  const showsIn = (fromMs: number, toMs: number): Promise<boolean> =>
    shows(run, stream, { asked: { fromMs, toMs }, sought })
  if (await showsIn(day, day)) return true
  // What is held of the day may be gone since, and a window of one day none to the service.
  if (!(await showsIn(before, after))) return undefined
  return (await showsIn(before, day)) && (await showsIn(day, after))
}

/** The closest days on both sides of a month's end that one window can ask for. */
function closestPair(held: readonly HeldDay[]): readonly [number, number] | undefined {
  const days = held.map(({ dayMs }) => dayMs)
  const pairs = days.flatMap((last, at) => {
    const first = days[at + 1]
    return first === undefined || monthOf(first) === monthOf(last) ? [] : [[last, first] as const]
  })
  const [pair] = pairs.toSorted((a, b) => a[1] - a[0] - (b[1] - b[0]))
  return pair === undefined || pair[1] - pair[0] > MOST_DAYS * DAY_MS ? undefined : pair
}

/** Whether a window shows something of each of the spans; false where it is refused or narrowed. */
async function shows(
  run: RunContext,
  stream: Stream,
  { asked, sought }: { asked: Window; sought: readonly Window[] },
): Promise<boolean> {
  const { sync, operation } = stream
  if (sync.kind !== 'windows') return false
  const left = new Set(sought)
  let args = sync.request(asked).arguments
  let next: NextPage | undefined
  const keys = new Set<string>()
  const note = idlePages(operation)
  try {
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await run.client.fetchPage(operation, withNext(args, next), {
        signal: run.signal,
      })
      if (pages === 0)
        args = checkEcho(operation, { args: page.asked, page, nowMs: run.clock.now() })
      for (let at = 0; at < page.records.count; at++) {
        const record = page.records.recordAt(at)
        const atMs = record && instantIn(stream, record)
        if (atMs === undefined) continue
        for (const span of sought.filter((one) => holds(one, atMs))) left.delete(span)
      }
      for (const key of keysOn(stream, page.records)) keys.add(key)
      next = page.next
      page.records.release()
      if (left.size === 0) return true
      if (next === undefined) return false
      note(keys.size)
    }
  } catch (error) {
    // 200: it said that it answers for another range.
    if (error instanceof ServiceError && (error.status === 400 || error.status === 200))
      return false
    // Some services refuse the token of a last page.
    const again = (): Promise<unknown> =>
      run.client.fetchPage(operation, withNext(args, next), { signal: run.signal })
    if (error instanceof PageTokenError && (await staysRefused(again))) return false
    throw error
  }
  return false
}

function startOfDay(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS) * DAY_MS
}

function byTimeOfDay(one: number, other: number): number {
  return (one % DAY_MS) - (other % DAY_MS)
}

function monthOf(epochMs: number): number {
  return new Date(epochMs).getUTCMonth()
}

/** One or two may be gone since; of more, nothing is known. */
const MOST_LOOKED_FOR = 3
/** With a day on each side no more than a February. */
const MOST_DAYS = 24
/** A window of a few days of a large account. */
const MOST_PAGES = 200
