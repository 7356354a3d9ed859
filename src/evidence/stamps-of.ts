import type { AnchorRow } from './sql/heads.ts'
import type { CheckedStamp } from './stamp/check-stamps.ts'

/** A time stamp of an anchor; undefined for a lock, and where what it is of is not there. */
export function stampOf(
  { number, kind, token, chain, covers }: AnchorRow,
  head: { line: string; at?: string } | undefined,
): CheckedStamp | undefined {
  const data = kind === 'renewal' ? covers : head?.line
  if (kind === 'locked_object' || data === null || data === undefined) return undefined
  const kept = { number, token: token ?? Buffer.alloc(0), chain, data: Buffer.from(data) }
  if (kind === 'renewal') return { kind, ...kept }
  return { kind: 'head', ...kept, saidMs: head?.at === undefined ? undefined : Date.parse(head.at) }
}
