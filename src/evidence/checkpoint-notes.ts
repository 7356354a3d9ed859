import { CallsheetError, ConfigurationError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import type { Transaction } from '../warehouse/connect.ts'
import {
  checkpointNote,
  isAfter,
  type PlaceInLogs,
  placeOf,
  placeOfNote,
} from './log/checkpoint.ts'
import { sha256Hex } from './log/digest.ts'
import { lockedAnchorText } from './log/locked-anchor.ts'
import { readPublicKey } from './log/signing-key.ts'
import type { Appending } from './sql/appending.ts'
import {
  type CheckpointRow,
  checkpointKeys,
  lastCheckpoint,
  readCheckpoints,
} from './sql/checkpoints.ts'
import { insertMark, readMarks } from './sql/marks.ts'

/**
 * Throws if an unknown key signed an earlier checkpoint, if the current key was replaced earlier, or if the
 * store's newest note is of a later checkpoint than the database has, or differs from its checkpoint. Writes
 * the notes that a killed process did not write. Returns the problems of `keepNotes`.
 */
export async function checkStanding(appending: Appending): Promise<string[]> {
  const { account, store } = appending
  const noted = newestNote(await store.listNotes())
  const { keys, last, rows, locked } = await appending.inTransaction(async (tx) => ({
    keys: await checkpointKeys(tx, account),
    last: await lastCheckpoint(tx, account),
    rows: await readCheckpoints(tx, account, { from: noted?.at(-1) ?? 0 }),
    locked: await lockedNotes(tx, appending),
  }))
  refuseOtherKeys(appending, keys)
  refuseReturn(appending, keys, last)
  if (noted !== undefined && (last === undefined || isAfter(noted, placeOf(last))))
    throw cutOff(appending, { newest: noted, last })
  const newest = rows.find((row) => placeOf(row).join() === noted?.join())
  if (newest !== undefined && (await store.readNote(checkpointNote(newest))) !== newest.note)
    throw forked(appending, newest)
  const due = rows.filter((row) => row !== newest || locked?.has(checkpointNote(newest)) === false)
  return await keepNotes(appending, due)
}

/** The names of the notes that are recorded as locked; undefined if the store does not lock notes. */
async function lockedNotes(
  tx: Transaction,
  { account, locked = false }: Appending,
): Promise<Set<string> | undefined> {
  if (!locked) return undefined
  const marks = await readMarks(tx, account)
  return new Set(marks.filter(({ kind }) => kind === 'lock').map(checkpointNote))
}

/**
 * Stores checkpoints outside the database too, so that a truncated log is detected. If the store locks notes,
 * records where a third party can request each locked note, and returns a problem for each other note.
 */
export async function keepNotes(
  appending: Appending,
  rows: readonly CheckpointRow[],
): Promise<string[]> {
  const { store, locked = false } = appending
  const problems: string[] = []
  for (const row of rows) {
    await point('evidence:noting')
    await store.keepNote(checkpointNote(row), row.note)
    await point('evidence:noted')
    if (locked && !(await enterLock(appending, row)))
      problems.push(
        `${store.place} did not confirm the lock of the checkpoint over ${row.size} entries: check the ` +
          'object lock of the bucket',
      )
  }
  return problems
}

async function enterLock(
  { account, store, inTransaction }: Appending,
  { origin, size, note }: CheckpointRow,
): Promise<boolean> {
  const lock = await store.lockedNote?.(checkpointNote({ origin, size }))
  if (lock?.lockedUntilMs === undefined) return false
  const { object, endpoint, version } = lock
  const lockedUntil = new Date(lock.lockedUntilMs).toISOString()
  const sha256 = sha256Hex(note)
  const body = Buffer.from(lockedAnchorText({ object, endpoint, version, lockedUntil, sha256 }))
  const mark = { origin, size, kind: 'lock', who: object, body, chain: null } as const
  await inTransaction((tx) => insertMark(tx, account, mark))
  return true
}

/** The place of the newest checkpoint among notes with these names; undefined if there is none. */
export function newestNote(names: readonly string[]): PlaceInLogs | undefined {
  let newest: PlaceInLogs | undefined
  for (const name of names) {
    const place = placeOfNote(name)
    if (place !== undefined && (newest === undefined || isAfter(place, newest))) newest = place
  }
  return newest
}

function refuseOtherKeys({ account, key, previousKeys }: Appending, keys: readonly Buffer[]): void {
  const believed = new Set([key.publicKey.fingerprint, ...previousKeys])
  const others = keys
    .map((der) => readPublicKey(der)?.fingerprint ?? 'unreadable')
    .filter((fingerprint) => !believed.has(fingerprint))
  if (others.length === 0) return
  throw new ConfigurationError('evidence_key_changed', {
    tried: `Signing the evidence of account ${account} with the key ${key.publicKey.fingerprint}`,
    came: `earlier checkpoints were signed with ${others.join(', ')}`,
    todo: 'set evidence.signingKey to the previous key, or add its fingerprint to evidence.previousKeys',
  })
}

/**
 * Throws if the key was replaced earlier: each verification would report a checkpoint signed by such a key.
 */
function refuseReturn(
  { account, key }: Appending,
  keys: readonly Buffer[],
  last: CheckpointRow | undefined,
): void {
  const own = key.publicKey.der
  if (last === undefined || last.key.equals(own)) return
  if (!keys.some((der) => der.equals(own))) return
  throw new ConfigurationError('evidence_key_returned', {
    tried: `Signing the evidence of account ${account} with the key ${key.publicKey.fingerprint}`,
    expected: 'the key of the newest checkpoint, or a new key',
    came:
      `this older key was replaced: the newest checkpoint, over ${last.size} entries, was signed with ` +
      (readPublicKey(last.key)?.fingerprint ?? 'an unreadable key'),
    todo:
      'if that checkpoint is yours, create a new key and add both fingerprints to ' +
      'evidence.previousKeys; otherwise run callsheet verify',
  })
}

function cutOff(
  { account, store }: Appending,
  { newest, last }: { newest: PlaceInLogs; last: CheckpointRow | undefined },
): CallsheetError {
  return new CallsheetError('evidence_cut', {
    tried: `Continuing the evidence of account ${account}`,
    came:
      `the store ${store.place} has a checkpoint over ${newest.at(-1)} entries, but the newest one in the ` +
      `database ${last === undefined ? 'is missing' : `is over ${last.size}`}`,
    todo:
      'run callsheet verify; if the database was restored from a backup, restore a newer backup, or ' +
      'accept the loss with the signing key: callsheet restored --enter-break',
  })
}

function forked({ account, store }: Appending, { size }: CheckpointRow): CallsheetError {
  return new CallsheetError('evidence_forked', {
    tried: `Continuing the evidence of account ${account}`,
    came: `the checkpoint over ${size} entries in the database differs from the note in ${store.place}`,
    todo: 'run callsheet verify to see what differs',
  })
}
