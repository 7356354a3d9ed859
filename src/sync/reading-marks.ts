import { mayMeanOne, meansWithheld } from '../core/define/answer-meaning.ts'
import type { Stream } from '../core/define/stream.ts'
import { counted } from '../core/values/quantities.ts'
import type { PlannedGroup } from './plan/plan-stream.ts'
import type { RunContext } from './run/run-context.ts'
import { isAbsent, type SliceReading } from './run/slice-reading.ts'

/** A stream's refused, absent and possibly incomplete lists, for the run's report. */
export interface ReadingMarks {
  /** The results of reading the days around the ends of months. */
  monthEnds: readonly SliceReading[]
  note(readings: readonly SliceReading[]): void
  /** Counts records not written because an unreadable value would replace a stored one. */
  unreadable(): number
  /** The numbers of unusable and of received records, without records that belong to a neighboring window. */
  unusable(): { aside: number; received: number }
  /** The group, marked `unproven` if the days around the end of any month could not be read. */
  withDoubt(group: PlannedGroup): PlannedGroup
  remarks(stream: Stream): string[]
  /**
   * Reports refusals. A refused list makes the run incomplete if the service returned any list of the stream;
   * otherwise the stream counts as not allowed. An undeclared 403 or 404 of a list makes the run incomplete.
   */
  reportRefusal(run: RunContext, stream: Stream): void
}

export function readingMarks(): ReadingMarks {
  const atBound: string[] = []
  const gone: SliceReading[] = []
  let outside = 0
  let twins = 0
  let unreadable = 0
  const unusable = { aside: 0, received: 0 }
  let answered = false
  const monthEnds: SliceReading[] = []
  let reason: string | undefined
  const others = (): string => (answered ? 'the others were read' : 'no list was read')
  return {
    monthEnds,
    unreadable: () => unreadable,
    unusable: () => unusable,
    note(readings) {
      for (const reading of readings) {
        const { slice, state, error } = reading
        outside += reading.outside
        if (slice.monthEndMs !== undefined) monthEnds.push(reading)
        twins += reading.twins
        unreadable += reading.unreadable
        unusable.aside += asideIn(reading)
        unusable.received += reading.received - reading.ignored
        answered ||= reading.pages > 0
        if (reading.atBound) atBound.push(slice.request.slice)
        if (error !== undefined && (state === 'complete' || state === 'failed')) gone.push(reading)
        if (state === 'not_allowed' && error instanceof Error) reason ??= error.message
      }
    },
    withDoubt: (group) =>
      monthEnds.some(({ state }) => state !== 'complete') ? { ...group, unproven: true } : group,
    remarks(stream) {
      const namesOf = (isOne: (reading: SliceReading) => boolean): string[] =>
        gone.filter(isOne).map(({ slice }) => slice.request.slice)
      const withheld = namesOf(({ error }) => meansWithheld(stream.operation, error))
      const absent = namesOf((reading) => isAbsent(stream, reading))
      return [
        sentText(stream, outside, OUTSIDE),
        sentText(stream, twins, TWINS),
        remark(stream, absent, ABSENT),
        remark(stream, atBound, AT_BOUND),
        remark(stream, withheld, `not readable for this account; ${others()}`),
      ].flatMap((text) => text ?? [])
    },
    reportRefusal(run, stream) {
      const unexplained = gone.filter(({ error }) => mayMeanOne(stream.operation, error))
      const names = unexplained.map(({ slice }) => slice.request.slice)
      const came = unexplained[0]?.error
      const few = remark(stream, names, `refused with an undocumented error; ${others()}`)
      if (few !== undefined) run.problem(`${few}: ${(came as Error).message}`, true, stream)
      if (reason === undefined) return
      const text = `${stream.name}: the service refuses some of the lists but not all. ${reason}`
      if (answered) run.problem(text, 'for a person', stream)
      else run.refuse(stream, reason)
    },
  }
}

/**
 * Counts a list's unusable records that have content; 0 if the usable ones reach the service's total. Windows
 * overlap and show unusable records of their neighbors, so only the window's own share counts.
 */
function asideIn({ received, repeats, ignored, serviceTotal, ...reading }: SliceReading): number {
  const aside = reading.quarantined + reading.refused
  const usable = received - aside
  const lost = aside - reading.hollow
  if (serviceTotal !== undefined && usable - repeats >= serviceTotal) return 0
  return usable <= 0 ? lost : Math.round(lost * (1 - Math.min(1, ignored / usable)))
}

function sentText({ name }: Stream, records: number, how: string): string | undefined {
  return records === 0
    ? undefined
    : `${name}: the service sent ${counted(records, 'record')} ${how}`
}

function remark({ name }: Stream, slices: readonly string[], what: string): string | undefined {
  if (slices.length === 0) return undefined
  const named = slices.toSorted().slice(0, MOST_NAMED).join(', ')
  const more = slices.length > MOST_NAMED ? ` and ${slices.length - MOST_NAMED} more` : ''
  const lists = slices.length === 1 ? 'one list is' : `${slices.length} lists are`
  return `${name}: ${lists} ${what} (${named}${more})`
}

const ABSENT = 'missing although the parent is not deleted; the next run tries again'
const AT_BOUND =
  'at the maximum length that the service returns; it may have more records, which no sync can read'
const OUTSIDE = 'outside the requested range'
const TWINS = 'twice with the same content; each is stored once'
const MOST_NAMED = 5
