import { CallsheetError } from '../../src/core/errors.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import type { SimulatedProcess } from './simulated-process.ts'

/** A process and what came of its work. */
export class Running {
  results: RunResult[] | undefined
  error: unknown
  readonly process: SimulatedProcess
  readonly full: boolean
  constructor(process: SimulatedProcess, full: boolean) {
    this.process = process
    this.full = full
  }

  /** It ended a chain: each of its jobs tried every slice. */
  get triedAll(): boolean {
    return (
      this.results?.every(({ state }) => state === 'complete' || state === 'incomplete') === true
    )
  }

  get green(): boolean {
    return this.results?.every(({ state }) => state === 'complete') === true
  }

  /** In words that are the same each time: no process ids, no run ids. */
  said(): string {
    if (this.process.crashed) return 'crashed'
    if (this.results === undefined) return codeOf(this.error)
    return this.results
      .map(
        ({ job, state, error }) =>
          `${job} ${state}${error === undefined ? '' : ` ${codeOf(error)}`}`,
      )
      .join('; ')
  }
}

function codeOf(error: unknown): string {
  return error instanceof CallsheetError ? error.code : String(error)
}
