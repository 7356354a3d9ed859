import { sha256Hex } from './digest.ts'

/** What an erasure can take of one subject: a record, and the file of the same name. */
export type ErasedKind = 'record' | 'file'

/** What an entry of an erasure commits to: the kinds whose salts went with it. */
export function erasureOf(kinds: readonly ErasedKind[]): { size: number; content: Buffer } {
  const text = kinds.toSorted().join(' ')
  return { size: text.length, content: Buffer.from(sha256Hex(text), 'hex') }
}

/**
 * Whether an erasure's entry, by its size, explains that entries before it on the same subject have no salt.
 * Those of before said no kinds, and had no size: they explain all.
 */
export function explains(erasureSize: number, kind: string): boolean {
  const lost = kind === 'record' ? 'record' : 'file'
  return erasureSize === 0 || OF_SIZE[erasureSize]?.includes(lost) === true
}

const OF_SIZE: Readonly<Record<number, readonly ErasedKind[]>> = Object.fromEntries(
  ([['record'], ['file'], ['file', 'record']] as const).map((kinds) => [
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
 * Of the entries on one subject, in their order, those that have lost their salt by no right: no erasure of
 * their kind comes after them. An erasure keeps its own.
 */
export function lostAmong<Entry extends Told>(entries: readonly Entry[]): Entry[] {
  let lost: Entry[] = []
  for (const entry of entries) {
    if (entry.kind === 'erasure') lost = lost.filter(({ kind }) => !explains(entry.size, kind))
    if (!entry.salted) lost.push(entry)
  }
  return lost
}
