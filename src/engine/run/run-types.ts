import type { FileKind } from '../../core/declare/file-source.ts'
import type { RowCounts } from '../../core/records/row-batch.ts'
import type { RunState } from '../../warehouse/connection/types.ts'
import type { ArchiveCounts } from './archive-counts.ts'
import type { AppendedEvidence } from './evidence-access.ts'

export interface TableCounts extends RowCounts {
  /** Records shown by a slice that does not own them, or overruled by a later request. */
  ignored: number
  quarantined: number
  /**
   * Values that were missing, broken or of an unknown enumeration in the records written, and unknown
   * fields.
   */
  anomalies: number
  /** Rows present in the table after the run; null if it ended before they were counted. */
  present: number | null
}

export interface SliceCounts {
  planned: number
  complete: number
  failed: number
  notAllowed: number
  /** Left for the next run, because the daily quota is exhausted. */
  notRead: number
}

export interface TrippedGuard {
  stream: string
  missing: number
  owned: number
}

/** What one job's run came to. */
export interface RunResult {
  runId: number
  job: string
  state: Exclude<RunState, 'running'>
  tables: Record<string, TableCounts>
  slices: Record<string, SliceCounts>
  problems: string[]
  trippedGuards: TrippedGuard[]
  /** The streams that the account may not read, and why. They are left out, and the run does not fail. */
  notAllowed: Record<string, string>
  /**
   * The names of the streams of which all that was due was read to its end. Reports read them as of this run,
   * even if something else was not complete. None if the run was broken off.
   */
  read: string[]
  /** What became of its files, if the job has any and they are archived. */
  files?: ArchiveCounts
  /** What was recorded and signed, in the run that does that for the others. */
  evidence?: AppendedEvidence
  durationMs: number
  /** The error that ended the run, if one did. */
  error: unknown
}

/** Of a run that has done nothing yet. */
export function emptyResult(runId: number, job: string): RunResult {
  return {
    runId,
    job,
    state: 'complete',
    tables: {},
    slices: {},
    problems: [],
    trippedGuards: [],
    notAllowed: {},
    read: [],
    durationMs: 0,
    error: undefined,
  }
}

/** What a run reports while it goes on, for progress bars: about a stream, or the files of a kind. */
export type Progress = StreamProgress | FileProgress

export interface StreamProgress {
  job: string
  stream: string
  slicesPlanned: number
  slicesDone: number
  rows: number
}

export interface FileProgress {
  files: FileKind
  /** Of so many files that are due, so many are stored, or known not to be. */
  filesDone: number
  filesPlanned: number
  bytes: number
}
