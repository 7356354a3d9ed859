import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { ConfigurationError } from '../../core/errors.ts'
import { sha256Hex } from './digest.ts'

/** The Ed25519 key that signs checkpoints and vouches for entries. */
export interface SigningKey {
  publicKey: PublicKey
  sign(bytes: string | Uint8Array): Buffer
}

export interface PublicKey {
  /** The key as SPKI, in DER. */
  der: Buffer
  /** The SHA-256 of the DER, in hex, for people to compare. */
  fingerprint: string
  pem: string
}

/** Reads a private key in PEM (PKCS8). `source` names its origin in the error. */
export function readSigningKey(pem: string, source: string): SigningKey {
  const key = privateKeyOf(pem)
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new ConfigurationError('evidence_key_invalid', {
      tried: `Reading the evidence key from ${source}`,
      expected: 'an Ed25519 private key in PEM, without a passphrase',
      came:
        key === undefined
          ? 'the text is not a private key, or needs a passphrase'
          : `the key is of the kind ${key.asymmetricKeyType}`,
      todo:
        'restore the key from a backup; only if nothing was ever signed, create one with openssl ' +
        'genpkey -algorithm ed25519',
    })
  return {
    publicKey: describe(createPublicKey(key)),
    sign: (bytes) => sign(null, Buffer.from(bytes as string), key),
  }
}

/** Reads a public key in PEM or DER; undefined if it is not an Ed25519 key. */
export function readPublicKey(key: string | Uint8Array): PublicKey | undefined {
  try {
    const read =
      typeof key === 'string'
        ? createPublicKey(key)
        : createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' })
    return read.asymmetricKeyType === 'ed25519' ? describe(read) : undefined
  } catch {
    return undefined
  }
}

export function isSignedBy(
  key: PublicKey,
  bytes: string | Uint8Array,
  signature: Uint8Array,
): boolean {
  return verify(null, Buffer.from(bytes as string), key.pem, signature)
}

function privateKeyOf(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

function describe(key: KeyObject): PublicKey {
  const der = key.export({ format: 'der', type: 'spki' })
  return {
    der,
    fingerprint: sha256Hex(der),
    pem: key.export({ format: 'pem', type: 'spki' }).toString(),
  }
}
