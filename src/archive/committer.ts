import type { Clock } from '../core/time/clock.ts'
import type { FileOutcome } from './sql/files.ts'

/** Records the outcomes of files in groups, so that many files share one flush and one transaction. */
export interface Committer {
  /** The caller that fills a group waits until it is recorded. Rejects if a group could not be recorded. */
  add(outcome: FileOutcome): Promise<void>
  /** Resolves when everything is recorded. */
  finish(): Promise<void>
}

/** Records a group when it is full or its first file has waited for `GROUP_MS`. A kill then loses little. */
export function createCommitter(
  clock: Pick<Clock, 'alarm'>,
  commit: (group: readonly FileOutcome[]) => Promise<void>,
): Committer {
  let waiting: FileOutcome[] = []
  let cancel: (() => void) | undefined
  let recorded = Promise.resolve()
  let failed = false
  const record = (): Promise<void> => {
    cancel?.()
    cancel = undefined
    const group = waiting
    waiting = []
    if (group.length > 0) recorded = recorded.then(() => commit(group))
    recorded.catch(() => (failed = true))
    return recorded
  }
  return {
    async add(outcome) {
      if (failed) await recorded
      waiting.push(outcome)
      if (waiting.length >= GROUP_FILES) await record()
      else cancel ??= clock.alarm(GROUP_MS, () => void record())
    },
    finish: record,
  }
}

const GROUP_FILES = 1_000
const GROUP_MS = 5_000
