import { Findings } from '../../evidence/log/finding.ts'
import type { BundleReader } from './bundle-reader.ts'
import type { StatedStamp } from './bundle-rows.ts'

export interface CheckingStamps {
  findings: Findings
  /** By size, the checkpoints that stamps are of. */
  notes: ReadonlyMap<number, Buffer>
  /** What the entries say: which stamps are kept, and when the last of some was made. */
  contents: {
    stamps(): ReadonlyMap<number, StatedStamp>
    lastTime(of: { after: number; upTo: number }): number | undefined
  }
}

/** What Node and a browser do in ways of their own. */
export interface Platform {
  /** The SHA-256 of the pieces, in hex; of so many bytes, as far as is known. */
  digestOf(pieces: AsyncIterable<Uint8Array>, bytes: number): Promise<string>
  /**
   * What rules say that look at signatures. A browser judges signatures only later: there the rules are gone
   * through again once it has, so that they must not change anything.
   */
  signed<T>(rules: () => T): Promise<T>
  /** Checks time stamps. Returns what cannot be told. */
  checkStamps(bundle: BundleReader, checking: CheckingStamps): Promise<string[]>
}

/** What rules say that look at signatures and add findings. */
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
