import { openErasure } from '../../src/account/open-erasure.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { type RestoredAccount, restoreAccount } from '../../src/erasure/restore-account.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import type { World } from '../helpers/world.ts'
import { openedOf } from './stage.ts'

/** Repeats the erasures that the database lacks, as `callsheet restored` does. */
export async function restore(world: World): Promise<RestoredAccount> {
  const { signal } = new AbortController()
  const account = 'account-0'
  const { deps, close } = await openErasure(openedOf(world), { account, signal })
  try {
    const options = { account, askedBy: 'a test', enterBreak: false, signal }
    return await restoreAccount(deps, options)
  } finally {
    await close()
  }
}

/** Signs all new entries, as the next run does. */
export async function signAgain(world: World): Promise<void> {
  const { signal } = new AbortController()
  const account = 'account-0'
  const { deps, close } = await openErasure(openedOf(world), { account, signal })
  const lease = await acquireLease(world.warehouse, { account, job: 'a test', clock: systemClock })
  try {
    await deps.store.open()
    await deps.sign(lease)
  } finally {
    await lease.release()
    await close()
  }
}
