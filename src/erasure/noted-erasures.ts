import { type Identity, tokenOf } from '../core/persons/identity.ts'
import { padded } from '../evidence/log/checkpoint.ts'
import { isCount, parsed } from '../evidence/log/entry.ts'
import { isSignedBy, readPublicKey } from '../evidence/log/signing-key.ts'
import { faultOfOneFile } from '../store/one-file.ts'
import type { FileStore } from '../store/store.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { readKey } from '../warehouse/keep-out/suppressions.ts'
import { idOfKey, type NotingDeps, noteKey } from './noted-key.ts'
import { type ErasureRequest, readRequests } from './sql/erasure-requests.ts'
import { listedSuppressions } from './sql/suppressions.ts'
import { unprovenSuppressions } from './suppression-proof.ts'

/** The note of an erasure outside the database: digests, which name nobody by themselves. */
export interface NotedErasure {
  v: 1
  account: string
  request: number
  asked_at: string
  by_name: boolean
  /** Identifies the key with which the digests were made. */
  key_id: string
  /** Each digest, and the scope in which it counts. Empty once the person was readmitted. */
  tokens: readonly (readonly [string, string])[]
}

/**
 * Writes the digests of an erasure to the store, so that a database restored from an older backup does not
 * keep the person. Writes nothing if the database has no key for digests.
 */
export async function noteErasure(
  deps: NotingDeps,
  db: Transaction,
  {
    account,
    request: { id, askedAt, byName },
  }: { account: string; request: Pick<ErasureRequest, 'id' | 'askedAt' | 'byName'> },
): Promise<void> {
  const key = await readKey(db, account)
  if (key === undefined) return
  const listed = (await listedSuppressions(db, account)).filter((one) => one.requestId === id)
  await noteKey(deps, account, key)
  await keep(deps, {
    v: 1,
    account,
    request: id,
    asked_at: askedAt,
    by_name: byName,
    key_id: idOfKey(key),
    tokens: listed.map(({ token, counts }) => [token, counts]),
  })
}

/** Writes notes again that the store lost, if one of our keys proves their erasure. */
export async function restoreNotes(
  deps: NotingDeps,
  db: Transaction,
  account: string,
): Promise<void> {
  const listed = await listedSuppressions(db, account)
  if (listed.length === 0) return
  const keys = [deps.key().publicKey.fingerprint, ...deps.previousKeys]
  const proving = { ownKey: deps.key().publicKey, keys }
  const unproven = await unprovenSuppressions(db, account, proving)
  const doubted = new Set(unproven.map(({ requestId }) => requestId))
  const noting = new Set(
    listed.flatMap(({ requestId }) => (doubted.has(requestId) ? [] : [requestId])),
  )
  const kept = new Set(await deps.store.listNotes())
  for (const request of await readRequests(db, account, 'all')) {
    const { id, askedAt } = request
    if (noting.has(id) && !kept.has(nameOf({ request: id, asked_at: askedAt })))
      await noteErasure(deps, db, { account, request })
  }
}

/** Reads the erasures noted in the store. Unreadable notes, and notes signed by other keys, are counted. */
export async function readNotedErasures(
  { store, key, previousKeys }: NotingDeps,
  account: string,
): Promise<{ erasures: NotedErasure[]; strange: number }> {
  return await notedBy({ store, account }, [key().publicKey.fingerprint, ...previousKeys])
}

/** Reads the erasures noted by keys with these fingerprints; without fingerprints, by any key. */
export async function notedBy(
  { store, account }: { store: FileStore; account: string },
  trusted: readonly string[],
): Promise<{ erasures: NotedErasure[]; strange: number }> {
  const erasures: NotedErasure[] = []
  let strange = 0
  for (const name of (await store.listNotes()).toSorted()) {
    if (!NAME.test(name)) continue
    const one = readNote((await textOf(store, name)) ?? '', trusted)
    if (one?.account === account && nameOf(one) === name) erasures.push(one)
    else strange++
  }
  return { erasures, strange }
}

/** Empties the notes with a digest of a readmitted person, so that no restore erases the person again. */
export async function clearNotes(
  deps: NotingDeps,
  db: Transaction,
  { account, persons }: { account: string; persons: readonly Identity[] },
): Promise<void> {
  const key = await readKey(db, account)
  if (key === undefined) return
  const readmitted = new Set(persons.map((person) => tokenOf(key, person)))
  const { erasures } = await readNotedErasures(deps, account)
  for (const one of erasures)
    if (one.tokens.some(([token]) => readmitted.has(token)))
      await keep(deps, { ...one, tokens: [] })
}

/** Returns a note's text; undefined if this note cannot be read although others can. */
async function textOf(store: FileStore, name: string): Promise<string | undefined> {
  try {
    return await store.readNote(name)
  } catch (error) {
    if (faultOfOneFile(error) === undefined) throw error
    return undefined
  }
}

async function keep({ store, key }: NotingDeps, erasure: NotedErasure): Promise<void> {
  const signing = key()
  const line = JSON.stringify({ what: WHAT, ...erasure })
  const [publicKey, signature] = [signing.publicKey.der, signing.sign(line)].map((bytes) =>
    bytes.toString('base64'),
  )
  await store.keepNote(nameOf(erasure), JSON.stringify({ line, key: publicKey, signature }))
}

function readNote(text: string, trusted: readonly string[]): NotedErasure | undefined {
  const { line, key, signature } = (parsed(text) ?? {}) as Record<string, unknown>
  if (typeof line !== 'string' || typeof key !== 'string' || typeof signature !== 'string')
    return undefined
  const signer = readPublicKey(Buffer.from(key, 'base64'))
  if (signer === undefined) return undefined
  if (trusted.length > 0 && !trusted.includes(signer.fingerprint)) return undefined
  if (!isSignedBy(signer, line, Buffer.from(signature, 'base64'))) return undefined
  const { what, ...said } = parsed(line) as { what?: string } & NotedErasure
  return what === WHAT && said.v === 1 && isCount(said.request) ? said : undefined
}

/** Returns the note's name, with number and time: a restored database assigns the same numbers again. */
export function nameOf({
  request,
  asked_at: at,
}: Pick<NotedErasure, 'request' | 'asked_at'>): string {
  return `erased-${padded(request)}-${at.replaceAll(/\D/g, '')}.json`
}

const NAME = /^erased-\d{6,15}-\d{20}\.json$/
/** Part of the signed text, so that no signature of another text is valid for a note. */
const WHAT = 'callsheet erasure'
