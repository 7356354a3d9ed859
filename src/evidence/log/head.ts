import { isDigest, sha256Hex } from './digest.ts'
import { isCount, parsed } from './entry.ts'

/** What had been read of a stream when a head was signed: its last finished run and the result. */
export interface StreamState {
  stream: string
  run: number
  state: string
  /** An instant in UTC. */
  at: string
}

/** A signed statement on the manifest up to an entry. Its hash is the SHA-256 of its line. */
export interface Head {
  v: 1
  account: string
  /** From 1, without a gap. */
  number: number
  /** The first entry of its batch; the batch includes `first` and `last`. */
  first: number
  last: number
  /** The root of the Merkle tree over the batch's lines. */
  root: string
  /** The hash of the entry `last`. */
  last_entry: string
  /** The hash of the head before. */
  prev_head: string
  at: string
  /** The fingerprint of the key that signed it. */
  key: string
  coverage: readonly StreamState[]
}

/** The head as it is signed: one line with its fields in a fixed order. */
export function headLine(head: Head): string {
  const { v, account, number, first, last, root, last_entry, prev_head, at, key } = head
  const coverage = head.coverage.map(({ stream, run, state, at: endedAt }) => ({
    stream,
    run,
    state,
    at: endedAt,
  }))
  return JSON.stringify({
    v,
    account,
    number,
    first,
    last,
    root,
    last_entry,
    prev_head,
    at,
    key,
    coverage,
  })
}

export function headHash(line: string): string {
  return sha256Hex(line)
}

/** Reads a line's head; undefined unless the line is exactly what `headLine` makes of a head. */
export function readHead(line: string): Head | undefined {
  const value = parsed(line)
  if (!isHead(value)) return undefined
  return headLine(value) === line ? value : undefined
}

function isHead(value: unknown): value is Head {
  if (typeof value !== 'object' || value === null) return false
  const head = value as Partial<Head>
  return (
    head.v === 1 &&
    typeof head.account === 'string' &&
    [head.number, head.first, head.last].every((count) => isCount(count) && count > 0) &&
    [head.root, head.last_entry, head.prev_head, head.key].every(isDigest) &&
    typeof head.at === 'string' &&
    Array.isArray(head.coverage) &&
    head.coverage.every(isStreamState)
  )
}

function isStreamState(value: unknown): value is StreamState {
  if (typeof value !== 'object' || value === null) return false
  const { stream, run, state, at } = value as Partial<StreamState>
  return [stream, state, at].every((text) => typeof text === 'string') && isCount(run)
}

/** The name of the store's note of what a witness says of a head's checkpoint, by the ID of its key. */
export function cosignatureNote(number: number, keyId: string): string {
  return `head-${padded(number)}.cosignature-${keyId}`
}

/** The name of the store's note of a head. Names of notes cannot contain folders. */
export function headNote(number: number, ending: 'json' | 'sig'): string {
  return `head-${padded(number)}.${ending}`
}

export function padded(number: number): string {
  return String(number).padStart(6, '0')
}
