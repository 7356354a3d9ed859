import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { ConfigurationError } from '../../core/errors.ts'

export interface CipherOptions {
  /** 32 bytes; seals new texts and opens them. */
  key: Buffer
  /** Keys from before a rotation; they only open texts. */
  previousKeys?: readonly Buffer[]
  /** The row that owns the ciphertext; it cannot be opened in any other row. */
  context: readonly string[]
}

export interface Cipher {
  /** The current key's ID, in hex. */
  keyId: string
  seal(plain: string): Buffer
  open(sealed: Buffer): string
}

/** AES-256-GCM. Format 1: a version byte, the key's ID (8 bytes), the IV (12), the tag (16), ciphertext. */
export function createCipher({ key, previousKeys = [], context }: CipherOptions): Cipher {
  const keys = new Map([key, ...previousKeys].map((each) => [idOf(each).toString('hex'), each]))
  const bound = (keyId: Buffer): Buffer =>
    Buffer.from(JSON.stringify([...context, keyId.toString('hex')]))
  return {
    keyId: idOf(key).toString('hex'),
    seal(plain) {
      const keyId = idOf(key)
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound(keyId))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(FORMAT), keyId, iv, cipher.getAuthTag(), body])
    },
    open(sealed) {
      const keyId = sealed.subarray(1, 9)
      const own = keys.get(keyId.toString('hex'))
      if (sealed[0] !== FORMAT || own === undefined)
        throw unreadable('it was encrypted with another key')
      try {
        const decipher = createDecipheriv('aes-256-gcm', own, sealed.subarray(9, 21), {
          authTagLength: 16,
        })
        decipher.setAAD(bound(keyId)).setAuthTag(sealed.subarray(21, 37))
        return Buffer.concat([decipher.update(sealed.subarray(37)), decipher.final()]).toString()
      } catch {
        throw unreadable('it was altered, or belongs to another account')
      }
    },
  }
}

function idOf(key: Buffer): Buffer {
  return createHash('sha256').update('callsheet key id\n').update(key).digest().subarray(0, 8)
}

function unreadable(came: string): ConfigurationError {
  return new ConfigurationError('token_unreadable', {
    tried: 'Reading the stored token',
    came,
    todo:
      'set tokenKey to the key that encrypted this token, or delete the row in callsheet.tokens ' +
      'to get a new token',
  })
}

const FORMAT = 1
const IV_BYTES = 12
