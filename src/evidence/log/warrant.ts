import { isSignedBy, type PublicKey, type SigningKey } from './signing-key.ts'

/** Entries that one transaction added, with the reason. */
export interface Warranted {
  account: string
  first: number
  last: number
  /**
   * The hash of the entry `last`, in hex. Each entry contains the hash before it, so this one covers all of
   * them.
   */
  hash: string
  /** The reason, e.g. `request 12`. */
  basis: string
}

export function warrant(key: SigningKey, warranted: Warranted): Buffer {
  return key.sign(textOf(warranted))
}

export function isWarrantedBy(
  key: PublicKey,
  warranted: Warranted,
  signature: Uint8Array,
): boolean {
  return isSignedBy(key, textOf(warranted), signature)
}

function textOf({ account, first, last, hash, basis }: Warranted): string {
  return JSON.stringify(['callsheet entries', account, first, last, hash, basis])
}
