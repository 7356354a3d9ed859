import type { ArchiveCounts, FileProgress } from '../../archive/result.ts'
import type { RowCounts } from '../../core/records/row-batch.ts'
import type { AppendedEvidence } from '../../evidence/log/evidence-access.ts'
import type { KeptDays } from '../../warehouse/load/daily-counts.ts'
import type { RunState } from '../../warehouse/schema/types.ts'
import type { Failure } from './failure.ts'

/** What is counted as it happens. */
export interface AddedCounts extends RowCounts {
  /** Records shown by a slice that does not own them, or overruled by a later request. */
  ignored: number
  quarantined: number
  /**
   * Values that were missing, broken or of an unknown enumeration in the records written, and unknown
   * fields.
   */
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
  /** Left for the next run, because the daily quota is exhausted. */
  notRead: number
}

export interface TrippedGuard {
  stream: string
  missing: number
  owned: number
}

/** What a run noted of what it did, so far or in the end. */
export interface RunNotes {
  readonly runId: number
  readonly job: string
  readonly state: Exclude<RunState, 'running'>
  readonly tables: Readonly<Record<string, Readonly<TableCounts>>>
  readonly slices: Readonly<Record<string, Readonly<SliceCounts>>>
  readonly problems: readonly string[]
  /** Given if it is not complete, and all that keeps it from that is for a person to settle. */
  readonly needsPerson?: boolean
  /** The first reason why it is not complete, but for the error that ended it. */
  readonly failure?: Failure
  readonly trippedGuards: readonly TrippedGuard[]
  /** The streams that the account may not read, and why. They are left out, and the run does not fail. */
  readonly notAllowed: Readonly<Record<string, string>>
  /** What became of its files, if the job has any and they are archived. */
  readonly files?: ArchiveCounts
}

/** What one job's run came to. */
export interface RunResult extends RunNotes {
  /**
   * The names of the streams of which all that was due was read to its end. Reports read them as of this run,
   * even if something else was not complete. None if the run was broken off.
   */
  readonly read: readonly string[]
  /** How many records of its streams began on each day, as of the last run that read them to the end. */
  readonly days?: readonly KeptDays[]
  /** What was recorded and signed, in the run that does that for the others. */
  readonly evidence?: AppendedEvidence
  readonly durationMs: number
  /** The error that ended the run, if one did. */
  readonly error: unknown
}

/** What a run reports while it goes on, for progress bars: about a stream, or the files of a kind. */
export type Progress = StreamProgress | FileProgress

export interface StreamProgress {
  job: string
  stream: string
  slicesPlanned: number
  /** Those that were dealt with, whatever they came to. */
  slicesDone: number
  slicesFailed: number
  slicesNotAllowed: number
  slicesNotRead: number
  rows: number
}
