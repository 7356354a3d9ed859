import { createHash } from 'node:crypto'

/** RFC 6962, 2.1: the Merkle tree hash over hashes of leaves, written as in the RFC. */
export function mth(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves
  if (first === undefined) return sha256()
  if (leaves.length === 1) return first
  const k = half(leaves.length)
  return sha256(Buffer.from([1]), mth(leaves.slice(0, k)), mth(leaves.slice(k)))
}

/** RFC 6962, 2.1.1: the audit path of leaf `m`. */
export function path(m: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return []
  const k = half(leaves.length)
  return m < k
    ? [...path(m, leaves.slice(0, k)), mth(leaves.slice(k))]
    : [...path(m - k, leaves.slice(k)), mth(leaves.slice(0, k))]
}

/** RFC 6962, 2.1.2: the consistency proof for the first `m` leaves. */
export function proof(m: number, leaves: readonly Buffer[]): Buffer[] {
  return subproof(m, leaves, true)
}

function subproof(m: number, leaves: readonly Buffer[], known: boolean): Buffer[] {
  if (m === leaves.length) return known ? [] : [mth(leaves)]
  const k = half(leaves.length)
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), known), mth(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), mth(leaves.slice(0, k))]
}

export function leafOf(data: string): Buffer {
  return sha256(Buffer.from([0]), Buffer.from(data))
}

/** The largest power of two below a count. */
function half(count: number): number {
  let k = 1
  while (k * 2 < count) k *= 2
  return k
}

function sha256(...parts: Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}
