import type { ArchiveCounts, FileProgress } from '../../archive/result.ts'
import type { RowCounts } from '../../core/records/row-batch.ts'
import type { AppendedEvidence } from '../../evidence/log/evidence-access.ts'
import type { KeptDays } from '../../warehouse/load/daily-counts.ts'
import type { RunState } from '../../warehouse/schema/types.ts'
import type { Failure } from './failure.ts'

/** Counts that a run adds to as it goes. */
export interface AddedCounts extends RowCounts {
  /** Records shown by a slice that does not own them, or overruled by a later request. */
  ignored: number
  /** Records outside the part that the account keeps: counted, and not stored. */
  outside: number
  quarantined: number
  /** Missing and broken values, unknown enumeration values and unknown fields in the records written. */
  anomalies: number
}

export interface TableCounts extends AddedCounts {
  /** Rows present in the table after the run; null if it ended before they were counted. */
  present: number | null
}

export interface SliceCounts {
  planned: number
  complete: number
  failed: number
  notAllowed: number
  /** Slices left for the next run, because the daily quota is exhausted. */
  notRead: number
}

export interface TrippedGuard {
  stream: string
  missing: number
  owned: number
}

/** A run's notes on its work, while it runs or at its end. */
export interface RunNotes {
  readonly runId: number
  readonly job: string
  readonly state: Exclude<RunState, 'running'>
  readonly tables: Readonly<Record<string, Readonly<TableCounts>>>
  readonly slices: Readonly<Record<string, Readonly<SliceCounts>>>
  readonly problems: readonly string[]
  /** Whether the run is not complete for reasons that only a person can settle. */
  readonly needsPerson?: boolean
  /** The first reason why the run is not complete, apart from the error that ended it. */
  readonly failure?: Failure
  readonly trippedGuards: readonly TrippedGuard[]
  /** The streams that the account may not read, and why. The run is incomplete if the job has no others. */
  readonly notAllowed: Readonly<Record<string, string>>
  /** The outcomes of file downloads, if the job archives files. */
  readonly files?: ArchiveCounts
  /** The days that the run read, if it read only the windows that touch them. */
  readonly range?: { readonly from: string; readonly to: string }
}

export interface RunResult extends RunNotes {
  /**
   * The names of the streams that were read to their end, without a blocking problem. Reports use them as of
   * this run, even if it is incomplete otherwise. Empty if an error ended the reading of the lists.
   */
  readonly read: readonly string[]
  /** How many records of the run's streams began each day, as of the last run that read them to the end. */
  readonly days?: readonly KeptDays[]
  /** The recorded and signed evidence; set only in the run that records it for the others. */
  readonly evidence?: AppendedEvidence
  readonly durationMs: number
  /** The error that ended the run, if one did. */
  readonly error: unknown
}

/** The progress of a run, for progress bars: of a stream, or of one kind of files. */
export type Progress = StreamProgress | FileProgress

export interface StreamProgress {
  job: string
  stream: string
  slicesPlanned: number
  /** Slices that ended, whatever their outcome. */
  slicesDone: number
  slicesFailed: number
  slicesNotAllowed: number
  slicesNotRead: number
  rows: number
}
