import { sha256Hex } from '../evidence/log/digest.ts'
import { parsed } from '../evidence/log/entry.ts'
import type { SigningKey } from '../evidence/log/signing-key.ts'
import type { FileStore } from '../store/store.ts'

/** Seals and opens texts for an account with a key outside the database. */
export interface Sealing {
  /** Identifies the key that seals texts. */
  name: string
  seal(plain: string): Buffer
  /** Returns the text; undefined if none of our keys opens it. */
  open(sealed: Buffer): string | undefined
}

export interface NotingDeps {
  store: FileStore
  key(): SigningKey
  /** Fingerprints of earlier keys whose notes are still trusted. */
  previousKeys: readonly string[]
  /** Returns the sealing for the key of an account's digests. Without that key, a note identifies nobody. */
  sealing(account: string): Sealing
}

type Noting = Pick<NotingDeps, 'store' | 'sealing'>

/** Returns an ID that distinguishes keys of digests without revealing anything about them. */
export function idOfKey(key: Buffer): string {
  return sha256Hex(Buffer.concat([Buffer.from('callsheet suppression key\n'), key])).slice(0, 16)
}

/**
 * Writes the sealed key of an account's digests to the store, because a backup from before the first erasure
 * lacks it. If machines have different token keys, each writes a copy that it can open.
 */
export async function noteKey(
  { store, sealing }: Noting,
  account: string,
  key: Buffer,
): Promise<void> {
  const { name, seal } = sealing(account)
  const id = idOfKey(key)
  const note = `suppression-key-${id}-${name}.json`
  if ((await store.readNote(note)) !== undefined) return
  const sealed = seal(key.toString('hex')).toString('base64')
  await store.keepNote(note, JSON.stringify({ v: 1, account, id, sealed }))
}

/** Reads the notes. Returns, by ID, the keys of digests in the notes that one of our keys opens. */
export async function readKeys(
  { store, sealing }: Noting,
  account: string,
): Promise<Map<string, Buffer>> {
  const { open } = sealing(account)
  const keys = new Map<string, Buffer>()
  for (const name of (await store.listNotes()).toSorted()) {
    if (!/^suppression-key-[0-9a-f]{16}-[0-9a-f]{16}\.json$/.test(name)) continue
    const note = parsed((await store.readNote(name)) ?? '') as { sealed?: unknown } | undefined
    if (typeof note?.sealed !== 'string') continue
    const text = open(Buffer.from(note.sealed, 'base64'))
    const key = text === undefined ? undefined : Buffer.from(text, 'hex')
    if (key?.length === 32) keys.set(idOfKey(key), key)
  }
  return keys
}
