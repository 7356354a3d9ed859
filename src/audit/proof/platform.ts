import { Findings } from '../../evidence/log/finding.ts'
import type { BundleReader } from './bundle-reader.ts'
import type { StatedStamp } from './bundle-rows.ts'

export interface CheckingStamps {
  findings: Findings
  /** The notes of the checkpoints that have a time stamp or a lock, by size. */
  notes: ReadonlyMap<number, Buffer>
  /** Provides the stated stamps, and the time of the last entry in a range. */
  contents: {
    stamps(): ReadonlyMap<number, StatedStamp>
    lastTime(of: { after: number; upTo: number }): number | undefined
  }
}

/** Operations that Node and browsers implement differently. */
export interface Platform {
  /** The SHA-256 of the pieces, in hex; `bytes` is their expected size. */
  digestOf(pieces: AsyncIterable<Uint8Array>, bytes: number): Promise<string>
  /**
   * Evaluates rules that verify signatures. A browser verifies signatures asynchronously and then evaluates
   * the rules again, so the rules must have no side effects.
   */
  signed<T>(rules: () => T): Promise<T>
  /** Checks time stamps. Returns the open questions as sentences. */
  checkStamps(bundle: BundleReader, checking: CheckingStamps): Promise<string[]>
}

/** Evaluates rules that verify signatures. Adds only the findings of the last evaluation. */
export async function judged<T>(
  { signed }: Pick<Platform, 'signed'>,
  findings: Findings,
  rules: (own: Findings) => T,
): Promise<T> {
  const { said, own } = await signed(() => {
    const collected = new Findings()
    return { said: rules(collected), own: collected }
  })
  for (const { code, what, ...told } of own.kept) findings.add(code, what, told)
  findings.total += own.total - own.kept.length
  return said
}
