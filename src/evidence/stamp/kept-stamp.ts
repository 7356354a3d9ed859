import { sha256Hex } from '../log/digest.ts'
import { padded } from '../log/head.ts'

/** A time stamp as it is kept: of a head, or of stamps that were near their end. */
export interface KeptStamp {
  kind: 'head' | 'renewal'
  number: number
  /** The service's whole response. */
  token: Buffer
  /** The certificates above it in PEM; null where none were kept, and the token may hold some. */
  chain: string | null
  /** What it is of: the head's line, or the sums of what is renewed. */
  data: Buffer
}

/** Its name in a bundle, which ends by what of it is meant. */
export function stampName({ kind, number }: Pick<KeptStamp, 'kind' | 'number'>): string {
  return `${kind === 'head' ? 'anchors' : 'renewals'}/${padded(number)}`
}

/** Everything of a stamp that a later one must confirm, under its name in a bundle. */
export function partsOf(stamp: KeptStamp): Map<string, string | Buffer> {
  const name = stampName(stamp)
  const parts = new Map<string, string | Buffer>([[`${name}.tsr`, stamp.token]])
  if (stamp.chain !== null) parts.set(`${name}.pem`, stamp.chain)
  if (stamp.kind === 'renewal') parts.set(`${name}.sums`, stamp.data)
  return parts
}

/** What a renewal is of: the SHA-256 of each part of the stamps, as `sha256sum -c` reads it. */
export function sumsOf(stamps: readonly KeptStamp[]): string {
  return stamps
    .flatMap((stamp) => [...partsOf(stamp)])
    .map(([name, bytes]) => `${sha256Hex(bytes)}  ${name}\n`)
    .join('')
}

/** By name, the digests in the sums of a renewal; undefined where they are no such text. */
export function readRenewed(sums: string): Map<string, string> | undefined {
  if (!/^([0-9a-f]{64} {2}(anchors|renewals)\/\d{6,15}\.(tsr|pem|sums)\n)+$/.test(sums))
    return undefined
  return new Map(
    sums
      .split('\n')
      .slice(0, -1)
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  )
}
