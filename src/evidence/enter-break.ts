import { CallsheetError, ConfigurationError } from '../core/errors.ts'
import type { FileStore } from '../store/store.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { addVouched } from './add-entries.ts'
import {
  checkpointNote,
  goesOn,
  isAfter,
  isCheckpointOf,
  originAfter,
  originOf,
  placeOf,
  placeOfNote,
  type ReadCheckpoint,
  readCheckpoint,
} from './log/checkpoint.ts'
import { lineContent } from './log/digest.ts'
import { subjectPart } from './log/entry.ts'
import { readPublicKey } from './log/signing-key.ts'
import { type SigningLog, signNext } from './sign-log.ts'
import { type CheckpointRow, checkpointKeys, lastCheckpoint } from './sql/checkpoints.ts'

export interface EnteringBreak extends SigningLog {
  store: FileStore
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

/** Checkpoints that have notes in the store but are missing in the database. */
export interface LostCheckpoints {
  count: number
  /** The number of entries that the newest lost checkpoint covers. */
  size: number
}

/** How the log continues without the lost checkpoints. */
export interface Break extends LostCheckpoints {
  /** The new name of the log. */
  origin: string
}

/** Returns the lost checkpoints; undefined if none is lost, or if a break was already entered for them. */
export async function findLostCheckpoints(
  entering: EnteringBreak,
): Promise<LostCheckpoints | undefined> {
  const [count, newest] = await lostNotes(entering, await newestOf(entering))
  return newest === undefined ? undefined : { count, size: placeOfNote(newest)?.at(-1) ?? 0 }
}

/**
 * Signs a statement that checkpoints are lost: an entry, and a checkpoint of the log under another name. The
 * name must change, because anyone who has seen the lost checkpoints would take a continuation under the old
 * name for a second log. Returns undefined if no checkpoint is lost, or if the break was entered before.
 */
export async function enterBreak(entering: EnteringBreak): Promise<Break | undefined> {
  const { account, key, store } = entering
  const last = await newestOf(entering)
  const [count, newest] = await lostNotes(entering, last)
  if (newest === undefined) return undefined
  if (last !== undefined && (await store.readNote(checkpointNote(last))) !== last.note)
    throw otherLog(entering, last)
  const lost = await readNoted(entering, newest)
  const origin = originAfter(lost)
  const subject = `ledger/breaks/${subjectPart(origin)}`
  const content = lineContent(lost.note.text)
  const signed = await entering.inTransaction(async (tx) => {
    const fact = { kind: 'statement', subject, size: 1, content } as const
    await addVouched(tx, { account, key, basis: 'break' }, [fact])
    return await signNext(tx, entering, origin)
  })
  if (signed.signed === undefined) throw unsigned(entering, signed.problem)
  await store.keepNote(checkpointNote(signed.signed), signed.signed.note)
  return { count, size: lost.size, origin }
}

async function newestOf({
  account,
  inTransaction,
}: EnteringBreak): Promise<CheckpointRow | undefined> {
  return await inTransaction((tx) => lastCheckpoint(tx, account))
}

/** The number of notes of checkpoints after `last`, and the name of the newest of these notes. */
async function lostNotes(
  { store }: EnteringBreak,
  last: CheckpointRow | undefined,
): Promise<[count: number, newest: string | undefined]> {
  const names = await store.listNotes()
  const known = last && placeOf(last)
  const lost = names.flatMap((name) => {
    const place = placeOfNote(name)
    return place !== undefined && (known === undefined || isAfter(place, known))
      ? [{ name, place }]
      : []
  })
  const newest = lost.toSorted((a, b) => (isAfter(a.place, b.place) ? 1 : -1)).at(-1)
  return [lost.length, newest?.name]
}

/** Reads a lost checkpoint from the store; throws unless a trusted key signed it. */
async function readNoted(entering: EnteringBreak, name: string): Promise<ReadCheckpoint> {
  const { account, store, key, previousKeys, inTransaction } = entering
  const keys = await inTransaction((tx) => checkpointKeys(tx, account))
  const found = readCheckpoint((await store.readNote(name)) ?? '')
  const ours = [key.publicKey.fingerprint, ...previousKeys]
  const trusted = [key.publicKey, ...keys.flatMap((der) => readPublicKey(der) ?? [])].filter(
    ({ fingerprint }) => ours.includes(fingerprint),
  )
  const whole =
    found !== undefined && goesOn(found.origin, originOf(account)) && checkpointNote(found) === name
  if (whole && trusted.some((one) => isCheckpointOf(found, one))) return found
  throw new ConfigurationError('evidence_key_changed', {
    tried: `Entering a break in the evidence of account ${account}`,
    came: whole
      ? `neither the key ${key.publicKey.fingerprint} nor one in evidence.previousKeys signed the note ` +
        name
      : `the note ${name} in ${store.place} is not a checkpoint of this account`,
    todo: whole
      ? 'enter the break with the key that signed this note, or add the fingerprint of that key to ' +
        'evidence.previousKeys'
      : 'check that archive.directory or archive.s3 names the store of this account; otherwise find out ' +
        'who changed the note',
  })
}

function otherLog({ account, store }: EnteringBreak, { size }: CheckpointRow): CallsheetError {
  return new CallsheetError('evidence_forked', {
    tried: `Entering a break in the evidence of account ${account}`,
    came: `${store.place} has no note of the checkpoint over ${size} entries, or a different one`,
    todo:
      'run callsheet verify to see what differs, then restore a backup of the database that wrote ' +
      'these notes',
  })
}

function unsigned(
  { account }: EnteringBreak,
  came = 'no checkpoint was signed under the new name of the log',
): CallsheetError {
  return new CallsheetError('evidence_tree_wrong', {
    tried: `Entering a break in the evidence of account ${account}`,
    came,
    todo: 'run callsheet verify to see what differs; restore another backup',
  })
}
