import { CallsheetError, ConfigurationError } from '../../core/errors.ts'
import { point } from '../../core/point.ts'
import { headNote } from '../../evidence/head.ts'
import { readPublicKey } from '../../evidence/signing-key.ts'
import { headKeys, type HeadRow, insertAnchor, lastHead } from '../../warehouse/heads.ts'
import type { Appending } from './appending.ts'

/**
 * Refuses to go on where that would hide something: heads of a key that is not known, or a store that knows
 * of heads that the database has lost. Keeps the note of the last head if a process that was killed did not.
 */
export async function checkStanding(appending: Appending): Promise<void> {
  const { account, store } = appending
  const { keys, last } = await appending.inTransaction(async (tx) => ({
    keys: await headKeys(tx, account),
    last: await lastHead(tx, account),
  }))
  refuseOtherKeys(appending, keys)
  const newest = newestNote(await store.listNotes())
  if (newest > (last?.number ?? 0)) throw cutOff(appending, { newest, known: last?.number ?? 0 })
  if (last === undefined) return
  const kept = await store.readNote(headNote(last.number, 'json'))
  if (kept === undefined) await keepNotes(appending, [last])
  else if (kept !== last.line) throw forked(appending, last.number)
}

/** Each head also lies outside the database, so that a cut of the database's end is found. */
export async function keepNotes(
  { account, store, locked = false, inTransaction }: Appending,
  heads: readonly HeadRow[],
): Promise<void> {
  for (const { number, line, signature } of heads) {
    await point('evidence:noting')
    // The signature first: who finds a head's note finds its signature too.
    await store.keepNote(headNote(number, 'sig'), signature.toString('base64'))
    await store.keepNote(headNote(number, 'json'), line)
    await point('evidence:noted')
    if (!locked) continue
    const place = `${store.place}: ${headNote(number, 'json')}`
    await inTransaction((tx) =>
      insertAnchor(tx, account, { number, kind: 'locked_object', place, token: null }),
    )
  }
}

/** The number of the newest head that the notes name; 0 for none. */
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

function cutOff(
  { account, store }: Appending,
  { newest, known }: { newest: number; known: number },
): CallsheetError {
  return new CallsheetError('evidence_cut', {
    tried: `Continuing the evidence of account ${account}`,
    expected: `the newest head that ${store.place} keeps a note of, number ${newest}`,
    came: `the database ends with head ${known}`,
    todo: 'run callsheet verify; if the database was restored from a backup, restore a newer one',
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
