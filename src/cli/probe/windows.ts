import { DAY_MS, parseInstant } from '../../core/time/time.ts'
import { timeOf } from './defaults.ts'
import { readList, recordings, sessionReports, type WindowList, windowLists } from './lists.ts'
import {
  fieldsOf,
  nextTokenOf,
  type Probe,
  type Probed,
  type Reader,
  type Reading,
  recordsOf,
  refusalText,
} from './probe.ts'

/** How a list answers to a time window of two months: one month is the maximum. */
const spans: readonly Probe[] = windowLists.map((list) => ({
  id: `window-span.${list.name}`,
  lines: ['narrowing', list.line],
  assumption: 'a window of more than a month is narrowed without a word',
  operations: [list.operation],
  mostReads: 3,
  async run(reader) {
    const asked = twoMonths(reader.nowMs)
    const reading = await readWindow(reader, list, asked)
    if (reading.refusal !== undefined)
      return {
        verdict: 'differs',
        found: `it is refused: ${refusalText(reading)}`,
        means: `nothing for a sync, whose bounds lie ${list.spanDays} days apart at most`,
      }
    const { from, to } = fieldsOf(reading)
    if (typeof from === 'string' && typeof to === 'string') return byEcho(list, { asked, from, to })
    return await byRecords(reader, list, { asked, reading })
  },
}))

/** How a list answers to an end in the future: if clocks differ, a sync asks for that too. */
const futures: readonly Probe[] = windowLists
  .filter(({ name }) => name !== 'whiteboards')
  .map((list) => ({
    id: `window-future.${list.name}`,
    lines: ['narrowing', list.line],
    assumption: 'an end in the future becomes the service’s present, and the answer says so',
    operations: [list.operation],
    mostReads: 1,
    async run(reader) {
      const toMs = reader.nowMs + FUTURE_MS
      const reading = await readWindow(reader, list, { fromMs: reader.nowMs - DAY_MS, toMs })
      if (reading.refusal !== undefined)
        return {
          verdict: 'differs',
          found: `it is refused: ${refusalText(reading)}`,
          means: 'nothing is lost: a window that is refused for it ends at the service’s present',
        }
      const echoedMs = instantOf(fieldsOf(reading).to)
      if (echoedMs === undefined)
        return { verdict: 'unclear', found: 'the answer does not name its window' }
      const to = String(fieldsOf(reading).to)
      if (echoedMs <= reader.nowMs + DAY_MS && echoedMs >= reader.nowMs - 2 * DAY_MS)
        return { verdict: 'holds', found: `answered to ${to}`, facts: { to } }
      return {
        verdict: 'differs',
        found: `taken as it was asked, to ${to}`,
        means:
          'nothing, as long as this machine’s clock is right: a sync asks up to its own present',
        facts: { to },
      }
    },
  }))

/** Whether a time window includes the day that it ends with. */
const ends: readonly Probe[] = [sessionReports, recordings].map((list) => ({
  id: `window-end.${list.name}`,
  lines: ['narrowing', list.line],
  assumption: 'the whole of the last day belongs to a window of days',
  operations: [list.operation],
  mostReads: 1,
  async run(reader) {
    const day = seenTimes(reader, list)
      .map(startOfDay)
      .find((ms) => ms < startOfDay(reader.nowMs))
    if (day === undefined)
      return { verdict: 'unclear', found: 'no record of an earlier day was seen' }
    const reading = await readWindow(reader, list, { fromMs: day, toMs: day })
    if (reading.refusal !== undefined)
      return {
        verdict: 'differs',
        found: `a window of a day is refused: ${refusalText(reading)}`,
        means: BY_DAY,
      }
    const within = recordsOf(reading).some(({ [list.dated]: at }) => isWithin(at, day))
    if (within) return { verdict: 'holds', found: 'a window of one day shows what began on it' }
    return {
      verdict: 'differs',
      found: 'a window of one day does not show what began on it',
      means: BY_DAY,
    }
  },
}))

export const windows: readonly Probe[] = [...spans, ...futures, ...ends]

function readWindow(
  reader: Reader,
  list: WindowList,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<Reading> {
  return readList(reader, list, list.window(fromMs, toMs))
}

interface Asked {
  fromMs: number
  toMs: number
}

function byEcho(
  list: WindowList,
  { asked, from, to }: { asked: Asked; from: string; to: string },
): Probed {
  const keptFrom = instantOf(from) === asked.fromMs
  const keptTo = instantOf(to) === asked.toMs
  const days = Math.round(((instantOf(to) ?? 0) - (instantOf(from) ?? 0)) / DAY_MS)
  const facts = {
    kept: keptFrom ? (keptTo ? 'both' : 'from') : keptTo ? 'to' : 'none',
    from,
    to,
    days,
  }
  const found = `answered for ${from} to ${to}`
  if (keptFrom && keptTo)
    return { verdict: 'differs', found: `taken whole: ${found}`, means: WHOLE, facts }
  if (!keptFrom && !keptTo)
    return {
      verdict: 'differs',
      found: `both ends are moved: ${found}`,
      means: 'a window that is moved fails in a sync by name, and nothing in it is called missing',
      facts,
    }
  const kept = `narrowed to ${days} days, and its ${keptFrom ? 'beginning' : 'end'} kept: ${found}`
  if (days >= list.spanDays) return { verdict: 'holds', found: kept, facts }
  return {
    verdict: 'differs',
    found: kept,
    means: `a sync asks for up to ${list.spanDays} days, which fails by name: this list cannot be read`,
    facts,
  }
}

/** If the answer names no time window: which of the two outer weeks it shows, and what they contain. */
async function byRecords(
  reader: Reader,
  list: WindowList,
  { asked, reading }: { asked: Asked; reading: Reading },
): Promise<Probed> {
  const { fromMs, toMs } = asked
  const first = { fromMs, toMs: fromMs + OUTER_MS }
  const last = { fromMs: toMs - OUTER_MS, toMs }
  const there = [await readWindow(reader, list, first), await readWindow(reader, list, last)]
  if (there.some((one) => recordsOf(one).length === 0))
    return {
      verdict: 'unclear',
      found: 'the answer does not name its window, and an end of it is empty',
    }
  const times = recordsOf(reading).flatMap((record) => timeOf(record, list.dated) ?? [])
  const showsFirst = times.some((ms) => ms < first.toMs)
  const showsLast = times.some((ms) => ms >= last.fromMs)
  if (showsFirst && showsLast)
    return { verdict: 'differs', found: 'taken whole', means: WHOLE, facts: { kept: 'both' } }
  if (nextTokenOf(reading) !== undefined)
    return {
      verdict: 'unclear',
      found: 'the answer does not name its window, and has more than a page',
    }
  if (showsFirst === showsLast)
    return { verdict: 'unclear', found: 'the answer shows nothing of either end' }
  const facts = { kept: showsFirst ? 'from' : 'to' }
  return {
    verdict: 'holds',
    found: `narrowed, and its ${showsFirst ? 'beginning' : 'end'} kept`,
    facts,
  }
}

function seenTimes({ seen }: Reader, list: WindowList): number[] {
  return seen.readings
    .filter(
      ({ operation: { id, paging } }) => id === list.operation.id && paging?.style === 'token',
    )
    .flatMap((reading) => recordsOf(reading).flatMap((record) => timeOf(record, list.dated) ?? []))
}

function isWithin(at: unknown, dayMs: number): boolean {
  const ms = instantOf(at)
  return ms !== undefined && ms >= dayMs && ms < dayMs + DAY_MS
}

function instantOf(value: unknown): number | undefined {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined
  return instant === undefined ? undefined : Date.parse(instant)
}

/**
 * The newest two past calendar months of which the first has 31 days: a month from the first's beginning, and
 * a month up to the second's end, then both have 31 days.
 */
function twoMonths(nowMs: number): Asked {
  const year = new Date(nowMs).getUTCFullYear()
  let month = new Date(nowMs).getUTCMonth() - 2
  while (Date.UTC(year, month + 1) - Date.UTC(year, month) < 31 * DAY_MS) month--
  return { fromMs: Date.UTC(year, month), toMs: Date.UTC(year, month + 2) - DAY_MS }
}

function startOfDay(ms: number): number {
  return ms - (ms % DAY_MS)
}

const OUTER_MS = 26 * DAY_MS
const FUTURE_MS = 5 * DAY_MS
const WHOLE = 'nothing is lost; a sync asks for less at a time than it could'
const BY_DAY =
  'nothing is lost: recordings are asked for with a day more on both sides, and which days of a month ' +
  'count is found out before session reports are read; what is newest may come a day late'
