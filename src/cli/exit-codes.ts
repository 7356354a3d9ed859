import type { RunResult } from '../engine/run-result.ts'
import { exitCodeOf } from './print-error.ts'

/** What several runs come to, of one account. */
export function exitCodeOfRuns(results: readonly RunResult[]): number {
  return worst(results.map(codeOf))
}

/** Of several exit codes the one that most needs a person. */
export function worst(codes: readonly number[]): number {
  return BY_GRAVITY.find((code) => codes.includes(code)) ?? 0
}

function codeOf({ state, error, slices }: RunResult): number {
  if (state === 'complete') return 0
  if (state === 'to_be_continued') return 3
  // Of "some slices" one can speak only when others were read: a server that is away fails the run.
  const read = Object.values(slices).some(({ complete }) => complete > 0)
  if (state === 'incomplete') return read ? 4 : 1
  return error === undefined ? 1 : exitCodeOf(error) || 1
}

const BY_GRAVITY = [2, 1, 5, 4, 3]
