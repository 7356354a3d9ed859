import { hashOfBase64 } from './base64.ts'
import { padded } from './head.ts'
import { isNoteSignedBy, readNote, type SignedNote, signNote, verifierKey } from './note.ts'
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

/**
 * The name of an account's log, and of the key that signs its checkpoints: of a head by its number, where
 * breaks in the chain began another log. No two heads have one number, so no two logs have one name.
 */
export function originOf(account: string, by?: LogPlace): string {
  const begun = by?.breaks.filter(({ to }) => to < by.number) ?? []
  const last = begun.toSorted((one, other) => one.to - other.to).at(-1)
  return last?.origin ?? `callsheet/${encodeURIComponent(account.toWellFormed())}`
}

/** The name of the log that goes on after heads that were lost, of which `to` was the newest. */
export function originAfter(account: string, to: number): string {
  return `${originOf(account)}/from-head-${to + 1}`
}

/** A head by its number, and the breaks that a holder of the key stated. */
export interface LogPlace {
  number: number
  breaks: readonly { to: number; origin: string }[]
}

export function signCheckpoint(key: SigningKey, { origin, size, root }: Checkpoint): string {
  return signNote(`${origin}\n${size}\n${root.toString('base64')}\n`, origin, key)
}

/** Reads a checkpoint without a look at who signed it; undefined where it is none. */
export function readCheckpoint(text: string): ReadCheckpoint | undefined {
  const note = readNote(text)
  const [origin = '', size = '', root = '', ...more] = note?.text.slice(0, -1).split('\n') ?? []
  const hash = hashOfBase64(root)
  if (note === undefined || hash === undefined || origin === '' || more.includes(''))
    return undefined
  const leaves = readCount(size)
  return leaves === undefined ? undefined : { origin, size: leaves, root: hash, note }
}

/** Whether the key signed the checkpoint as one of its own origin. */
export function isCheckpointOf({ origin, note }: ReadCheckpoint, key: PublicKey): boolean {
  return isNoteSignedBy(note, origin, key)
}

/** How a person notes the state of a log: its size and its root, which stand for all its entries. */
export function stateText({ size, root }: Pick<Checkpoint, 'size' | 'root'>): string {
  return `${size}:${root.toString('base64')}`
}

/** Reads what a person noted; undefined where it is none. */
export function readState(text: string): Pick<Checkpoint, 'size' | 'root'> | undefined {
  const [digits = '', base64 = '', ...more] = text.split(':')
  const [size, root] = [readCount(digits), hashOfBase64(base64)]
  return size === undefined || root === undefined || more.length > 0 ? undefined : { size, root }
}

/** Whether a log of that name is the account's: the first one, or one that goes on after heads were lost. */
export function isOriginOf(account: string, origin: string): boolean {
  const first = originOf(account)
  return origin === first || (origin.startsWith(first) && FOLLOWS.test(origin.slice(first.length)))
}

/** The name of the store's note of a checkpoint. Names of notes cannot contain folders. */
export function checkpointNote({ origin, size }: Pick<Checkpoint, 'origin' | 'size'>): string {
  const [, from] = /\/from-head-(\d+)$/.exec(origin) ?? []
  return ['checkpoint', ...(from === undefined ? [] : [padded(Number(from))]), padded(size)].join(
    '-',
  )
}

/** What verifiers of the account's checkpoints are given, one line. */
export function logKey(account: string, key: PublicKey, by?: LogPlace): string {
  return verifierKey(originOf(account, by), key)
}

/** A count in decimal digits, without zeros before it; undefined for all else. */
export function readCount(digits: string): number | undefined {
  const count = /^(0|[1-9]\d{0,15})$/.test(digits) ? Number(digits) : Number.NaN
  return Number.isSafeInteger(count) ? count : undefined
}

const FOLLOWS = /^\/from-head-[1-9]\d{0,15}$/
