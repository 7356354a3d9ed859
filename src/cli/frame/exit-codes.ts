import type { RunResult } from '../../sync/run/run-types.ts'
import { exitCodeOf } from './print-error.ts'

/** Returns the exit code of one account's runs. */
export function exitCodeOfRuns(results: readonly RunResult[]): number {
  // "Some slices missing" requires that other slices were read: if the service is unavailable, the run fails.
  // A service that responds but permits no reads counts as available.
  const counted = results.flatMap(({ slices }) => Object.values(slices))
  const someRead = counted.some(({ complete }) => complete > 0)
  const noneFailed = counted.every(({ failed }) => failed === 0)
  const someMissing = someRead || (noneFailed && counted.some(({ notAllowed }) => notAllowed > 0))
  return worst(results.map((result) => codeOf(result, someMissing)))
}

/** Returns the most severe of the exit codes. */
export function worst(codes: readonly number[]): number {
  return BY_GRAVITY.find((code) => codes.includes(code)) ?? 0
}

function codeOf({ state, error }: RunResult, someMissing: boolean): number {
  if (state === 'complete') return 0
  if (state === 'paused') return 3
  if (state === 'incomplete') return someMissing ? 4 : 1
  return error === undefined ? 1 : exitCodeOf(error) || 1
}

const BY_GRAVITY = [2, 1, 5, 4, 3]
