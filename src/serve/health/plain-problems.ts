import { maskSecrets, plainText } from '../../core/values/plain-text.ts'
import { problemKind, withoutCall } from './problem-kinds.ts'

/** What a run said of some of its slices, or of itself. */
export interface PlainProblem {
  /** The first of them, where several say the same of other slices. */
  text: string
  /** How many problems are of this kind. */
  times: number
}

/**
 * What runs said, as a page may show it: names of single lists, addresses and telephone numbers are left out,
 * because they may name persons. Problems that then say the same are counted.
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

/** A slice of one parent, by its ID. What other lists are filtered by names nobody. */
const LIST_OF_ONE = /\b(whiteboard|number|order|session|consent|location|user)=[^\s:;,]+/g
const MAIL_ADDRESS = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g
const TELEPHONE_NUMBER = /\+\d[\d ()-]{5,18}\d/g
const LONGEST = 2_000
