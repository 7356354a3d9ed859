import type { Clock } from '../core/time/clock.ts'
import type { FileOutcome } from './sql/files.ts'

/** Records what became of files in groups: one flush and one transaction for many. */
export interface Committer {
  /** Resolves when there is room for more; rejects if a group could not be recorded. */
  add(outcome: FileOutcome): Promise<void>
  /** Resolves when everything is recorded. */
  finish(): Promise<void>
}

/** A group is recorded when it is full, or its first file has waited long enough: a kill undoes no more. */
export function createCommitter(
  clock: Pick<Clock, 'alarm'>,
  commit: (group: readonly FileOutcome[]) => Promise<void>,
): Committer {
  let waiting: FileOutcome[] = []
  let running: Promise<void> | undefined
  let due = false
  let cancel: (() => void) | undefined
  const go = async (): Promise<void> => {
    while (waiting.length >= GROUP_FILES || (due && waiting.length > 0)) {
      const group = waiting
      waiting = []
      due = false
      cancel?.()
      cancel = undefined
      await commit(group)
    }
  }
  const start = (): Promise<void> => {
    running ??= go().finally(() => {
      running = undefined
    })
    // The next call of add or finish rejects with a failure.
    running.catch((error: unknown) => (failure ??= { error }))
    return running
  }
  let failure: { error: unknown } | undefined
  const flushSoon = (): void => {
    due = true
    void start()
  }
  return {
    async add(outcome) {
      if (failure !== undefined) throw failure.error
      waiting.push(outcome)
      if (waiting.length >= GROUP_FILES) void start()
      else cancel ??= clock.alarm(GROUP_MS, flushSoon)
      // Rather than pile up behind a slow disk or database.
      if (waiting.length >= 2 * GROUP_FILES) await running
    },
    async finish() {
      while (failure === undefined && (running !== undefined || waiting.length > 0)) {
        due = true
        await start()
      }
      cancel?.()
      if (failure !== undefined) throw failure.error
    },
  }
}

const GROUP_FILES = 1_000
const GROUP_MS = 5_000
