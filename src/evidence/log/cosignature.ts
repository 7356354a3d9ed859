import { hash } from 'node:crypto'
import { bytesOfBase64 } from './base64.ts'
import { readNote, type SignedNote } from './note.ts'
import { isSignedBy, type PublicKey, readPublicKey } from './signing-key.ts'

/** A witness as described by its verifier key. */
export interface WitnessKey {
  name: string
  /** The first four bytes of a hash of the name and the key, in hex. */
  keyId: string
  key: PublicKey
  /** The verifier key itself. */
  text: string
}

/**
 * A witness's claim that it saw this log at this size and root, and no fork of it
 * (c2sp.org/tlog-cosignature).
 */
export interface Cosignature {
  witness: WitnessKey
  /** The time by the witness's clock, in seconds. */
  atSeconds: number
  /** The cosignature's line in the signed note, including the newline. */
  line: string
}

/** Parses a verifier key for Ed25519 cosignatures; undefined for anything else, e.g. the key of a log. */
export function readWitnessKey(text: string): WitnessKey | undefined {
  const [, name = '', keyId = '', base64 = ''] = VERIFIER.exec(text) ?? []
  const typed = bytesOfBase64(base64)
  if (typed?.length !== 1 + KEY_BYTES || typed[0] !== COSIGNATURE_V1) return undefined
  const named = Buffer.concat([Buffer.from(`${name}\n`), typed])
  if (hash('sha256', named, 'hex').slice(0, keyId.length) !== keyId) return undefined
  const key = readPublicKey(Buffer.concat([SPKI, typed.subarray(1)]))
  return key && { name, keyId, key, text }
}

/** A witness's cosignature of a note; undefined if it is missing or invalid. */
export function cosignatureOf(note: SignedNote, witness: WitnessKey): Cosignature | undefined {
  const own = note.signatures.filter(({ name, keyId }) => isOf({ name, keyId }, witness))
  const times = own.map(({ signature }) => cosignedAt(note.text, signature, witness.key))
  const [atSeconds] = times
  const [first] = own
  // A note with an invalid signature by a known key is invalid as a whole.
  if (first === undefined || atSeconds === undefined || times.includes(undefined)) return undefined
  const signed = Buffer.concat([first.keyId, first.signature]).toString('base64')
  return { witness, atSeconds, line: `\u2014 ${witness.name} ${signed}\n` }
}

/** Returns true if a checkpoint has a line of the witness that is not a valid cosignature. */
export function hasWrongCosignature(checkpoint: string, witness: WitnessKey): boolean {
  const note = readNote(checkpoint)
  return (
    note !== undefined &&
    note.signatures.some((one) => isOf(one, witness)) &&
    cosignatureOf(note, witness) === undefined
  )
}

/** The valid cosignatures of these witnesses on a checkpoint; ignores other lines. */
export function cosignaturesIn(
  checkpoint: string,
  witnesses: readonly WitnessKey[],
): Cosignature[] {
  const note = readNote(checkpoint)
  return note === undefined ? [] : witnesses.flatMap((one) => cosignatureOf(note, one) ?? [])
}

/** Removes witnesses that repeat an earlier key: a key counts once, whatever its names. */
export function distinctWitnesses(witnesses: readonly WitnessKey[]): WitnessKey[] {
  return [
    ...new Map(witnesses.toReversed().map((one) => [one.key.fingerprint, one])).values(),
  ].toReversed()
}

function isOf({ name, keyId }: { name: string; keyId: Buffer }, witness: WitnessKey): boolean {
  return name === witness.name && keyId.toString('hex') === witness.keyId
}

function cosignedAt(text: string, signature: Buffer, key: PublicKey): number | undefined {
  if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined
  const time = signature.readBigUInt64BE()
  // A time of zero means that no time is given.
  if (time === 0n || time > MOST_SECONDS) return undefined
  const said = `cosignature/v1\ntime ${time}\n${text}`
  return isSignedBy(key, said, signature.subarray(TIME_BYTES)) ? Number(time) : undefined
}

/** Names contain neither spaces nor plus signs. */
const VERIFIER = /^([^\s\u0085+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/
/** The number of the key type, which the key ID covers too. */
const COSIGNATURE_V1 = 4
const KEY_BYTES = 32
const TIME_BYTES = 8
const SIGNATURE_BYTES = 64
/** The latest time that a Date can represent, in seconds. */
const MOST_SECONDS = 8_640_000_000_000n
/** The DER prefix of an Ed25519 key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
