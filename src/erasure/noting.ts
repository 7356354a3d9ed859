import type { SigningKey } from '../evidence/log/signing-key.ts'
import type { FileStore } from '../store/store.ts'

/** Opens and seals a text for an account, with a key that lies outside the database. */
export interface Sealing {
  /** Tells the keys apart that texts were sealed with. */
  name: string
  seal(plain: string): Buffer
  /** Undefined where no key of ours opens it. */
  open(sealed: Buffer): string | undefined
}

export interface NotingDeps {
  store: FileStore
  key(): SigningKey
  /** Fingerprints of the keys of before, whose notes are still believed. */
  previousKeys: readonly string[]
  /** For the key of the account's digests, without which a note says nothing. */
  sealing(account: string): Sealing
}
