import { hashOfBase64 } from './base64.ts'
import { isNoteSignedBy, readNote, type SignedNote, signNote } from './note.ts'
import type { PublicKey, SigningKey } from './signing-key.ts'

/** The state of a log (c2sp.org/tlog-checkpoint): the size and the root of the tree over all its entries. */
export interface Checkpoint {
  origin: string
  size: number
  root: Buffer
}

export interface ReadCheckpoint extends Checkpoint {
  note: SignedNote
}

/** The name of an account's log, and of the key that signs its checkpoints. */
export function originOf(account: string): string {
  return `callsheet/${encodeURIComponent(account.toWellFormed())}`
}

/**
 * The name of the log that continues after checkpoints were lost, derived from the newest lost checkpoint.
 * The name is unique, because it contains the name of the previous log.
 */
export function originAfter({ origin, size }: Pick<Checkpoint, 'origin' | 'size'>): string {
  return `${origin}/after-${size}`
}

/** Returns true if a log named `origin` is the log named `before` or continues it after a break. */
export function goesOn(origin: string, before: string): boolean {
  return (
    origin === before || (origin.startsWith(before) && FOLLOWS.test(origin.slice(before.length)))
  )
}

export function signCheckpoint(key: SigningKey, { origin, size, root }: Checkpoint): string {
  return signNote(`${origin}\n${size}\n${root.toString('base64')}\n`, origin, key)
}

/** Parses a checkpoint without checking its signatures; undefined if the text is not a checkpoint. */
export function readCheckpoint(text: string): ReadCheckpoint | undefined {
  const note = readNote(text)
  const [origin = '', size = '', root = '', ...more] = note?.text.slice(0, -1).split('\n') ?? []
  const hash = hashOfBase64(root)
  if (note === undefined || hash === undefined || origin === '' || more.includes(''))
    return undefined
  const leaves = readCount(size)
  return leaves === undefined ? undefined : { origin, size: leaves, root: hash, note }
}

/** Returns true if the key signed the checkpoint under the name of the checkpoint's origin. */
export function isCheckpointOf({ origin, note }: ReadCheckpoint, key: PublicKey): boolean {
  return isNoteSignedBy(note, origin, key)
}

/** A log's state in the form that people write down: size and root, which identify all its entries. */
export function stateText({ size, root }: Pick<Checkpoint, 'size' | 'root'>): string {
  return `${size}:${root.toString('base64')}`
}

export function stateOfNote(note: string): string | undefined {
  const state = readCheckpoint(note)
  return state && stateText(state)
}

/** Parses a state that a person wrote down; undefined if the text is not a state. */
export function readState(text: string): Pick<Checkpoint, 'size' | 'root'> | undefined {
  const [digits = '', base64 = '', ...more] = text.split(':')
  const [size, root] = [readCount(digits), hashOfBase64(base64)]
  return size === undefined || root === undefined || more.length > 0 ? undefined : { size, root }
}

/**
 * The place of a checkpoint among all checkpoints of the account: the sizes at which earlier logs ended, then
 * its own size. E.g. `[120, 300]`: 300 entries, in the log that continues after a lost checkpoint over 120.
 */
export type PlaceInLogs = readonly number[]

export function placeOf({ origin, size }: Pick<Checkpoint, 'origin' | 'size'>): PlaceInLogs {
  const [, , ...afters] = origin.split('/')
  return [...afters.map((after) => Number(after.slice('after-'.length))), size]
}

export function isAfter(one: PlaceInLogs, other: PlaceInLogs): boolean {
  return one.length === other.length
    ? (one.at(-1) ?? 0) > (other.at(-1) ?? 0)
    : one.length > other.length
}

/** The name of a checkpoint's note in the store. Names of notes may not contain slashes. */
export function checkpointNote(checkpoint: Pick<Checkpoint, 'origin' | 'size'>): string {
  return ['checkpoint', ...placeOf(checkpoint).map(padded)].join('-')
}

/** The place of the checkpoint that a note belongs to, from the note's name; undefined for other notes. */
export function placeOfNote(name: string): PlaceInLogs | undefined {
  const [, sizes] = /^checkpoint-(\d{6,16}(?:-\d{6,16})*)$/.exec(name) ?? []
  return sizes?.split('-').map(Number)
}

/** The name of the note with a witness's cosignature of a checkpoint; `keyId` is that of the witness. */
export function cosignatureNote(
  checkpoint: Pick<Checkpoint, 'origin' | 'size'>,
  keyId: string,
): string {
  return `${checkpointNote(checkpoint)}.cosignature-${keyId}`
}

export function padded(number: number): string {
  return String(number).padStart(6, '0')
}

/** Parses a decimal count without leading zeros; undefined for anything else. */
export function readCount(digits: string): number | undefined {
  const count = /^(0|[1-9]\d{0,15})$/.test(digits) ? Number(digits) : Number.NaN
  return Number.isSafeInteger(count) ? count : undefined
}

const FOLLOWS = /^(?:\/after-(?:0|[1-9]\d{0,15}))+$/
