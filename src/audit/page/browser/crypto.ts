import { sha256 } from '@noble/hashes/sha2.js'
import { PageBuffer } from './buffer.ts'

/** Replaces the part of `node:crypto` that the check of a bundle needs in the page. */

type Data = string | Uint8Array
type Encoding = 'hex' | 'buffer'

export function hash(_sha256: string, data: Data, encoding: Encoding): string | Uint8Array {
  return encoded(sha256(bytesOf(data)), encoding)
}

export function createHash(_sha256: string) {
  const own = sha256.create()
  const sum = {
    update(data: Data) {
      own.update(bytesOf(data))
      return sum
    },
    digest: (encoding: Encoding) => encoded(own.digest(), encoding),
  }
  return sum
}

/** Reads an Ed25519 key; throws for anything else. */
export function createPublicKey(key: string | { key: Uint8Array }) {
  const der = typeof key === 'string' ? derOf(key) : PageBuffer.from(key.key)
  if (der.length !== SPKI.length / 2 + 32 || !der.toString('hex').startsWith(SPKI))
    throw new Error('no Ed25519 key')
  const pem = `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`
  const exported = ({ format }: { format: string }) => (format === 'der' ? der : pem)
  return { asymmetricKeyType: 'ed25519', export: exported }
}

/** Always throws, because the page signs nothing. */
export function createPrivateKey(): never {
  throw new Error('the page signs nothing')
}

export function sign(): never {
  return createPrivateKey()
}

interface Asked {
  key: Uint8Array
  message: Uint8Array
  signature: Uint8Array
}

/** Whether a signature is valid, by the hash of key, signature and message. */
const known = new Map<string, boolean>()
/** The signatures that the browser has not verified yet, by the same hash. */
const asked = new Map<string, Asked>()

/**
 * The first call with a signature returns true and queues it for the browser (`signed`). Later calls return
 * the browser's result.
 */
export function verify(...given: [null, Data, string, Uint8Array]): boolean {
  const [, data, pem, signature] = given
  if (signature.length !== SIGNATURE_BYTES) return false
  const [key, message] = [derOf(pem), bytesOf(data)]
  const all = PageBuffer.concat([key, signature, message])
  const name = PageBuffer.from(sha256(all)).toString('hex')
  const is = known.get(name)
  if (is === undefined) asked.set(name, { key, message, signature: signature.slice() })
  return is ?? true
}

/**
 * Runs rules that verify signatures, and repeats them until the browser has verified every signature that
 * they use.
 */
export async function signed<T>(rules: () => T): Promise<T> {
  for (;;) {
    const said = rules()
    if (asked.size === 0) return said
    const open = [...asked]
    asked.clear()
    for (const [name, one] of open) known.set(name, await isSigned(one))
  }
}

async function isSigned({ key, message, signature }: Asked): Promise<boolean> {
  try {
    const own = await crypto.subtle.importKey('spki', plain(key), 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', own, plain(signature), plain(message))
  } catch (error) {
    if ((error as Error).name !== 'NotSupportedError') return false
    const expected = 'this browser cannot check Ed25519 signatures; use a newer one'
    throw new Error(expected, { cause: error })
  }
}

function derOf(pem: string) {
  const [, base64 = ''] = PEM.exec(pem) ?? []
  return PageBuffer.from(base64.replaceAll(/\s/g, ''), 'base64')
}

function bytesOf(data: Data): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data
}

function encoded(digest: Uint8Array, encoding: Encoding): string | Uint8Array {
  const bytes = PageBuffer.from(digest)
  return encoding === 'hex' ? bytes.toString('hex') : bytes
}

function plain(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}

const PEM = /-----BEGIN PUBLIC KEY-----([\sA-Za-z0-9+/=]+)-----END PUBLIC KEY-----/
/** The DER prefix of an Ed25519 key. */
const SPKI = '302a300506032b6570032100'
const SIGNATURE_BYTES = 64
