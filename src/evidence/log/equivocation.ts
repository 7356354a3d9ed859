import { hashOfBase64 } from './base64.ts'
import { isCheckpointOf, type ReadCheckpoint, readCheckpoint } from './checkpoint.ts'
import { type PublicKey, readPublicKey } from './signing-key.ts'
import { isConsistent } from './tile-proofs.ts'

/**
 * Two checkpoints of one log, signed with one key, of which neither tree is the beginning of the other: its
 * holder has shown two logs. Of trees of different sizes the proof is how the larger one begins.
 */
export interface Equivocation {
  /** Neither is of more entries than the one after it. */
  checkpoints: readonly [string, string]
  /** The key of both. */
  key: PublicKey
  /** The root of the first entries of the larger tree, as many as the smaller has; and that it is. */
  begins?: { root: Buffer; proof: readonly Buffer[] } | undefined
}

export interface JudgedEquivocation {
  /** The fingerprint of the key. */
  key: string | undefined
  origin: string | undefined
  sizes: readonly number[]
  /** Why the file proves nothing; undefined where it does prove it. */
  wrong: string | undefined
}

export function equivocationText({ checkpoints, key, begins }: Equivocation): string {
  const root = begins === undefined ? [] : [`begins ${begins.root.toString('base64')}`]
  const proof = (begins?.proof ?? []).map((hash) => `proof ${hash.toString('base64')}`)
  const lines = [FIRST, `key ${key.der.toString('base64')}`, ...root, ...proof]
  return `${lines.join('\n')}\n\n${checkpoints.join('\n')}`
}

/** Checks such a file by itself: whoever knows the key can say whose two logs these are. */
export function judgeEquivocation(text: string): JudgedEquivocation {
  const found = readEquivocation(text)
  if (found === undefined)
    return { key: undefined, origin: undefined, sizes: [], wrong: 'it is no file of this kind' }
  const { key, notes } = found
  const sizes = notes.map(({ size }) => size)
  return { key: key.fingerprint, origin: notes[1].origin, sizes, wrong: wrongIn(found) }
}

interface Read {
  key: PublicKey
  notes: readonly [ReadCheckpoint, ReadCheckpoint]
  begins: { root: Buffer; proof: Buffer[] } | undefined
}

function wrongIn({ key, notes: [smaller, larger], begins }: Read): string | undefined {
  if (smaller.origin !== larger.origin) return 'the two checkpoints are of different logs'
  if (![smaller, larger].every((one) => isCheckpointOf(one, key)))
    return 'the key did not sign both checkpoints'
  const { size } = smaller
  if (size > larger.size) return 'the first checkpoint is of more entries than the second'
  if (size === larger.size)
    return smaller.root.equals(larger.root) ? 'the two checkpoints say the same' : undefined
  if (begins === undefined) return 'it does not say how the larger tree begins'
  if (!isConsistent({ size, root: begins.root }, larger, begins.proof))
    return 'the larger tree does not begin as it says'
  return begins.root.equals(smaller.root)
    ? 'the larger tree goes on from the smaller one'
    : undefined
}

function readEquivocation(text: string): Read | undefined {
  const [, head = '', first = '', second = ''] =
    text.length > MOST_LENGTH ? [] : (FORM.exec(text) ?? [])
  const [title, told = '', ...lines] = head.split('\n')
  const key = readPublicKey(Buffer.from(told.replace(/^key /, ''), 'base64'))
  const [smaller, larger] = [readCheckpoint(first), readCheckpoint(second)]
  if (title !== FIRST || key === undefined || smaller === undefined || larger === undefined)
    return undefined
  const hashes = lines.map((line, at) =>
    hashOfBase64(line.replace(at === 0 ? 'begins ' : 'proof ', '')),
  )
  const [root, ...proof] = hashes.flatMap((hash) => hash ?? [])
  if (proof.length + (root === undefined ? 0 : 1) !== lines.length) return undefined
  return { key, notes: [smaller, larger], begins: root && { root, proof } }
}

const FIRST = 'callsheet equivocation v1'
/** A checkpoint ends with lines of signatures, each with a dash. */
const FORM = /^([^\n]+(?:\n[^\n]+)*)\n\n((?:[^\n]+\n)+\n(?:\u2014 [^\n]+\n)+)\n([^]+)$/
const MOST_LENGTH = 2 ** 20
