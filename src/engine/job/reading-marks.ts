import { meansWithheld } from '../../core/declare/means-deleted.ts'
import type { Stream } from '../../core/declare/stream.ts'
import { isAbsent, type SliceReading } from '../run/slice-reading.ts'

/** What a person should know of slices that were read to their end, and may not be all that there is. */
export interface ReadingMarks {
  note(readings: readonly SliceReading[]): void
  /** Records outside the ranges that were asked for. */
  outside(): number
  remarks(stream: Stream): string[]
}

export function readingMarks(): ReadingMarks {
  const atBound: string[] = []
  const refused: SliceReading[] = []
  let outside = 0
  return {
    outside: () => outside,
    note(readings) {
      for (const reading of readings) {
        outside += reading.outside
        if (reading.atBound) atBound.push(reading.slice.request.slice)
        if (reading.state === 'complete' && reading.error !== undefined) refused.push(reading)
      }
    },
    remarks(stream) {
      const withheld = refused
        .filter(({ error }) => meansWithheld(stream.operation, error))
        .map(({ slice }) => slice.request.slice)
      const absent = refused
        .filter((reading) => isAbsent(stream, reading))
        .map(({ slice }) => slice.request.slice)
      return [
        ...(outside === 0 ? [] : [`${stream.name}: ${outside} ${OUTSIDE}`]),
        remark(stream, absent, ABSENT),
        remark(stream, atBound, 'as long as the service shows at most, so some may be missing'),
        remark(stream, withheld, 'not for us to read; the others were read'),
      ].flatMap((text) => text ?? [])
    },
  }
}

function remark({ name }: Stream, slices: readonly string[], what: string): string | undefined {
  if (slices.length === 0) return undefined
  const named = slices.toSorted().slice(0, MOST_NAMED).join(', ')
  const more = slices.length > MOST_NAMED ? ` and ${slices.length - MOST_NAMED} more` : ''
  const lists = slices.length === 1 ? 'one list is' : `${slices.length} lists are`
  return `${name}: ${lists} ${what} (${named}${more})`
}

const ABSENT = 'not there, though no list showed that its parent is deleted; to be asked for again'
const OUTSIDE = 'records were shown outside the range that was asked for'
const MOST_NAMED = 5
