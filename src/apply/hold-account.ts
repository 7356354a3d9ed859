import { FencedError } from '../core/errors.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import { acquireLease, type Lease } from '../warehouse/ledger/lease.ts'

/** An account under a lease of this process. */
export interface HeldAccount {
  lease: Lease
  /** Aborts at a stop, and if the lease is lost. */
  signal: AbortSignal
}

/**
 * Works under the account's lease, so that no sync or other apply can interfere. Throws BusyError when
 * another process has the lease.
 */
export async function holdAccount<T>(
  { warehouse, clock }: Pick<EngineDeps, 'warehouse' | 'clock'>,
  { account, signal }: { account: string; signal: AbortSignal },
  work: (hold: HeldAccount) => Promise<T>,
): Promise<T> {
  const lease = await acquireLease(warehouse, { account, job: 'apply', clock })
  try {
    return await work({ lease, signal: AbortSignal.any([signal, lease.lost]) })
  } finally {
    await lease.release()
  }
}

/** Returns true if no other process used the account since the lease with the epoch `before`. */
export function isNext({ epoch }: Lease, before: number): boolean {
  return epoch === before + 1
}

/** Converts a lost lease to an error about the plan, because no other process continues the plan. */
export function stoppedByLoss({ facts: { came } }: FencedError): FencedError {
  return new FencedError('lease_lost', {
    tried: 'Sending the plan',
    came,
    todo: 'wait until the other process is done (see callsheet status), then apply the file again',
  })
}
