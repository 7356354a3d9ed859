import type { BundleReader } from './bundle-reader.ts'
import type { Findings } from './finding.ts'
import { linesOf } from './lines.ts'
import { isSignedBy, type PublicKey } from './signing-key.ts'

export interface Sums {
  /** By member the digest that the bundle says it has. */
  digests: ReadonlyMap<string, string>
  /** Whether the bundle's key signed them. */
  signed: boolean
}

/** Reads `SHA256SUMS` and checks that it is signed by the bundle's key and names each member once. */
export async function readSums(
  bundle: BundleReader,
  key: PublicKey | undefined,
  findings: Findings,
): Promise<Sums> {
  const pieces: Uint8Array[] = []
  const sums = new Map<string, string>()
  try {
    for await (const piece of bundle.read('SHA256SUMS')) pieces.push(piece)
  } catch {
    // Named where all members are read; what was read of it is no text that anybody signed.
  }
  for await (const line of linesOf(inPieces(pieces))) {
    const [, digest, name] = /^([0-9a-f]{64}) {2}(\S{1,200})$/.exec(line.toString()) ?? []
    if (digest === undefined || name === undefined || sums.has(name))
      findings.add('sums_unreadable', 'SHA256SUMS', { found: 'a line that no bundle has' })
    else sums.set(name, digest)
  }
  // One that cannot be unpacked is named where all members are read.
  const signature = await bundle.readSmall('SHA256SUMS.sig').catch(() => undefined)
  const text = Buffer.concat(pieces)
  const signed = key !== undefined && signature !== undefined && isSignedBy(key, text, signature)
  if (!signed)
    findings.add('signature_wrong', 'SHA256SUMS', {
      expected: `a signature by the key ${key?.fingerprint ?? '(key.pem holds none)'}`,
    })
  for (const name of sums.keys())
    if (!bundle.has(name)) findings.add('member_missing', name, { found: 'no such member' })
  for (const name of bundle.names())
    if (!sums.has(name) && name !== 'SHA256SUMS' && name !== 'SHA256SUMS.sig')
      findings.add('member_extra', name, { expected: 'only members that SHA256SUMS names' })
  return { digests: sums, signed }
}

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}
