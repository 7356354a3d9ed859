import type { FileSource } from '../core/define/file-source.ts'
import type { Observer } from '../core/define/observer.ts'
import type { Stream } from '../core/define/stream.ts'
import type { Identity } from '../core/persons/identity.ts'
import type { Suppression } from '../core/persons/suppression.ts'
import type { Clock } from '../core/time/clock.ts'
import type { Voucher } from '../evidence/add-entries.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import type { NotingDeps } from './noted-key.ts'
import type { RemakeDeps } from './remake-report.ts'
import type { ReportMarks } from './sql/sent-reports.ts'
import type { Withdrawn } from './withdrawing.ts'

/**
 * The dependencies of an erasure. The store contains the account's archived files. `key` reads the evidence
 * key when it is needed.
 */
export interface ErasureDeps extends NotingDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
  /** All streams that have tables. */
  streams: readonly Stream[]
  /** The file sources, whose rows represent files. */
  files: readonly FileSource[]
  /** The reports and their folder, which is also searched for files that no ledger records. */
  reports: RemakeDeps['reports'] & { directory: string }
  /** The notification secrets. A request that arrived as a notification is proven by one of them. */
  secrets: readonly string[]
  /** Enters the changes in the manifest and signs a checkpoint. Called once per erasure, near its end. */
  sign(lease: Lease): Promise<void>
}

/** One person's erasure in progress. */
export interface Erasing extends ErasureDeps {
  account: string
  lease: Lease
  signal: AbortSignal
  /** The request's number; 0 in a dry run without a stored request. */
  request: number
  /**
   * Whether the erasure runs in a transaction that is rolled back; files, reports and evidence stay
   * unchanged.
   */
  dryRun: boolean
  identities: readonly Identity[]
  /** The suppression list of only this person. */
  suppression: Suppression
  outcome: Outcome
  /**
   * Longer IDs and addresses that contain one of the person's and belong to another person, as the tables
   * show.
   */
  others: Set<string>
  /** Longer words that the operator declared to be another person's. */
  othersWords: readonly string[]
  /**
   * Digests of contents that stay, because the store locks them or a hold covers another file with equal
   * content.
   */
  staying: Set<string>
  /** Whether the operator has dealt with the files that the last attempt reported as undecided. */
  settled: boolean
  marks: ReportMarks
}

/** Returns the account's evidence key and the reason that its entries give, e.g. `request 12`. */
export function vouchingOf({
  account,
  key,
  request,
}: Pick<Erasing, 'account' | 'key' | 'request'>): Voucher & { account: string } {
  return { account, key: key(), basis: `request ${request}` }
}

/** The result of an erasure: numbers, names of tables and holds, and the paths of undecided files. */
export interface Outcome {
  /** By stream, the number of deleted and of redacted versions of rows. */
  tables: Record<string, { deleted: number; redacted: number }>
  /** By table of our own ledgers, the number of rows that were deleted or emptied. */
  ledgers: Record<string, number>
  files: { removed: number; bytes: number }
  reports: Omit<Withdrawn, 'bytes'>
  /**
   * The files that remain. `held`: files, with their records, by hold. `shared`: contents that a file under a
   * hold has too, by hold. `locked`: contents under the store's own lock. After the end of the hold or the
   * lock, a prune removes `shared` and `locked`.
   */
  kept: {
    held: Record<string, number>
    /** By table, the versions of the held records that concern the person. */
    records: Record<string, number>
    shared: Record<string, number>
    locked: number
  }
  /** By table, the number of rows that still name the person. Empty after a full erasure. */
  leftBehind: Record<string, number>
  /**
   * By column, the number of rows in which an ID or an address may be part of a longer word. These words
   * were not changed.
   */
  uncertain: Record<string, number>
  /**
   * By column, the number of rows in which an ID or an address occurs only inside words that the operator
   * declared to be another person's.
   */
  another: Record<string, number>
  /** How many of the operator's words contain an ID or an address of this person. */
  words: number
}

/** Whether any data named the person, even if nothing was erased. */
export function foundAny(outcome: Outcome): boolean {
  const { tables, ledgers, files, reports, kept, leftBehind, uncertain, another } = outcome
  const counted = [
    ...Object.values(tables).flatMap(({ deleted, redacted }) => [deleted, redacted]),
    ...[ledgers, kept.held, kept.records, kept.shared].flatMap((by) => Object.values(by)),
    ...[leftBehind, uncertain, another].flatMap((by) => Object.values(by)),
  ]
  const others = [files.removed, reports.reports, reports.files, kept.locked]
  return [...counted, ...others].some((number) => number > 0)
}

export function emptyOutcome(): Outcome {
  return {
    tables: {},
    ledgers: {},
    files: { removed: 0, bytes: 0 },
    reports: { reports: 0, files: 0, anew: 0, undecided: [], settled: [] },
    kept: { held: {}, records: {}, shared: {}, locked: 0 },
    leftBehind: {},
    uncertain: {},
    another: {},
    words: 0,
  }
}

/** Counts the holds and the locked contents that keep data of the person; 0 if nothing does. */
export function keptCount({ held, shared, locked }: Outcome['kept']): number {
  return Object.keys(held).length + Object.keys(shared).length + locked
}
