import { stateDecision } from '../../engine/manifest/state-decision.ts'
import type { SigningKey } from '../../evidence/signing-key.ts'
import type { OnDecided } from '../../warehouse/archive/holds.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import { openEvidence } from './open-evidence.ts'
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

function keyOf(wiring: Wiring): () => SigningKey {
  return () => openEvidence(wiring).key
}
