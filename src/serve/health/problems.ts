import { maskSecrets, plainText } from '../../core/values/text.ts'
import type { FoundRun } from './read-runs.ts'

/** A problem of a run or of some of its slices. */
export interface PlainProblem {
  /** The text of the first of its kind. */
  text: string
  /** How many problems are of the same kind. */
  times: number
}

/**
 * Prepares problems for pages: removes the IDs in slice names, mail addresses and telephone numbers, which
 * may identify people, and counts the problems of each kind.
 */
export function plainProblems(problems: readonly string[]): PlainProblem[] {
  const kinds = Map.groupBy(problems.map(plainProblem), (text) => problemKind(text))
  return [...kinds.values()].map((same) => ({ text: same[0] ?? '', times: same.length }))
}

export function plainProblem(text: string): string {
  const impersonal = withoutCall(text)
    .replace(LIST_OF_ONE, '$1=…')
    .replace(MAIL_ADDRESS, '…@…')
    .replace(TELEPHONE_NUMBER, '+…')
  return plainText(maskSecrets(impersonal), LONGEST)
}

/** Matches a slice name with a parent's ID. Other slice names identify nobody. */
const LIST_OF_ONE = /\b(whiteboard|number|order|session|consent|location|user)=[^\s:;,]+/g
const MAIL_ADDRESS = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g
const TELEPHONE_NUMBER = /\+\d[\d ()-]{5,18}\d/g
const LONGEST = 2_000

/**
 * Returns a problem's text without its slice, instants, counts and IDs, so that problems of one kind are
 * equal. HTTP statuses and codes remain, because they distinguish kinds.
 */
export function problemKind(text: string, slice = ''): string {
  const [, own = ''] = /=(.+)$/.exec(slice) ?? []
  const impersonal = own === '' ? text : text.replaceAll(own, '#')
  return withoutCall(impersonal)
    .replace(NUMBERED, (all: string, kept: string | undefined) => (kept === undefined ? '#' : all))
    .replace(LONG_NAME, '#')
}

/** Removes the tracking ID, which differs between calls. */
export function withoutCall(text: string): string {
  return text.replace(TRACKING_ID, '')
}

/** Returns the run's problems, without those that its error or its shown slices already report. */
export function otherProblems({ run, slices }: Pick<FoundRun, 'run' | 'slices'>): string[] {
  const { error = '', summary } = run
  const shown = new Set(
    slices.map(({ stream, slice, error: reason }) => `${stream} ${slice}: ${reason}`),
  )
  return (summary.problems ?? []).filter(
    (problem) => !shown.has(problem) && !error.includes(problem),
  )
}

const TRACKING_ID = / \(x-svc-trackingid [^)]*\)/g
/** Matches a word with a digit. The group matches the name before a status or code, which is not replaced. */
const NUMBERED = /(\b(?:HTTP|code|status) )?[\w.:+%@~-]*\d[\w.:+%@~-]*/g
const LONG_NAME = /[\w-]{24,}/g

/** Lists a few names and the number of the others. */
export function namesOf(names: readonly string[]): string {
  const sorted = names.toSorted()
  if (sorted.length <= MOST_NAMED) return sorted.join(', ')
  return `${sorted.slice(0, MOST_NAMED).join(', ')} and ${sorted.length - MOST_NAMED} more`
}

const MOST_NAMED = 5
