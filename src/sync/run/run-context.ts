import type { Client } from '../../api/client.ts'
import type { ArchiveCounts } from '../../archive/result.ts'
import type { ArchiveAccess } from '../../archive/work.ts'
import type { CircuitBreaker } from '../../core/circuit-breaker.ts'
import type { Observer } from '../../core/define/observer.ts'
import type { Words } from '../../core/define/own-words.ts'
import type { Stream } from '../../core/define/stream.ts'
import type { CallsheetError } from '../../core/errors.ts'
import type { Suppression } from '../../core/persons/suppression.ts'
import type { ColumnPolicy } from '../../core/records/column-policy.ts'
import type { ShownKeys } from '../../core/records/row-index.ts'
import type { RowSettings } from '../../core/records/row-part.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Window } from '../../core/time/spans.ts'
import type { DropLimits } from '../../core/values/large-drop.ts'
import type { EvidenceAccess } from '../../evidence/log/evidence-access.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import type { Lease } from '../../warehouse/ledger/lease.ts'
import type { DoubtedLists } from './doubted-lists.ts'
import type { AddedCounts, Progress, RunNotes } from './run-types.ts'
import type { SliceReading } from './slice-reading.ts'

/** The dependencies of the engine. Nothing is global, so that two accounts can run in parallel. */
export interface EngineDeps {
  warehouse: Warehouse
  client: Client
  clock: Clock
  observer: Observer
  /**
   * A drop past both limits, of a group or of a stream, keeps rows from being marked as deleted (promise 4).
   * A drop of at most `own` rows is exempt: our calls just removed that number of rows.
   */
  deletionGuard: DropLimits & { own?: number }
  /** For how many days `apply` leaves an unassigned number alone; by default none. */
  quarantineDays?: number
  /** A run is incomplete if absent lists, withdrawn lists or unreadable records exceed both limits. */
  absentLimit: DropLimits
  /** How many days back to read a stream without a limit of the service; by default the stream's limit. */
  historyDays?: number
  /** The service has no trash to list. */
  withoutTrash?: boolean
  /** The service's own words for documented words, if it has any. */
  words?: Words | undefined
  /** The fields that the account must not store, or may store only as digests. */
  columns?: ColumnPolicy | undefined
  /** By stream, the part of its records that the account keeps; other streams are kept whole. */
  rows?: RowSettings | undefined
  /** The number of rows that fill a transaction. */
  batchRows?: number
  /** Where files are stored; if undefined, none are downloaded. */
  archive?: ArchiveAccess
  /** The key and settings of the evidence; loaded only when an entry must be signed. */
  evidence?: () => EvidenceAccess
}

export type PlanDeps = Pick<EngineDeps, 'warehouse' | 'clock'> &
  Partial<Pick<EngineDeps, 'historyDays' | 'withoutTrash' | 'rows'>>

interface ProgressStep {
  planned?: number
  rows?: number
  ended?: readonly SliceReading['state'][]
}

/** A run's record of its progress and results. */
export interface RunLog {
  count(stream: Stream, counts: Partial<AddedCounts>): void
  /** Notes how many rows a stream's table has after the run. */
  countPresent(stream: Stream, rows: number): void
  /** Adds the outcomes of file downloads. */
  countFiles(counts: ArchiveCounts): void
  /** Records that the deletion guard of a stream tripped; the drops of its groups add up. */
  tripGuard(stream: Stream, drop: { missing: number; owned: number }): void
  /** Records that the account may not read a stream, and why. The run can still be complete. */
  refuse(stream: Stream, reason: string): void
  /**
   * Reports a problem that a person should read. A blocking one makes the run incomplete, and with it the
   * stream `of`: all streams if `of` is missing, none if it is `files`. A problem `for a person` blocks too,
   * and recurs in each run until somebody settles it.
   */
  problem(text: string, blocking: boolean | 'for a person', of?: Stream | 'files'): void
  /** Notes an error. The first error or blocking problem is the reason why the run is not complete. */
  failed(error: CallsheetError): void
  /** Whether a blocking problem concerns a stream. */
  inTrouble(stream: Stream): boolean
  /** Marks the run as paused, since the daily quota is exhausted: the next run reads the rest. */
  postpone(): void
  /** Counts planned slices, and ended ones by their outcome. */
  progress(stream: Stream, step: ProgressStep): void
  noted(): RunNotes
}

export interface RunContext extends EngineDeps, RunLog {
  account: string
  job: string
  runId: number
  chainRunId: number
  full: boolean
  /** As in `Job`. */
  range: Window | undefined
  lease: Lease
  signal: AbortSignal
  /** The erased persons; none is added while the lease is held. */
  suppression: Suppression
  /** The streams of this job that are nested in a stream's records. */
  cutsOf(stream: Stream): readonly Stream[]
  /** The streams of this job whose rows are deleted together with a row of the given stream. */
  deletedWith(stream: Stream): readonly Stream[]
  /** Keys that lists of this run showed although another list owns their rows. */
  shownBeside(stream: Stream): ShownKeys
  doubtedLists: DoubtedLists
  /** The places of records, by key, in each list that was read again to locate moved records. */
  placesSeen: Map<string, Promise<ReadonlyMap<string, ReadonlySet<string>> | undefined>>
  /** The operations that this run found to have no page numbers. */
  unnumbered: Set<string>
  /** Returns the number of the next request, counted over all slices of the run. */
  nextSequence(): number
  /** Returns the number of the next batch in `callsheet.batches`. */
  nextBatch(): number
  /** Leaves the remaining slices unread once the service no longer responds. */
  breaker: CircuitBreaker
  /** Receives the run's progress; `progress` calls it for streams. */
  onProgress: ((progress: Progress) => void) | undefined
}
