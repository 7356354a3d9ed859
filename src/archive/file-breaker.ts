import { createCircuitBreaker, FAILURES_IN_A_ROW } from '../core/circuit-breaker.ts'
import { CallsheetError } from '../core/errors.ts'
import { ParentGone } from './list-files.ts'

/** What came of the files of one parent. */
export interface Tally {
  stored: number
  /** Answers that were no file, and do not say whether another try helps. */
  failed: number
  last: unknown
}

/** Notices if the files of all parents fail, as in an outage or behind a proxy. */
export interface FileBreaker {
  note(tally: Tally): void
  /** So many parents in a row gave nothing that those should be tried that did not fail before. */
  doubtful(): boolean
  /** Ends the fetching: no other parent would do better. */
  tripped(): CallsheetError | undefined
  /** Nothing was stored, and much failed: then no answer that a file is not there counts. */
  nothingCame(): boolean
}

export function createFileBreaker(): FileBreaker {
  // Every answer counts: a proxy's 404 or a scope that lacks would cost the calls of all parents each night.
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
 * Items in their order. In doubt, those that were tried least come first, and the last of these: failing ones
 * may lie side by side, and must not keep the others from their turn.
 */
export function* inTurn<T>(
  items: readonly T[],
  { doubtful, triesOf }: { doubtful: () => boolean; triesOf: (item: T) => number },
): Generator<T> {
  // From its end, so that a long list is not moved for each of its items.
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
    tried: 'fetching files',
    expected: `a file of one of ${FAILURES_IN_A_ROW} sessions in a row, from both ends of the list`,
    came: `none of them gave any; the last answer: ${came ?? 'no reason'}`,
    todo: `${facts?.todo ?? 'find out what answers there'}; no file is written off by this`,
  })
}

/** The fetching of files ended before all were tried; the rest of the run goes on. */
export function isHalt(error: unknown): error is CallsheetError {
  return error instanceof CallsheetError && error.code === FILES_HALTED
}

export function timeOver(minutes: number): CallsheetError {
  return new CallsheetError(FILES_HALTED, {
    tried: 'fetching files',
    expected: `an end within ${minutes} minutes (archive.runMinutes)`,
    came: 'the time is over, and what is left waits for the next run',
    todo: 'raise archive.runMinutes if there is that much to fetch',
  })
}

const FILES_HALTED = 'files_halted'
const FEW_PARENTS = 3
