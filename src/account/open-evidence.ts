import type { AccountSettings } from '../config/account-settings.ts'
import { evidenceKey, knownEvidenceKey } from '../config/evidence-key.ts'
import type { Config } from '../config/schema.ts'
import { restoreNotes } from '../erasure/noted-erasures.ts'
import type { EvidenceAccess, Witnesses } from '../evidence/log/evidence-access.ts'
import { type PublicKey, readSigningKey, type SigningKey } from '../evidence/log/signing-key.ts'
import { createTimestamp } from '../evidence/witness/timestamp.ts'
import { createWitness } from '../evidence/witness/witness.ts'
import { streams } from './catalog.ts'
import { auditSettings } from './configured-audit.ts'
import { witnessPolicy } from './named-witnesses.ts'
import { openPools } from './open-pools.ts'
import { openSealing } from './open-sealing.ts'
import { readRoots } from './timestamp-roots.ts'
import { whoAsks } from './who-asks.ts'
import type { Wiring } from './wire.ts'

/** Opens the key and the settings for appending evidence. Makes a key if there is none. */
export function openEvidence(
  { config, clock }: Pick<Wiring, 'config' | 'clock'>,
  account?: AccountSettings,
): EvidenceAccess {
  const { pem, source } = evidenceKey(config)
  const { previousKeys, timestampUrl, timestampRoots } = config.evidence
  const key = readSigningKey(pem, source)
  const sealing = (name: string) => openSealing(config, name)
  return {
    key,
    previousKeys,
    noteErasures: (db, { account: name, store }) =>
      restoreNotes({ store, key: () => key, previousKeys, sealing }, db, name),
    locked: config.archive.store === 's3' && config.archive.s3.lockDays !== null,
    streams,
    ...(account && { audits: { settings: auditSettings(config, account), notedBy: whoAsks() } }),
    timestamp:
      timestampUrl === null
        ? undefined
        : createTimestamp({ url: timestampUrl, clock, openPool: openPools() }),
    timestampRoots: readRoots(timestampRoots),
    witnesses: openWitnesses({ config, clock }),
  }
}

function openWitnesses({ config, clock }: Pick<Wiring, 'config' | 'clock'>): Witnesses | undefined {
  const policy = witnessPolicy(config)
  if (policy === undefined) return undefined
  const openPool = openPools()
  const services = config.evidence.witnesses.asked.flatMap(({ url }, at) => {
    const key = policy.witnesses[at]
    const service = createWitness({ url, clock, openPool })
    return key === undefined ? [] : [{ ...service, key }]
  })
  return { services, needed: policy.needed }
}

/** Returns this machine's public key; undefined if it has none. Makes no key. */
export function knownKey(config: KeySettings): PublicKey | undefined {
  return knownSigningKey(config)?.publicKey
}

/** Returns the whole signing key, including its private part; undefined if there is none. */
export function knownSigningKey(config: KeySettings): SigningKey | undefined {
  const known = knownEvidenceKey(config)
  return known && readSigningKey(known.pem, known.source)
}

type KeySettings = Pick<Config, 'evidence' | 'stateDirectory'>
