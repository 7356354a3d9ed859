import { sha256Hex } from './digest.ts'

/**
 * The kinds of entries that an erasure can affect for one subject: a record, the file of the same name, or
 * statements about ledger rows, which have their own subjects.
 */
export type ErasedKind = 'record' | 'file' | 'statement'

/** The size and digest in an erasure's entry. Both identify the kinds of entries that it erases. */
export function erasureOf(kinds: readonly ErasedKind[]): { size: number; content: Buffer } {
  const text = kinds.toSorted().join(' ')
  return { size: text.length, content: Buffer.from(sha256Hex(text), 'hex') }
}

/**
 * Returns true if an erasure allows earlier entries of this kind about its subject to lack a salt. The size
 * in the erasure's entry identifies the kinds.
 */
export function explains(erasureSize: number, kind: string): boolean {
  const lost = kind === 'record' || kind === 'statement' ? kind : 'file'
  return OF_SIZE[erasureSize]?.includes(lost) === true
}

const OF_SIZE: Readonly<Record<number, readonly ErasedKind[]>> = Object.fromEntries(
  ([['record'], ['file'], ['file', 'record'], ['statement']] as const).map((kinds) => [
    erasureOf(kinds).size,
    kinds,
  ]),
)

interface Told {
  kind: string
  /** The size in the entry's line. */
  size: number
  salted: boolean
}

/**
 * Returns the entries of one subject, given in order, that lack a salt although no erasure of their kind
 * follows.
 */
export function lostAmong<Entry extends Told>(entries: readonly Entry[]): Entry[] {
  let lost: Entry[] = []
  for (const entry of entries) {
    if (entry.kind === 'erasure') lost = lost.filter(({ kind }) => !explains(entry.size, kind))
    if (!entry.salted) lost.push(entry)
  }
  return lost
}
