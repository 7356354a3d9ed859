import { CallsheetError } from '../core/errors.ts'
import { ParentGone } from './list-files.ts'
import type { Word } from './sql/files.ts'

/** What came of the files of one parent. */
export interface Tally {
  stored: number
  /** Answers that were no file, and do not say whether another try helps. */
  failed: number
  last: unknown
  /** Its list named a file that we want: so the answer really comes from the service. */
  listed: boolean
}

/** The circuit breaker of files: notices if all fail alike, as in an outage or behind a proxy. */
export interface Alike {
  note(tally: Tally): void
  /** So many parents in a row gave nothing that parents from elsewhere in the order should be tried. */
  doubtful(): boolean
  /** Ends the fetching: no other parent would do better. */
  tripped(): CallsheetError | undefined
  /**
   * Nothing was stored, and much failed: then no answer that a file is not there counts. A list's answer
   * still counts if another list was answered properly.
   */
  nothingElse(word: Word | undefined): boolean
}

export function createAlike(): Alike {
  let inRow = 0
  let stored = 0
  let failed = 0
  let listed = false
  let last: unknown
  return {
    note(tally) {
      stored += tally.stored
      failed += tally.failed
      listed ||= tally.listed
      // A list that names its files shows that the service is there, even if there is no room for them.
      if (tally.stored > 0 || (tally.listed && tally.failed === 0)) inRow = 0
      else if (tally.failed > 0) {
        inRow++
        last = tally.last
      }
    },
    doubtful: () => inRow >= FEW_PARENTS,
    tripped: () => (inRow >= MOST_PARENTS ? allAlike(last) : undefined),
    nothingElse: (word) => stored === 0 && failed >= MANY_FAILURES && !(word === 'list' && listed),
  }
}

/**
 * Items in their order. While it is doubtful whether any other would do better, they come from all over the
 * rest: failing ones may lie side by side, and must not keep the others waiting. `seed` begins elsewhere each
 * time.
 */
export function* fromAllOver<T>(
  items: readonly T[],
  { doubtful, seed }: { doubtful: () => boolean; seed: number },
): Generator<T> {
  const taken = new Set<number>()
  let picks = seed
  let next = 0
  for (; next < items.length; next++) {
    while (doubtful() && taken.size < items.length - next) {
      let at = next + Math.floor(((++picks * GOLDEN) % 1) * (items.length - next))
      while (taken.has(at)) at = at + 1 < items.length ? at + 1 : next
      taken.add(at)
      yield items[at] as T
    }
    if (!taken.delete(next)) yield items[next] as T
  }
}

function allAlike(last: unknown): CallsheetError {
  const facts = last instanceof CallsheetError ? last.facts : undefined
  const came = last instanceof ParentGone ? last.came : facts?.came
  return new CallsheetError(FILES_HALTED, {
    tried: 'fetching files',
    expected: `a file of one of ${MOST_PARENTS} sessions in a row, from all over the list`,
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
const GOLDEN = 0.618_033_988_75
const FEW_PARENTS = 3
const MOST_PARENTS = 8
export const MANY_FAILURES = 8
