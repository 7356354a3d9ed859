import type { FileStore } from '../../store/store.ts'
import type { Transaction, TransactionOptions } from '../../warehouse/connect.ts'
import type { Lease } from '../../warehouse/ledger/lease.ts'
import type { DatabaseDeps } from '../../warehouse/ledger/retry-database.ts'
import type { EvidenceAccess } from '../log/evidence-access.ts'

export interface AppendOptions extends EvidenceAccess {
  account: string
  lease: Lease
  signal: AbortSignal
  store: FileStore
  /** The maximum number of records or files per transaction. */
  batchEntries?: number
}

/** The dependencies and options of the steps of an append. */
export interface Appending extends DatabaseDeps, AppendOptions {
  batchEntries: number
  /** Runs a transaction under the lease. It may be repeated, so `work` must check what is already done. */
  inTransaction<T>(
    work: (tx: Transaction) => Promise<T>,
    options?: Pick<TransactionOptions, 'steady'>,
  ): Promise<T>
}
