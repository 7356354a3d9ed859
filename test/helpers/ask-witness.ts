import { systemClock } from '../../src/core/time/clock.ts'
import { originOf } from '../../src/evidence/log/checkpoint.ts'
import { readWitnessKey, type WitnessKey } from '../../src/evidence/log/cosignature.ts'
import type { Witness, Witnesses } from '../../src/evidence/log/evidence-access.ts'
import { verifierKey } from '../../src/evidence/log/note.ts'
import { createWitness } from '../../src/evidence/witness/witness.ts'
import { ACCOUNT, type EvidenceStage } from './evidence-stage.ts'
import type { WitnessServer } from './witness-server.ts'

/** The witnesses for an append, as the command line creates them from the configuration. */
export function witnessesOf(
  servers: readonly Pick<WitnessServer, 'url' | 'vkey'>[],
  needed: number,
): Witnesses {
  const services = servers.map(({ url, vkey }): Witness => {
    return { ...createWitness({ url, clock: systemClock }), key: witnessKey(vkey) }
  })
  return { services, needed }
}

export function witnessKey(vkey: string): WitnessKey {
  const key = readWitnessKey(vkey)
  if (key === undefined) throw new Error(`${vkey} is no key of a witness`)
  return key
}

/** The verifier key of a stage's log. */
export function logOf({ key }: Pick<EvidenceStage, 'key'>): string {
  return verifierKey(originOf(ACCOUNT), key.publicKey)
}
