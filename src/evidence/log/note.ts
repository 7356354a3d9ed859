import { hash } from 'node:crypto'
import { bytesOfBase64 } from './base64.ts'
import { isSignedBy, type PublicKey, readPublicKey, type SigningKey } from './signing-key.ts'

/** A signed note (c2sp.org/signed-note): a text, and who signed it. */
export interface SignedNote {
  /** The signed text, including its newline. */
  text: string
  signatures: readonly NoteSignature[]
}

interface NoteSignature {
  name: string
  /** The first four bytes of a hash of the key's name and the key. */
  keyId: Buffer
  signature: Buffer
}

/** Signs a text, which ends with a newline, and returns the complete note. `name` is the name of the key. */
export function signNote(text: string, name: string, key: SigningKey): string {
  const signed = Buffer.concat([keyId(name, key.publicKey), key.sign(text)])
  return `${text}\n${DASH}${name} ${signed.toString('base64')}\n`
}

/** Parses a note without checking its signatures; undefined if the text is not a note. */
export function readNote(note: string): SignedNote | undefined {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || note.length > MOST_LENGTH || !note.endsWith('\n') || !isPlain(note))
    return undefined
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > MOST_SIGNATURES) return undefined
  const signatures = lines.flatMap((line) => readSignature(line) ?? [])
  return signatures.length === lines.length
    ? { text: note.slice(0, end + 1), signatures }
    : undefined
}

/** Returns true if the key signed the note under that name. Ignores other signatures. */
export function isNoteSignedBy(
  { text, signatures }: SignedNote,
  name: string,
  key: PublicKey,
): boolean {
  const id = keyId(name, key)
  const own = signatures.filter((one) => one.name === name && one.keyId.equals(id))
  return own.length > 0 && own.every(({ signature }) => isSignedBy(key, text, signature))
}

/** The key in the form that verifiers of notes read: its name, its ID, and its type with the key itself. */
export function verifierKey(name: string, key: PublicKey): string {
  const typed = Buffer.concat([ED25519, rawOf(key)]).toString('base64')
  return `${name}+${keyId(name, key).toString('hex')}+${typed}`
}

/** The key in a verifier key; undefined if the text is not a verifier key with that name. */
export function readVerifierKey(name: string, text: string): PublicKey | undefined {
  const typed = bytesOfBase64(text.slice(-TYPED_LETTERS))
  const key = readPublicKey(Buffer.concat([SPKI, typed?.subarray(1) ?? Buffer.alloc(0)]))
  return key !== undefined && verifierKey(name, key) === text ? key : undefined
}

function readSignature(line: string): NoteSignature | undefined {
  const [, name = '', base64 = ''] = LINE.exec(line) ?? []
  const bytes = bytesOfBase64(base64)
  if (bytes === undefined || bytes.length <= KEY_ID_BYTES) return undefined
  return { name, keyId: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) }
}

function keyId(name: string, key: PublicKey): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`), ED25519, rawOf(key)])
  return hash('sha256', named, 'buffer').subarray(0, KEY_ID_BYTES)
}

/** The raw Ed25519 key is the end of its DER. */
function rawOf({ der }: PublicKey): Buffer {
  return der.subarray(-KEY_BYTES)
}

/** Returns true for well-formed text without characters below U+0020, except newlines. */
function isPlain(note: string): boolean {
  for (let at = 0; at < note.length; at++)
    if (note.charCodeAt(at) < SPACE && note[at] !== '\n') return false
  return note.isWellFormed()
}

const SPACE = 0x20
const DASH = '\u2014 '
/** Names contain neither spaces nor plus signs. */
const LINE = /^\u2014 ([^\s\u0085+]+) ([A-Za-z0-9+/]+={0,2})$/
const ED25519 = Buffer.from([1])
const KEY_BYTES = 32
/** The DER prefix of an Ed25519 key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const KEY_ID_BYTES = 4
/** The base64 length of the type and the key. */
const TYPED_LETTERS = 44
const MOST_SIGNATURES = 64
const MOST_LENGTH = 2 ** 20
