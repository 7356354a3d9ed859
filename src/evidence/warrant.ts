import { isSignedBy, type PublicKey, type SigningKey } from './signing-key.ts'

/** Entries that one transaction made, and why. */
export interface Warranted {
  account: string
  first: number
  last: number
  /** The hash of the entry `last`, in hex: each names the one before, so that it stands for all of them. */
  hash: string
  /** What explains them, e.g. `request 12`. */
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
