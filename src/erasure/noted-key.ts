import { sha256Hex } from '../evidence/log/digest.ts'
import { parsed } from '../evidence/log/entry.ts'
import type { NotingDeps } from './noting.ts'

type Noting = Pick<NotingDeps, 'store' | 'sealing'>

/** Tells the keys of digests apart, and says nothing of the key. */
export function idOfKey(key: Buffer): string {
  return sha256Hex(Buffer.concat([Buffer.from('callsheet suppression key\n'), key])).slice(0, 16)
}

/**
 * Keeps the key of an account's digests outside the database, sealed, since a backup from before the first
 * erasure has none. Where machines have keys of their own, each keeps a copy that it can open.
 */
export async function keepKey(
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

/** The keys of digests that are kept outside the database and that a key of ours opens, by their id. */
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
