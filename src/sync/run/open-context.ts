import { type ArchiveCounts, addArchiveCounts } from '../../archive/result.ts'
import { type CircuitBreaker, createCircuitBreaker, isOutage } from '../../core/circuit-breaker.ts'
import type { Job } from '../../core/define/job.ts'
import type { Stream } from '../../core/define/stream.ts'
import type { CallsheetError } from '../../core/errors.ts'
import type { Suppression } from '../../core/persons/suppression.ts'
import { noCounts } from '../../core/records/row-batch.ts'
import { ShownKeys } from '../../core/records/row-index.ts'
import { utcDay } from '../../core/time/time.ts'
import type { Lease } from '../../warehouse/ledger/lease.ts'
import { doubtedLists } from './doubted-lists.ts'
import { type Failure, failureOf, failureOfProblem } from './failure.ts'
import type { EngineDeps, RunContext, RunLog } from './run-context.ts'
import type {
  AddedCounts,
  Progress,
  RunNotes,
  SliceCounts,
  TableCounts,
  TrippedGuard,
} from './run-types.ts'

interface ContextOptions {
  account: string
  job: Job
  lease: Lease
  run: { id: number; chainRunId: number }
  full: boolean
  suppression: Suppression
  signal: AbortSignal
  /** The breaker of all jobs of the sync. */
  breaker: CircuitBreaker
  onProgress: ((progress: Progress) => void) | undefined
}

/** Opens a run's context, which records the run's notes. */
export function openRunContext(deps: EngineDeps, options: ContextOptions): RunContext {
  const { account, job, run: opened, full, lease, signal, suppression, onProgress } = options
  const given = { account, full, lease, signal, suppression, onProgress }
  let sequence = 0
  let batches = 0
  const beside = new Map<Stream, ShownKeys>()
  return {
    ...deps,
    ...given,
    job: job.name,
    range: job.range,
    runId: opened.id,
    chainRunId: opened.chainRunId,
    cutsOf: (stream) =>
      job.streams.filter((cut) => cut.sync.kind === 'nested' && cut.sync.parent === stream),
    deletedWith: (stream) => belongingTo(job.streams, stream),
    nextSequence: () => ++sequence,
    nextBatch: () => ++batches,
    breaker: createCircuitBreaker(isOutage, options.breaker),
    doubtedLists: doubtedLists(),
    placesSeen: new Map(),
    unnumbered: new Set(),
    shownBeside(stream) {
      const keys = beside.get(stream) ?? new ShownKeys()
      beside.set(stream, keys)
      return keys
    },
    ...openLog(options),
  }
}

/** The nested and fan-out streams below a stream, at any depth, except fan-outs with the rule `never`. */
function belongingTo(streams: readonly Stream[], stream: Stream): Stream[] {
  const own = streams.filter(
    ({ sync, deletions }) =>
      (sync.kind === 'nested' || (sync.kind === 'fan-out' && deletions.by !== 'never')) &&
      sync.parent === stream,
  )
  return own.flatMap((child) => [child, ...belongingTo(streams, child)])
}

function emptyTables({ streams }: Job): Record<string, TableCounts> {
  const none = {
    ...noCounts(),
    ignored: 0,
    outside: 0,
    quarantined: 0,
    anomalies: 0,
    present: null,
  }
  return Object.fromEntries(streams.map(({ name }) => [name, { ...none }]))
}

function openLog({ job, run, onProgress }: ContextOptions): RunLog {
  const tables = emptyTables(job)
  const slices: Record<string, SliceCounts> = {}
  const rows = new Map<string, number>()
  const problems: string[] = []
  const trippedGuards: TrippedGuard[] = []
  const notAllowed: Record<string, string> = {}
  const trouble = openTrouble()
  let postponed = false
  let files: ArchiveCounts | undefined
  return {
    count({ name }, counts) {
      const table = tables[name]
      if (table === undefined) return
      for (const [of, more] of Object.entries(counts)) table[of as keyof AddedCounts] += more ?? 0
    },
    countPresent({ name }, present) {
      const table = tables[name]
      if (table === undefined) return
      table.present = present
    },
    countFiles(counts) {
      files = addArchiveCounts(files, counts)
    },
    tripGuard: (stream, drop) => addDrop(trippedGuards, { stream: stream.name, ...drop }),
    refuse(stream, reason) {
      notAllowed[stream.name] = reason
      problems.push(`${stream.name}: not allowed. ${reason}`)
    },
    problem(text, blocking, of) {
      problems.push(text)
      if (blocking !== false) trouble.add(blocking, of, text)
    },
    failed: trouble.because,
    inTrouble: (stream) => trouble.isIn(stream),
    postpone: () => void (postponed = true),
    progress({ name }, { planned = 0, rows: more = 0, ended = [] }) {
      const counts = (slices[name] ??= { ...NO_SLICES })
      counts.planned += planned
      for (const one of ended) counts[COUNTED[one]]++
      rows.set(name, (rows.get(name) ?? 0) + more)
      onProgress?.({
        job: job.name,
        stream: name,
        slicesPlanned: counts.planned,
        slicesDone: counts.complete + counts.failed + counts.notAllowed + counts.notRead,
        slicesFailed: counts.failed,
        slicesNotAllowed: counts.notAllowed,
        slicesNotRead: counts.notRead,
        rows: rows.get(name) ?? 0,
      })
    },
    noted() {
      const given = { ...(files && { files }), ...trouble.noted(), ...daysOf(job) }
      const notes = { tables, slices, problems, trippedGuards, notAllowed, ...given }
      const state = postponed ? 'paused' : trouble.isNone() ? 'complete' : 'incomplete'
      return { runId: run.id, job: job.name, state, ...structuredClone(notes) }
    },
  }
}

/** The first and the last day of a run that reads only a range. */
function daysOf({ range }: Job): Pick<RunNotes, 'range'> {
  return range === undefined
    ? {}
    : { range: { from: utcDay(range.fromMs), to: utcDay(range.toMs - 1) } }
}

/** Tracks why a run is not complete: which streams, the first reason, and whether a person must act. */
function openTrouble() {
  const streams = new Set<Stream | undefined>()
  const kinds = new Set<true | 'for a person'>()
  let failure: Failure | undefined
  return {
    add(kind: true | 'for a person', of: Stream | 'files' | undefined, text: string): void {
      kinds.add(kind)
      if (of !== 'files') streams.add(of)
      failure ??= failureOfProblem(text)
    },
    because: (error: CallsheetError): void => void (failure ??= failureOf(error)),
    isNone: () => kinds.size === 0,
    isIn: (stream: Stream): boolean => streams.has(stream) || streams.has(undefined),
    noted: () => ({
      ...(kinds.size === 1 && kinds.has('for a person') && { needsPerson: true }),
      ...(failure && { failure }),
    }),
  }
}

const NO_SLICES: SliceCounts = { planned: 0, complete: 0, failed: 0, notAllowed: 0, notRead: 0 }
const COUNTED = {
  complete: 'complete',
  failed: 'failed',
  not_allowed: 'notAllowed',
  not_read: 'notRead',
} as const

function addDrop(trippedGuards: TrippedGuard[], drop: TrippedGuard): void {
  const before = trippedGuards.find(({ stream }) => stream === drop.stream)
  if (before === undefined) trippedGuards.push({ ...drop })
  else {
    before.missing += drop.missing
    before.owned += drop.owned
  }
}
