import type { Note } from '../../src/core/define/report.ts'
import { note } from '../shared/blocks.ts'
import { lowerFirst } from '../shared/words.ts'
import type { Days } from './days.ts'
import type { AuditSource } from './source.ts'

/** How completely the period was read. */
type Reading = Pick<AuditSource, 'coverage' | 'days' | 'lacking' | 'period'>

/** Limits a sentence that something does not exist to the data that was read. */
export function asFarAsRead(
  reading: Reading,
  sentence: string,
  whole: boolean = reading.coverage.whole,
): string {
  if (nothingRead(reading)) return `Nothing of ${reading.period.label} was read.`
  return whole ? sentence : `As far as data was read, ${lowerFirst(sentence)}`
}

export function nothingRead({ days, lacking }: Reading): boolean {
  return days.every((day) => lacking.get(day) === 'not read')
}

/** Returns a note that figures are too low or partial; nothing if everything was read. */
export function incompleteNotes({ coverage }: Reading, days: readonly Days[]): Note[] {
  if (!coverage.whole) return [coverage.verdict]
  const incomplete = days.filter(({ state }) => state === 'incomplete')
  if (incomplete.length === 0) return []
  const count = incomplete.reduce((sum, range) => sum + range.count, 0)
  const text =
    `${count === 1 ? '1 day is' : `${count} days are`} NOT complete: the figures are too low ` +
    'or partial. The sheet Provenance shows the reason.'
  return [note('bad', text)]
}
