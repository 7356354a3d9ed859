import type { RunResult } from '../engine/run-result.ts'
import { exitCodeOf } from './print-error.ts'

/** What several runs come to, of one account. */
export function exitCodeOfRuns(results: readonly RunResult[]): number {
  // Of "some slices" one can speak only when others were read: a service that is away fails the run.
  const someRead = results.some(({ slices }) =>
    Object.values(slices).some(({ complete }) => complete > 0),
  )
  return worst(results.map((result) => codeOf(result, someRead)))
}

/** Of several exit codes the one that most needs a person. */
export function worst(codes: readonly number[]): number {
  return BY_GRAVITY.find((code) => codes.includes(code)) ?? 0
}

function codeOf({ state, error }: RunResult, someRead: boolean): number {
  if (state === 'complete') return 0
  if (state === 'to_be_continued') return 3
  if (state === 'incomplete') return someRead ? 4 : 1
  return error === undefined ? 1 : exitCodeOf(error) || 1
}

const BY_GRAVITY = [2, 1, 5, 4, 3]
