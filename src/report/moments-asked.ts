import type { Report } from '../core/define/report.ts'
import { ConfigurationError } from '../core/errors.ts'
import { toMinutes } from '../core/time/time.ts'
import { zonedInstant } from '../core/time/zone.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { previousMoment } from './previous-moment.ts'
import { endMs, firstWholeMs, type Moment, readMoment } from './report-moment.ts'

/** The moments of which a report tells: by which runs it is made, and what it is compared with. */
export interface Moments {
  moment: Moment
  /** Undefined where there is nothing to compare with. */
  previous: Moment | undefined
}

interface Asked {
  report: Report
  account: string
  timeZone: string
  /** By the runs that had ended by then, epoch milliseconds; by the last ones if not given. */
  endedByMs?: number | undefined
  /** Compared with how things stood then; with the publication before if not given. */
  sinceMs?: number | undefined
}

/**
 * The runs by which a report is made, and those it is compared with. Refuses an instant by which a stream
 * that is needed was never read, and names the earliest that will do.
 */
export async function momentsAsked(tx: Transaction, asked: Asked): Promise<Moments> {
  const { account, report, endedByMs, sinceMs } = asked
  const moment = await momentBy(tx, asked, endedByMs)
  if (sinceMs === undefined)
    return { moment, previous: await previousMoment(tx, { account, report }, moment) }
  if (report.needs.length === 0) throw tellsOfLedgers(report)
  const previous = await momentBy(tx, asked, sinceMs)
  if (endMs(previous) >= endMs(moment)) throw noneSince(asked, endMs(previous))
  return { moment, previous }
}

async function momentBy(
  tx: Transaction,
  { account, report, timeZone }: Asked,
  endedByMs: number | undefined,
): Promise<Moment> {
  if (endedByMs !== undefined) {
    const earliestMs = await firstWholeMs(tx, account, report)
    if (earliestMs !== undefined && earliestMs > endedByMs)
      throw tooEarly(report, { askedMs: endedByMs, earliestMs, timeZone })
  }
  return await readMoment(tx, account, { ...report, endedByMs })
}

function tooEarly(
  { title }: Report,
  { askedMs, earliestMs, timeZone }: { askedMs: number; earliestMs: number; timeZone: string },
): ConfigurationError {
  // Rounded up to the minute, as it is asked for again by it.
  const earliest = shown(earliestMs + MINUTE_MS, timeZone)
  return new ConfigurationError('as_of_too_early', {
    tried: `Make ${title} as of ${shown(askedMs, timeZone)}`,
    expected: `an instant by which a run had read what it needs: ${earliest} or later`,
    came: 'no run had read all of that by then',
    todo: `ask for ${earliest} (${timeZone}) or later`,
  })
}

function noneSince({ report, timeZone }: Asked, previousMs: number): ConfigurationError {
  return new ConfigurationError('since_not_before', {
    tried: `Compare ${report.title} with how things stood ${shown(previousMs, timeZone)}`,
    expected: 'a run of what it needs that ended before the runs it is made by',
    came: 'the same runs, or later ones',
    todo: 'ask for an earlier --since, or sync first',
  })
}

function tellsOfLedgers({ title }: Report): ConfigurationError {
  return new ConfigurationError('since_not_before', {
    tried: `Compare ${title} with how things stood before`,
    expected: 'a report about rows, which change',
    came: 'one about what runs did, which stays as it is',
    todo: 'leave out --since',
  })
}

function shown(epochMs: number, timeZone: string): string {
  return toMinutes(zonedInstant(epochMs, timeZone))
}

const MINUTE_MS = 60_000
