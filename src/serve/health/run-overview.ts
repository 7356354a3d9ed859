import type { AddedCounts, SliceCounts } from '../../sync/run/run-types.ts'
import { otherProblems, type PlainProblem, plainProblem, plainProblems } from './problems.ts'
import type { FoundRun, RunRecord, SliceRecord } from './read-runs.ts'

export interface RunOverview
  extends Pick<
    RunRecord,
    'id' | 'account' | 'job' | 'partial' | 'state' | 'startedAt' | 'finishedAt'
  > {
  inserted: number
  updated: number
  deleted: number
  problems: number
}

/** A run for a page. Omits the IDs in slice names, which may identify people. */
export interface RunDetail extends RunOverview {
  error: string | undefined
  said: readonly PlainProblem[]
  notAllowed: readonly { stream: string; reason: string }[]
  /** Deletions above the limit, whose rows were not marked as deleted. */
  drops: readonly { stream: string; missing: number; owned: number }[]
  streams: readonly RunStream[]
  /** Why slices failed. */
  failures: readonly (PlainProblem & { stream: string })[]
}

export interface RunStream extends Partial<AddedCounts & SliceCounts> {
  stream: string
}

export function overviewOf({ summary, error: _error, ...run }: RunRecord): RunOverview {
  const tables = Object.values(summary.tables ?? {})
  const sum = (field: 'inserted' | 'updated' | 'deleted'): number =>
    tables.reduce((total, table) => total + table[field], 0)
  return {
    ...run,
    inserted: sum('inserted'),
    updated: sum('updated'),
    deleted: sum('deleted'),
    problems: summary.problems?.length ?? 0,
  }
}

export function detailOf({ run, slices, keptFrom }: FoundRun): RunDetail {
  const { summary, error } = run
  const { tables = {}, slices: counts = {} } = summary
  const names = new Set([...Object.keys(counts), ...Object.keys(tables)])
  return {
    ...overviewOf(run),
    error: error === undefined ? undefined : plainProblem(error),
    said: [...notKept(keptFrom), ...plainProblems(otherProblems({ run, slices }))],
    notAllowed: Object.entries(summary.notAllowed ?? {}).map(([stream, reason]) => ({
      stream,
      reason: plainProblem(reason),
    })),
    drops: summary.trippedGuards ?? [],
    streams: [...names].map((stream) => ({ stream, ...counts[stream], ...tables[stream] })),
    failures: failuresOf(slices),
  }
}

/** Adds a note if an old run's details were pruned: without it, the run would seem to have read nothing. */
function notKept(keptFrom: string | undefined): PlainProblem[] {
  if (keptFrom === undefined) return []
  const text = `The details of runs before ${keptFrom.slice(0, 10)} are no longer kept.`
  return [{ text, times: 1 }]
}

function failuresOf(slices: readonly SliceRecord[]): RunDetail['failures'] {
  const failed = slices.filter(({ state }) => state === 'failed')
  return [...Map.groupBy(failed, ({ stream }) => stream)].flatMap(([stream, own]) =>
    plainProblems(own.map(({ error }) => error ?? 'failed')).map((one) => ({ stream, ...one })),
  )
}
