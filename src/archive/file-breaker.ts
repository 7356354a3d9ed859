import { createCircuitBreaker, FAILURES_IN_A_ROW } from '../core/circuit-breaker.ts'
import { CallsheetError } from '../core/errors.ts'
import { duration } from '../core/values/quantities.ts'
import { ParentGone } from './list-files.ts'

/** The counts of one parent's outcomes. */
export interface Tally {
  stored: number
  /** The number of failed downloads and listings. */
  failed: number
  last: unknown
}

/** Detects that many parents in a row fail, as in an outage or behind a proxy. */
export interface FileBreaker {
  note(tally: Tally): void
  /** True if at least three parents in a row failed. Then the parents tried least should come first. */
  doubtful(): boolean
  /** The error that ends the fetching; undefined while the fetching may continue. */
  tripped(): CallsheetError | undefined
  /** True if no file was stored and many failed. Then no "file is not there" answer counts. */
  nothingCame(): boolean
}

export function createFileBreaker(): FileBreaker {
  // Every error counts: a proxy's 404 or a missing scope would otherwise use calls for all parents each
  // night.
  const breaker = createCircuitBreaker(() => true)
  let stored = 0
  let failed = 0
  return {
    note(tally) {
      stored += tally.stored
      failed += tally.failed
      breaker.note(tally.stored > 0 || tally.failed === 0 ? undefined : tally.last)
    },
    doubtful: () => breaker.failures() >= FEW_PARENTS,
    tripped() {
      const last = breaker.tripped()
      return last === undefined ? undefined : filesHalted(last)
    },
    nothingCame: () => stored === 0 && failed >= FAILURES_IN_A_ROW,
  }
}

/**
 * Yields items in order. While `doubtful`, yields the item tried least instead, and of several the last one:
 * failing parents are often adjacent and must not block the others.
 */
export function* inTurn<T>(
  items: readonly T[],
  { doubtful, triesOf }: { doubtful: () => boolean; triesOf: (item: T) => number },
): Generator<T> {
  // Takes items from the end, so that a long list is not shifted for each of them.
  const rest = items.toReversed()
  while (rest.length > 0) {
    const least = (a: number, item: T): number => Math.min(a, triesOf(item))
    const tries = doubtful() ? rest.reduce(least, Infinity) : undefined
    const at = tries === undefined ? -1 : rest.findIndex((item) => triesOf(item) === tries)
    yield* rest.splice(at, 1)
  }
}

function filesHalted(last: unknown): CallsheetError {
  const facts = last instanceof CallsheetError ? last.facts : undefined
  const came = last instanceof ParentGone ? last.came : facts?.came
  return new CallsheetError(FILES_HALTED, {
    tried: 'Downloading files',
    came: `${FAILURES_IN_A_ROW} sessions in a row gave no file; the last reason: ${came ?? 'unknown'}`,
    todo: `${facts?.todo ?? "contact the service's support"}; the files stay pending`,
  })
}

/** Whether the error ended only the fetching of files; the rest of the run continues. */
export function isHalt(error: unknown): error is CallsheetError {
  return error instanceof CallsheetError && error.code === FILES_HALTED
}

export function timeOver(mostMs: number): CallsheetError {
  return new CallsheetError(FILES_HALTED, {
    tried: 'Downloading files',
    came: `the time limit of ${duration(mostMs)} is reached; the remaining files wait for the next run`,
    todo: 'run again to download the rest',
  })
}

const FILES_HALTED = 'files_halted'
const FEW_PARENTS = 3
