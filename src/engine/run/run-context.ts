import type { Client } from '../../api/client.ts'
import type { Observer } from '../../core/declare/observer.ts'
import type { Words } from '../../core/declare/own-words.ts'
import type { FoundReadings } from '../../core/declare/ports.ts'
import type { Stream } from '../../core/declare/stream.ts'
import type { Suppression } from '../../core/erasure/suppression.ts'
import type { RowCounts } from '../../core/records/row-batch.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Warehouse } from '../../warehouse/connection/connect.ts'
import type { Lease } from '../../warehouse/ledgers/lease.ts'
import type { ArchiveAccess } from './archive-access.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { EvidenceAccess } from './evidence-access.ts'
import type { GroupTables } from './group-tables.ts'
import type { Progress } from './run-types.ts'

export type ReportWindows = 'learn' | 'month' | 'across'

/**
 * What every use case of the engine is given. Nothing here is global, so that two accounts can run side by
 * side.
 */
export interface EngineDeps {
  warehouse: Warehouse
  client: Client
  clock: Clock
  observer: Observer
  /** How the account's service reads what its documents leave open. */
  found: FoundReadings
  /**
   * A drop past both in one slice stops the marking of deleted rows (promise 4). One of at most `own` rows is
   * our own doing: so many were just taken away by our calls.
   */
  deletionGuard: { share: number; rows: number; own?: number }
  /** Of a stream's lists more than both may not be not there, while the service lists what they belong to. */
  absentLimit: { share: number; lists: number }
  /** How far back streams without a bound of the service's are read; as each says if not given. */
  historyDays?: number
  /** Whether windows of a month may reach over its end; found out if not given. */
  reportWindows?: ReportWindows
  /** The service has no trash to list. */
  withoutTrash?: boolean
  /** The service's own words, where it has any. */
  words?: Words | undefined
  /** Rows to a transaction; what is usual if not given. */
  batchRows?: number
  /** Where files go; without it none are fetched. */
  archive?: ArchiveAccess
  /** What signs what was archived; asked only when something is to be signed. */
  evidence?: () => EvidenceAccess
}

/** What planning needs of it; without `found` nothing was. */
export type PlanDeps = Pick<EngineDeps, 'warehouse' | 'clock'> &
  Partial<Pick<EngineDeps, 'found' | 'historyDays' | 'reportWindows' | 'withoutTrash'>>

interface Extras {
  ignored?: number
  quarantined?: number
  anomalies?: number
}

/** One job's run, while it runs. */
export interface RunContext extends EngineDeps {
  account: string
  job: string
  runId: number
  chainRunId: number
  full: boolean
  lease: Lease
  signal: AbortSignal
  /** Whom the account must not keep; none is added while the lease is held. */
  suppression: Suppression
  /** The streams that are cut from a stream's records in this job. */
  cutsOf(stream: Stream): readonly Stream[]
  /** The streams of this job whose rows are gone when the row in this one that they belong to is. */
  deletedWith(stream: Stream): readonly Stream[]
  tables: GroupTables
  /** Numbers requests by their start, over all slices of the run. */
  nextSequence(): number
  /** Numbers batches, for the ledger of what was written. */
  nextBatch(): number
  count(stream: Stream, counts: Partial<RowCounts> & Extras): void
  /** Ends the run early when the service no longer answers. */
  breaker: CircuitBreaker
  /** Says that the marking of a stream was stopped. */
  tripGuard(stream: Stream, drop: { missing: number; owned: number }): void
  /** Says that the account may not read a stream, and why. The run may be complete all the same. */
  refuse(stream: Stream, reason: string): void
  /**
   * Says something that a person should read. The run is not complete when `blocking`, and then neither is
   * what was read of the stream `of`, nor of any where none is named; of `files` it says nothing of the rows.
   */
  problem(text: string, blocking: boolean, of?: Stream | 'files'): void
  /** Whether a blocking problem concerns a stream. */
  inTrouble(stream: Stream): boolean
  /** The day's quota is spent: what is left is for the next run. */
  postpone(): void
  /** Whom to tell how far the run is; `progress` does it for streams. */
  onProgress: ((progress: Progress) => void) | undefined
  progress(stream: Stream, step: { slices?: number; rows?: number; planned?: number }): void
}
