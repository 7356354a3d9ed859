import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateDirectory } from '../core/private-directory.ts'
import { makeKeyFile, readKeyFile } from './key-file.ts'
import type { Config } from './schema.ts'

type KeySettings = Pick<Config, 'evidence' | 'stateDirectory'>

/** A private key in PEM, and its source for messages. */
export interface EvidenceKey {
  pem: string
  source: string
}

/** Returns the key that signs checkpoints: the configured one, or one made once in the state directory. */
export function evidenceKey(config: KeySettings): EvidenceKey {
  const file = keyFile(config)
  if (config.evidence.signingKey === null && !existsSync(file)) {
    makePrivateDirectory(config.stateDirectory)
    const { privateKey } = generateKeyPairSync('ed25519')
    makeKeyFile(file, privateKey.export({ format: 'pem', type: 'pkcs8' }))
  }
  return knownEvidenceKey(config) ?? { pem: readKeyFile(file), source: file }
}

/** Returns the key without making one; undefined if there is none. */
export function knownEvidenceKey(config: KeySettings): EvidenceKey | undefined {
  const { signingKey } = config.evidence
  if (signingKey !== null)
    return { pem: signingKey.reveal(), source: 'the setting evidence.signingKey' }
  const file = keyFile(config)
  return existsSync(file) ? { pem: readKeyFile(file), source: file } : undefined
}

function keyFile({ stateDirectory }: KeySettings): string {
  return join(stateDirectory, 'evidence.key')
}
