import { createTimestamp } from '../../api/client/timestamp.ts'
import { evidenceKey, knownEvidenceKey } from '../../config/evidence-key.ts'
import type { Config } from '../../config/schema.ts'
import type { EvidenceAccess } from '../../engine/run/evidence-access.ts'
import { readSigningKey } from '../../evidence/signing-key.ts'
import { streams } from '../catalog/catalog.ts'
import { readRoots } from './timestamp-roots.ts'
import type { Wiring } from './wire.ts'

/** What an append needs of the configuration. The key is made where there is none. */
export function openEvidence({ config, clock }: Pick<Wiring, 'config' | 'clock'>): EvidenceAccess {
  const { pem, source } = evidenceKey(config)
  const { previousKeys, timestampUrl, timestampRoots } = config.evidence
  return {
    key: readSigningKey(pem, source),
    previousKeys,
    locked: config.archive.store === 's3' && config.archive.s3.lockDays !== null,
    streams,
    timestamp: timestampUrl === null ? undefined : createTimestamp({ url: timestampUrl, clock }),
    timestampRoots: readRoots(timestampRoots),
  }
}

/** This machine's key, of which anybody may know; undefined where it has none, and none is made. */
export function knownKey(config: Pick<Config, 'evidence' | 'stateDirectory'>) {
  const known = knownEvidenceKey(config)
  return known && readSigningKey(known.pem, known.source).publicKey
}
