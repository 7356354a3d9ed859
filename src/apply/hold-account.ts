import { FencedError } from '../core/errors.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import { acquireLease, type Lease } from '../warehouse/ledger/lease.ts'

/** The account while nobody else reads or changes it. */
export interface HeldAccount {
  lease: Lease
  /** Stops also when the lease is lost. */
  signal: AbortSignal
}

/**
 * Works under the account's lease, so that no sync reads halfway through and no other apply comes between.
 * Throws BusyError when another process holds the account.
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

/** Nobody had the account since it was given back under an epoch. */
export function isNext({ epoch }: Lease, before: number): boolean {
  return epoch === before + 1
}

/** What the loss of the lease means for somebody who was sending: others do not go on with that. */
export function stoppedByLoss({ facts: { came } }: FencedError): FencedError {
  return new FencedError('lease_lost', {
    tried: 'Sending the plan',
    expected: 'to hold the account until all of it was sent',
    came,
    todo: 'wait until whoever has the account is done (callsheet status), then apply the file again',
  })
}
