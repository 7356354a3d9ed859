import { horizonOf } from '../../core/declare/horizon.ts'
import type { Stream } from '../../core/declare/stream.ts'
import { PageTokenError, ServiceError } from '../../core/errors/errors.ts'
import type { Window } from '../../core/time/spans.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { isRecord } from '../../core/values/wire-record.ts'
import { heldDays } from '../../warehouse/load/held-days.ts'
import { retryDatabase } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'
import { checkEcho } from '../sync/check-echo.ts'
import { instantIn } from '../sync/instant-in.ts'
import { withToken } from '../sync/page-chain.ts'
import { staysRefused } from '../sync/refused-end.ts'

/** How the service answers windows: whole within a month, whole only across its ends, or neither. */
export type WindowWay = 'within' | 'across' | 'neither'

/**
 * Asks the service for days on which something is known to have begun. As a rule one call is enough: a window
 * of a single day that shows what began on it counts both its ends in. Undefined where nothing is known.
 */
export async function findWindowWay(
  run: RunContext,
  stream: Stream,
  outside: number,
): Promise<WindowWay | undefined> {
  const { sync } = stream
  if (sync.kind !== 'windows') return undefined
  const { account, warehouse, historyDays } = run
  const today = startOfDay(run.clock.now())
  const range = {
    fromMs: today - (horizonOf(sync, historyDays) - 1) * DAY_MS,
    toMs: today - DAY_MS,
  }
  const scope = { account, stream, column: sync.cursor }
  const days = await retryDatabase(run, () => heldDays(warehouse, scope, range))
  const whole = outside > 0 ? false : await showsBothEnds(run, stream, days)
  if (whole !== false) return whole === true ? 'within' : undefined
  return (await answersAcross(run, stream, days)) ? 'across' : 'neither'
}

async function showsBothEnds(
  run: RunContext,
  stream: Stream,
  days: readonly number[],
): Promise<boolean | undefined> {
  const day = days.findLast((ms) => monthOf(ms - DAY_MS) === monthOf(ms + DAY_MS))
  if (day === undefined) return undefined
  const [before, after] = [day - DAY_MS, day + DAY_MS]
  if (await shows(run, stream, { asked: { fromMs: day, toMs: day }, days: [day] })) return true
  // What is held of the day may be gone since, and a window of one day none to the service.
  if (!(await shows(run, stream, { asked: { fromMs: before, toMs: after }, days: [day] })))
    return undefined
  return (
    (await shows(run, stream, { asked: { fromMs: before, toMs: day }, days: [day] })) &&
    (await shows(run, stream, { asked: { fromMs: day, toMs: after }, days: [day] }))
  )
}

/** Whether a window shows days on both sides of a month's end; the closest known pair is asked for. */
async function answersAcross(
  run: RunContext,
  stream: Stream,
  days: readonly number[],
): Promise<boolean> {
  const pairs = days.flatMap((last, at) => {
    const first = days[at + 1]
    return first === undefined || monthOf(first) === monthOf(last) ? [] : [[last, first] as const]
  })
  const [pair] = pairs.toSorted((a, b) => a[1] - a[0] - (b[1] - b[0]))
  if (pair === undefined || pair[1] - pair[0] > MOST_DAYS * DAY_MS) return false
  const asked = { fromMs: pair[0] - DAY_MS, toMs: pair[1] + DAY_MS }
  return await shows(run, stream, { asked, days: pair })
}

/** Whether a window shows something of each of the days; false where it is refused or narrowed. */
async function shows(
  run: RunContext,
  stream: Stream,
  { asked, days }: { asked: Window; days: readonly number[] },
): Promise<boolean> {
  const { sync, operation } = stream
  if (sync.kind !== 'windows') return false
  const left = new Set(days)
  let args = sync.request(asked).arguments
  let token: string | undefined
  try {
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await run.client.fetchPage(operation, withToken(args, token), {
        signal: run.signal,
      })
      if (pages === 0)
        args = checkEcho(operation, { args: page.asked, page, nowMs: run.clock.now() })
      for (let at = 0; at < page.records.count; at++) {
        const record = page.records.parse(at)
        const atMs = isRecord(record) ? instantIn(stream, record) : undefined
        if (atMs !== undefined) left.delete(startOfDay(atMs))
      }
      token = page.nextPageToken
      page.records.release()
      if (left.size === 0) return true
      if (token === undefined) return false
    }
  } catch (error) {
    // 200: it said that it answers for another range.
    if (error instanceof ServiceError && (error.status === 400 || error.status === 200))
      return false
    // Some services refuse the token of a last page.
    const again = (): Promise<unknown> =>
      run.client.fetchPage(operation, withToken(args, token), { signal: run.signal })
    if (error instanceof PageTokenError && (await staysRefused(again))) return false
    throw error
  }
  return false
}

function startOfDay(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS) * DAY_MS
}

function monthOf(epochMs: number): number {
  return new Date(epochMs).getUTCMonth()
}

/** With a day on each side no more than a February. */
const MOST_DAYS = 24
/** A window of a few days of a large account. */
const MOST_PAGES = 200
