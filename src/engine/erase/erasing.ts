import type { FileStore } from '../../archive/store.ts'
import type { FileSource } from '../../core/declare/file-source.ts'
import type { Observer } from '../../core/declare/observer.ts'
import type { Stream } from '../../core/declare/stream.ts'
import type { Identity } from '../../core/erasure/identity.ts'
import type { Suppression } from '../../core/erasure/suppression.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { SigningKey } from '../../evidence/signing-key.ts'
import type { Warehouse } from '../../warehouse/connection/connect.ts'
import type { Lease } from '../../warehouse/ledgers/lease.ts'
import type { Voucher } from '../evidence/add-entries.ts'

export interface ErasureDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
  /** Where the account's archived files lie. */
  store: FileStore
  /** All streams of which there are tables. */
  streams: readonly Stream[]
  /** Whose rows stand for files. */
  files: readonly FileSource[]
  /** Where reports are put, and what they are called: searched for what was never recorded, too. */
  reports: { directory: string; names: readonly string[] }
  /** Vouches for what the erasure enters and for its request; made when it is first needed. */
  key(): SigningKey
  /** By which requests are believed that others made: what notifications are signed with. */
  secrets: readonly string[]
  /** Enters what was done in the manifest and signs a head over it; called once all is done. */
  sign(lease: Lease): Promise<void>
}

/** One person's erasure, while it is under way. */
export interface Erasing extends ErasureDeps {
  account: string
  lease: Lease
  signal: AbortSignal
  /** What explains the entries that it makes. */
  basis: string
  /** Nothing is changed: what would be is counted. */
  dryRun: boolean
  identities: readonly Identity[]
  /** Of this person alone. */
  suppression: Suppression
  outcome: Outcome
  /** Contents that the store's own lock keeps, or a hold on another file that has them. */
  staying: Set<string>
}

/** With the key of the account's evidence, and what explains the entries that are made. */
export function vouchingOf({ account, key, basis }: Erasing): Voucher & { account: string } {
  return { account, key: key(), basis }
}

/** What an erasure came to, in numbers alone. */
export interface Outcome {
  /** By table: rows that went, and rows that stay without the person. Versions count one each. */
  tables: Record<string, { deleted: number; redacted: number }>
  /** By table of our own ledgers: rows that went or were emptied. */
  ledgers: Record<string, number>
  files: { removed: number; bytes: number }
  reports: { reports: number; files: number }
  /**
   * What a hold or the store's own lock keeps, and which: files with their records; contents that a file
   * under the hold has, too; contents under the lock. The last two are for a prune to take once it may.
   */
  kept: {
    held: Record<string, number>
    /** By table, the versions of those records that concern the person. */
    records: Record<string, number>
    shared: Record<string, number>
    locked: number
  }
  /** By table, in how many rows an ID or an address still occurs; empty when all is well. */
  leftBehind: Record<string, number>
}

/** Whether anything that is kept named the person, whatever became of it. */
export function foundAny({ tables, ledgers, files, reports, kept, leftBehind }: Outcome): boolean {
  const counted = [
    ...Object.values(tables).flatMap(({ deleted, redacted }) => [deleted, redacted]),
    ...[ledgers, kept.held, kept.records, kept.shared, leftBehind].flatMap((by) =>
      Object.values(by),
    ),
  ]
  const others = [files.removed, reports.reports, reports.files, kept.locked]
  return [...counted, ...others].some((number) => number > 0)
}

export function emptyOutcome(): Outcome {
  return {
    tables: {},
    ledgers: {},
    files: { removed: 0, bytes: 0 },
    reports: { reports: 0, files: 0 },
    kept: { held: {}, records: {}, shared: {}, locked: 0 },
    leftBehind: {},
  }
}
