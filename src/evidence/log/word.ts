import { isSignedBy, type PublicKey, type SigningKey } from './signing-key.ts'

/** An entry that the key vouches for, and the reason. */
export interface Vouched {
  account: string
  /** The hash of the entry, in hex. */
  hash: string
  /** The reason, e.g. `request 12`. */
  basis: string
}

export function wordOf(key: SigningKey, vouched: Vouched): Buffer {
  return key.sign(textOf(vouched))
}

export function isWordOf(key: PublicKey, vouched: Vouched, word: Uint8Array): boolean {
  return isSignedBy(key, textOf(vouched), word)
}

function textOf({ account, hash, basis }: Vouched): string {
  return JSON.stringify(['callsheet entry', account, hash, basis])
}
