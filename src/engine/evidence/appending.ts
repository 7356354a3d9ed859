import type { FileStore } from '../../archive/store.ts'
import type { Transaction, TransactionOptions } from '../../warehouse/connection/connect.ts'
import type { Lease } from '../../warehouse/ledgers/lease.ts'
import type { EvidenceAccess } from '../run/evidence-access.ts'
import type { DatabaseDeps } from '../run/retry-database.ts'

export interface AppendOptions extends EvidenceAccess {
  account: string
  lease: Lease
  signal: AbortSignal
  store: FileStore
  /** Entries per transaction; a default if not given. */
  batchEntries?: number
}

/** What the steps of an append work with. */
export interface Appending extends DatabaseDeps, AppendOptions {
  batchEntries: number
  /** One transaction under the lease. It may be repeated, so it must find out what is already done. */
  inTransaction<T>(
    work: (tx: Transaction) => Promise<T>,
    options?: Pick<TransactionOptions, 'steady'>,
  ): Promise<T>
}
