import type { Job } from '../../core/declare/job.ts'
import type { Stream } from '../../core/declare/stream.ts'
import type { Suppression } from '../../core/erasure/suppression.ts'
import { noCounts } from '../../core/records/row-batch.ts'
import type { Lease } from '../../warehouse/ledgers/lease.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { groupTables } from './group-tables.ts'
import type { EngineDeps, RunContext } from './run-context.ts'
import {
  emptyResult,
  type Progress,
  type RunResult,
  type SliceCounts,
  type TableCounts,
} from './run-types.ts'

export interface ContextOptions {
  account: string
  job: Job
  lease: Lease
  run: { id: number; chainRunId: number }
  full: boolean
  suppression: Suppression
  signal: AbortSignal
  onProgress: ((progress: Progress) => void) | undefined
}

/** A run's context and the result that it fills in as it goes. */
export function openContext(
  deps: EngineDeps,
  options: ContextOptions,
): { run: RunContext; result: RunResult } {
  const { job, run: opened } = options
  const result = emptyResult(opened.id, job.name)
  for (const stream of job.streams) result.tables[stream.name] = emptyTable()
  let sequence = 0
  let batches = 0
  const trouble = new Set<Stream | undefined>()
  const run: RunContext = {
    ...deps,
    account: options.account,
    job: job.name,
    runId: opened.id,
    chainRunId: opened.chainRunId,
    full: options.full,
    lease: options.lease,
    signal: options.signal,
    suppression: options.suppression,
    cutsOf: (stream) =>
      job.streams.filter((cut) => cut.sync.kind === 'nested' && cut.sync.parent === stream),
    deletedWith: (stream) => belongingTo(job.streams, stream),
    nextSequence: () => ++sequence,
    nextBatch: () => ++batches,
    count: (stream, counts) => addCounts(result.tables[stream.name], counts),
    tripGuard(stream, drop) {
      result.trippedGuards.push({ stream: stream.name, ...drop })
    },
    breaker: createCircuitBreaker(),
    tables: groupTables(),
    refuse(stream, reason) {
      result.notAllowed[stream.name] = reason
      result.problems.push(`${stream.name}: not allowed. ${reason}`)
    },
    problem(text, blocking, of) {
      result.problems.push(text)
      if (!blocking) return
      if (result.state === 'complete') result.state = 'incomplete'
      if (of !== 'files') trouble.add(of)
    },
    inTrouble: (stream) => trouble.has(stream) || trouble.has(undefined),
    postpone() {
      result.state = 'paused'
    },
    onProgress: options.onProgress,
    progress: progressReporter(result, options),
  }
  return { run, result }
}

/** The streams nested in the stream's records or read for each of its rows, and theirs in turn. */
function belongingTo(streams: readonly Stream[], stream: Stream): Stream[] {
  const own = streams.filter(
    ({ sync, deletions }) =>
      (sync.kind === 'nested' || (sync.kind === 'fan-out' && deletions.by !== 'never')) &&
      sync.parent === stream,
  )
  return own.flatMap((child) => [child, ...belongingTo(streams, child)])
}

function progressReporter(
  result: RunResult,
  { job, onProgress }: ContextOptions,
): RunContext['progress'] {
  const rows = new Map<string, number>()
  return (stream: Stream, step) => {
    const slices = slicesOf(result, stream)
    slices.planned += step.planned ?? 0
    rows.set(stream.name, (rows.get(stream.name) ?? 0) + (step.rows ?? 0))
    onProgress?.({
      job: job.name,
      stream: stream.name,
      slicesPlanned: slices.planned,
      slicesDone: slices.complete + slices.failed + slices.notAllowed + slices.notRead,
      rows: rows.get(stream.name) ?? 0,
    })
  }
}

export function slicesOf(result: RunResult, stream: Stream): SliceCounts {
  const none = { planned: 0, complete: 0, failed: 0, notAllowed: 0, notRead: 0 }
  return (result.slices[stream.name] ??= none)
}

function addCounts(table: TableCounts | undefined, counts: Partial<Added>): void {
  if (table === undefined) return
  for (const [name, more] of Object.entries(counts)) table[name as keyof Added] += more ?? 0
}

function emptyTable(): TableCounts {
  return { ...noCounts(), ignored: 0, quarantined: 0, anomalies: 0, present: null }
}

type Added = Omit<TableCounts, 'present'>
