import type { Write } from './counts.ts'
import type { Run, Runs } from './runs.ts'

/** How a table's rows changed from before the day to after it. */
export interface RowMoves {
  /** The rows after the last full run of the job before the day: 0 without a run, undefined if unknown. */
  before: number | undefined
  /** The rows when the job's last run of the day ended; undefined if unknown. */
  after: number | undefined
  /** The writes of the day's runs. */
  inserted: number
  updated: number
  deleted: number
  /** How many rows more, or fewer if negative, than `before` and the writes explain; 0 if not comparable. */
  adrift: number
  /** Whether the numbers must agree: both are known, no other job wrote, and nobody was erased in between. */
  comparable: boolean
}

/**
 * Compares the row counts that runs record at their end. Compares nothing if another job or an erasure may
 * have changed rows between the counts, for example by deleting the rows of a deleted parent.
 */
export function rowMoves(stream: string, { runs, writes, erasures, job }: Known): RowMoves {
  const own = writes.filter((write) => write.stream === stream)
  const ids = new Set(runs.ofDay.map(({ id }) => id))
  const ofDay = own.filter(({ runId }) => ids.has(runId))
  const sum = (of: typeof own, name: 'inserted' | 'updated' | 'deleted' | 'left'): number =>
    of.reduce((total, write) => total + write[name], 0)
  const moved = {
    inserted: sum(ofDay, 'inserted'),
    updated: sum(ofDay, 'updated'),
    deleted: sum(ofDay, 'deleted'),
  }
  const counted = runs.ofDay.filter((run) => run.job === job && present(run, stream) !== undefined)
  const closing = counted.at(-1)
  const opening = job === undefined ? undefined : runs.before.get(job)
  const isFirst = job !== undefined && !runs.before.has(job)
  const before = isFirst ? 0 : present(opening, stream)
  const after = present(closing, stream)
  if (before === undefined || after === undefined || closing === undefined)
    return { before, after, ...moved, adrift: 0, comparable: false }
  const since = own.filter(({ runId }) => runId > (opening?.id ?? 0) && runId <= closing.id)
  const fromMs = opening?.endedMs ?? 0
  const untilMs = closing.endedMs ?? Number.POSITIVE_INFINITY
  const erased = erasures.some((atMs) => atMs >= fromMs && atMs <= untilMs)
  const comparable = !erased && since.every((write) => write.job === job)
  const taken = sum(since, 'deleted') + sum(since, 'left')
  const adrift = after - before - sum(since, 'inserted') + taken
  return { before, after, ...moved, adrift: comparable ? adrift : 0, comparable }
}

interface Known {
  runs: Runs
  writes: readonly Write[]
  erasures: readonly number[]
  /** The stream's own job. */
  job: string | undefined
}

function present(run: Run | undefined, stream: string) {
  return run?.tables[stream]?.present ?? undefined
}
