import { sha256Hex } from './digest.ts'

/**
 * What an erasure can remove of one subject: a record, and the file of the same name; or what was stated of a
 * ledger's rows, which have subjects of their own.
 */
export type ErasedKind = 'record' | 'file' | 'statement'

/** What an erasure's entry commits to: the kinds whose salts it removed. */
export function erasureOf(kinds: readonly ErasedKind[]): { size: number; content: Buffer } {
  const text = kinds.toSorted().join(' ')
  return { size: text.length, content: Buffer.from(sha256Hex(text), 'hex') }
}

/** Whether an erasure's entry, by its size, explains missing salts of earlier entries on the same subject. */
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
  /** Of the entry's line. */
  size: number
  salted: boolean
}

/**
 * Of one subject's entries, in order, those whose salt is missing without a reason: no erasure of their kind
 * comes after them. Erasure entries keep their own salts.
 */
export function lostAmong<Entry extends Told>(entries: readonly Entry[]): Entry[] {
  let lost: Entry[] = []
  for (const entry of entries) {
    if (entry.kind === 'erasure') lost = lost.filter(({ kind }) => !explains(entry.size, kind))
    if (!entry.salted) lost.push(entry)
  }
  return lost
}
