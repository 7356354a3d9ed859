import { CallsheetError, ConfigurationError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { checkpointNote, type ReadCheckpoint, readCheckpoint } from './log/checkpoint.ts'
import { sha256Hex } from './log/digest.ts'
import { headNote } from './log/head.ts'
import { lostAfter } from './log/head-break.ts'
import { lockedAnchorText } from './log/locked-anchor.ts'
import { readPublicKey } from './log/signing-key.ts'
import type { Appending } from './sql/appending.ts'
import {
  type HeadRow,
  headKeys,
  headsFrom,
  insertAnchor,
  lastHead,
  readAnchors,
} from './sql/heads.ts'
import { trustedBreaks } from './trusted-breaks.ts'

/**
 * Stops where going on would hide something: heads of an unknown key, or a store with notes of heads that the
 * database has lost. Writes the notes that a killed process did not write. Returns problems that the next
 * call can repair.
 */
export async function checkStanding(appending: Appending): Promise<string[]> {
  const { account, store } = appending
  const newest = newestNote(await store.listNotes())
  const { keys, last, heads, locked, breaks } = await appending.inTransaction(async (tx) => ({
    keys: await headKeys(tx, account),
    last: await lastHead(tx, account),
    heads: await headsFrom(tx, account, newest),
    locked: await lockedHeads(tx, appending),
    breaks: await trustedBreaks(tx, account, appending),
  }))
  refuseOtherKeys(appending, keys)
  refuseReturn(appending, keys, last)
  const known = lostAfter(breaks, last && { number: last.number, hash: last.hash.toString('hex') })
  if (newest > known) throw cutOff(appending, { newest, known })
  const noted = heads.find(({ number }) => number === newest)
  if (noted !== undefined && (await store.readNote(headNote(newest, 'json'))) !== noted.line)
    throw forked(appending, newest)
  const due = heads.filter((head) => head !== noted || locked?.has(noted.last_seq) === false)
  return await keepNotes(appending, due)
}

/** The sizes of the checkpoints recorded as locked; undefined where the store locks none. */
async function lockedHeads(
  tx: Transaction,
  { account, locked = false }: Appending,
): Promise<Set<number> | undefined> {
  if (!locked) return undefined
  const anchors = await readAnchors(tx, account)
  return new Set(anchors.flatMap((one) => (one.kind === 'locked_object' ? [one.size] : [])))
}

/**
 * Keeps each head outside the database too, so that a cut of the database's end is found. Where the store
 * locks a head, it records what a third party needs to ask for it. Returns the heads that are not locked.
 */
export async function keepNotes(
  appending: Appending,
  heads: readonly HeadRow[],
): Promise<string[]> {
  const { store, locked = false } = appending
  const problems: string[] = []
  for (const head of heads) {
    const { number, line, signature, checkpoint } = head
    await point('evidence:noting')
    // Written first, so that each head's note has both.
    await store.keepNote(headNote(number, 'sig'), signature.toString('base64'))
    const state = readCheckpoint(checkpoint ?? '')
    if (checkpoint !== null && state !== undefined)
      await store.keepNote(checkpointNote(state), checkpoint)
    await store.keepNote(headNote(number, 'json'), line)
    await point('evidence:noted')
    if (locked && state !== undefined && !(await enterLock(appending, { ...state, checkpoint })))
      problems.push(
        `${store.place} was asked to lock the checkpoint of head ${number}, and does not say that it does`,
      )
  }
  return problems
}

async function enterLock(
  { account, store, inTransaction }: Appending,
  { checkpoint, ...state }: ReadCheckpoint & Pick<HeadRow, 'checkpoint'>,
): Promise<boolean> {
  const { size } = state
  const lock = await store.lockedNote?.(checkpointNote(state))
  if (lock?.lockedUntilMs === undefined) return false
  const { object, endpoint, version } = lock
  const lockedUntil = new Date(lock.lockedUntilMs).toISOString()
  const sha256 = sha256Hex(checkpoint ?? '')
  const said = lockedAnchorText({ object, endpoint, version, lockedUntil, sha256 })
  const anchor = { size, kind: 'locked_object', place: object, token: Buffer.from(said) } as const
  await inTransaction((tx) => insertAnchor(tx, account, { ...anchor, chain: null }))
  return true
}

/** The number of the newest head with a note; 0 for none. */
export function newestNote(names: readonly string[]): number {
  return Math.max(0, ...noteNumbers(names))
}

export function noteNumbers(names: readonly string[]): number[] {
  return names.flatMap((name) => {
    const number = /^head-(\d{6,15})\.json$/.exec(name)?.[1]
    return number === undefined ? [] : [Number(number)]
  })
}

function refuseOtherKeys({ account, key, previousKeys }: Appending, keys: readonly Buffer[]): void {
  const believed = new Set([key.publicKey.fingerprint, ...previousKeys])
  const others = keys
    .map((der) => readPublicKey(der)?.fingerprint ?? 'unreadable')
    .filter((fingerprint) => !believed.has(fingerprint))
  if (others.length === 0) return
  throw new ConfigurationError('evidence_key_changed', {
    tried: `Signing the evidence of account ${account} with the key ${key.publicKey.fingerprint}`,
    expected: 'the key that signed the heads before, or its fingerprint in evidence.previousKeys',
    came: `heads that were signed with ${others.join(', ')}`,
    todo: 'set evidence.signingKey to the key of before, or name its fingerprint in evidence.previousKeys',
  })
}

/** A replaced key is trusted for no later head: signing with it again would be a permanent finding. */
function refuseReturn(
  { account, key }: Appending,
  keys: readonly Buffer[],
  last: HeadRow | undefined,
): void {
  const own = key.publicKey.der
  if (last === undefined || last.public_key.equals(own)) return
  if (!keys.some((der) => der.equals(own))) return
  throw new ConfigurationError('evidence_key_returned', {
    tried: `Signing the evidence of account ${account} with the key ${key.publicKey.fingerprint}`,
    expected: 'the key that signed the newest head, or one that has signed none yet',
    came: `head ${last.number}, signed with ${readPublicKey(last.public_key)?.fingerprint ?? 'none'}`,
    todo: 'if that head is yours, make a new key and name both in previousKeys; else run callsheet verify',
  })
}

function cutOff(
  { account, store }: Appending,
  { newest, known }: { newest: number; known: number },
): CallsheetError {
  return new CallsheetError('evidence_cut', {
    tried: `Continuing the evidence of account ${account}`,
    expected: `the newest head that ${store.place} keeps a note of, number ${newest}`,
    came: `the database ends with head ${known}`,
    todo:
      'run callsheet verify; if the database was restored from a backup, restore a newer one, or enter ' +
      'what is lost as the holder of the key: callsheet restored --enter-break',
  })
}

function forked({ account, store }: Appending, number: number): CallsheetError {
  return new CallsheetError('evidence_forked', {
    tried: `Continuing the evidence of account ${account}`,
    expected: `head ${number} as ${store.place} keeps it`,
    came: 'another head of that number in the database',
    todo: 'run callsheet verify, which says what differs',
  })
}
