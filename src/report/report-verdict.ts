import type { Note } from '../core/define/report.ts'
import type { ReportPeriods } from '../core/define/report-period.ts'
import { lowText } from '../core/records/low-text.ts'
import { DAY_MS, toMinutes } from '../core/time/time.ts'
import { zonedInstant } from '../core/time/zone.ts'
import { counted } from '../core/values/quantities.ts'
import { isWithheld, policyText } from './policy-text.ts'
import type { StreamCoverage } from './report-coverage.ts'

interface Judged {
  coverage: readonly StreamCoverage[]
  periods: ReportPeriods | undefined
  timeZone: string
  asOfMs: number
}

export function isWhollyCovered(coverage: readonly StreamCoverage[]): boolean {
  return coverage.every(({ whole, optional }) => whole || optional)
}

/** States whether the data or the period is complete, and what is missing. */
export function verdictOf({ coverage, periods, timeZone, asOfMs }: Judged): Note {
  const broken = coverage.filter(({ whole, optional }) => !whole && !optional)
  const first = timelessText(coverage)
  const policy = policyText(coverage)
  const what = periods === undefined ? 'The data' : `The period ${periods.period.label}`
  if (broken.length === 0) {
    const text = `${first}${what} is complete: every slice was read to its end.${policy}`
    const isGood = first === '' && !isWithheld(coverage)
    return { kind: 'note', tone: isGood ? 'good' : 'warning', text }
  }
  const reachedMs = periods && readUpTo(broken, periods, asOfMs)
  if (reachedMs !== undefined) {
    const until = local(reachedMs, timeZone)
    const state = `is up to date: it has not ended yet, and was read up to ${until}.`
    const text = `${first}${what} ${state}${policy}`
    return { kind: 'note', tone: 'plain', text }
  }
  const reasons = broken.flatMap(
    ({ stream, missing, incomplete, setAside, run, refusal, disputed, part, low = [] }) => {
      const unusable = counted(setAside, 'unusable record')
      const aside = `${unusable} of ${stream} ${setAside === 1 ? 'was' : 'were'} quarantined`
      const silent = low.map((one) => lowText([one], one.stream))
      const and = [...(setAside > 0 ? [aside] : []), ...silent]
      if (disputed !== undefined)
        return [
          `the ledger of ${stream} differs from the signed entries (${disputed}): run callsheet verify`,
          ...and,
        ]
      if (refusal !== undefined) return [`the account may not read ${stream}: ${refusal}`, ...and]
      if (part?.read === false)
        return [`${stream} was not read to its end since accounts[].rows changed`, ...and]
      const gap = missing[0]
      if (gap !== undefined) {
        const from = local(gap.fromMs, timeZone)
        return [`${stream} lacks ${days(missing)} of the period, the first from ${from}`, ...and]
      }
      if (incomplete > 0)
        return [
          `${stream} has ${incomplete} incomplete ${incomplete === 1 ? 'slice' : 'slices'}`,
          ...and,
        ]
      if (and.length > 0) return and
      return `no run of ${run.job} has read ${stream} completely (the last one ended ${run.state})`
    },
  )
  const state = `is NOT complete. The figures are too low or partial: ${reasons.join('; ')}.`
  const text = `${first}${what} ${state}${policy}`
  return { kind: 'note', tone: 'bad', text }
}

/** Counts rows without a time, which no period can show, as the beginning of a sentence. */
function timelessText(coverage: readonly StreamCoverage[]): string {
  const counts = coverage.flatMap(({ stream, timeless, optional }) =>
    timeless === undefined || optional
      ? []
      : [`${timeless.rows} of ${stream} without a readable ${timeless.column}`],
  )
  return counts.length === 0 ? '' : `Records that belong to no period: ${counts.join('; ')}. `
}

/** Returns until when a current period was read, if only its last hours (`SAME_NIGHT_MS`) are missing. */
function readUpTo(
  broken: readonly StreamCoverage[],
  { period: { toMs } }: ReportPeriods,
  asOfMs: number,
): number | undefined {
  if (toMs <= asOfMs) return undefined
  const ends = broken.map(
    ({ missing: [rest, ...more], incomplete, setAside, timeless, refusal, disputed, ...one }) => {
      const { low = [], part } = one
      const whole =
        part?.read !== false &&
        timeless === undefined &&
        refusal === undefined &&
        disputed === undefined &&
        incomplete === 0 &&
        setAside === 0 &&
        low.length === 0 &&
        more.length === 0
      return whole && rest !== undefined && rest.toMs >= toMs ? rest.fromMs : 0
    },
  )
  const reachedMs = Math.min(...ends)
  return reachedMs >= asOfMs - SAME_NIGHT_MS ? reachedMs : undefined
}

function days(windows: StreamCoverage['missing']): string {
  const total = windows.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs), 0) / DAY_MS
  const shown = total >= 1 ? total.toFixed(1).replace(/\.0$/, '') : 'part of a day'
  return total >= 1 ? `${shown} ${shown === '1' ? 'day' : 'days'}` : shown
}

export function local(epochMs: number, timeZone: string): string {
  return toMinutes(zonedInstant(epochMs, timeZone))
}

/** Runs at most this far apart count as one night: jobs of one night may be hours apart. */
export const SAME_NIGHT_MS = 1.5 * DAY_MS
