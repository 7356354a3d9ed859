import { CallsheetError } from '../../core/errors/errors.ts'
import { ParentGone } from './list-files.ts'

/** How the files of one parent fared in its turn. */
export interface Tally {
  stored: number
  /** Answers that were no file, and say nothing of whether another try helps. */
  failed: number
  last: unknown
  /** Its list named a file that we looked for: whoever answers knows what the service has. */
  listed: boolean
}

/** Whose word it is that something is gone: the parent's list, or the answer to a file's address. */
export type Word = 'list' | 'file'

/** Whether files fail one like the other, as behind a proxy that answers for the service. */
export interface Alike {
  note(tally: Tally): void
  /** So many parents in a row gave nothing that others than the next ones should be asked. */
  doubtful(): boolean
  /** Ends the fetching: nobody else would fare better. */
  tripped(): CallsheetError | undefined
  /**
   * Nothing was stored, and much failed: then no such word counts, but that of lists where another list was
   * answered properly.
   */
  nothingElse(word: Word): boolean
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
      // A list that names its files shows that the service is there, also where there is no room for them.
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
 * Items in their order, but while it is doubtful whether any other would fare better, from all over the rest:
 * those that fail may lie side by side, and must not keep the others from their turn. `seed` begins elsewhere
 * each time.
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

/** What ended the fetching of files before all were tried, while the rest of the run goes on. */
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
