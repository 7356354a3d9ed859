import type { OnDecided } from '../archive/sql/holds.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { SigningKey } from '../evidence/log/signing-key.ts'
import { stateDecision } from '../evidence/state-decision.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { knownSigningKey } from './open-evidence.ts'
import type { Wiring } from './wire.ts'

/** States a hold that is placed or released. */
export function statesHold(wiring: Wiring, account: string): OnDecided {
  return async (tx, id) =>
    await stateDecision(tx, { account, key: keyOf(wiring), ledger: 'holds' }, [id])
}

/** States that a run's drops are released. */
export function statesRelease(wiring: Wiring, { account, run }: { account: string; run: number }) {
  return async (tx: Transaction, streams: readonly string[]): Promise<void> => {
    const names = streams.map((stream) => `${stream}/${run}`)
    await stateDecision(tx, { account, key: keyOf(wiring), ledger: 'releases' }, names)
  }
}

/**
 * The key that this machine has. None is made, as `sync` does: an account that states decisions has its key,
 * and what another one vouches for stops it from signing.
 */
function keyOf({ config }: Wiring): () => SigningKey {
  return () => {
    const known = knownSigningKey(config)
    if (known !== undefined) return known
    throw new ConfigurationError('evidence_key_absent', {
      tried: 'stating the decision in the evidence',
      expected: `the key that signs it, in evidence.signingKey or in ${config.stateDirectory}`,
      came: 'neither',
      todo: 'do it where sync runs, or set evidence.signingKey to the key that sync has; nothing was changed',
    })
  }
}
