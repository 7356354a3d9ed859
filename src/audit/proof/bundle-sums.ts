import type { Findings } from '../../evidence/log/finding.ts'
import { isSignedBy, type PublicKey } from '../../evidence/log/signing-key.ts'
import type { BundleReader } from './bundle-reader.ts'
import type { Platform } from './platform.ts'

export interface Sums {
  /** The stated digest of each member. */
  digests: ReadonlyMap<string, string>
  /** True if the bundle's key signed the digests. */
  signed: boolean
}

interface ReadingSums {
  key: PublicKey | undefined
  findings: Findings
  platform: Pick<Platform, 'signed'>
}

/**
 * Reads `SHA256SUMS`, and checks that the bundle's key signed it and that it names each member once. The file
 * is read into memory, because the signature covers all of it, but only if its size fits the number of
 * members.
 */
export async function readSums(
  bundle: BundleReader,
  { key, findings, platform }: ReadingSums,
): Promise<Sums> {
  const members = [...bundle.names()].length
  const mostBytes = Math.max(LEAST_BOUND_BYTES, members * MOST_LINE_BYTES)
  const bytes = bundle.size('SHA256SUMS')
  if (bytes > mostBytes) {
    findings.add('sums_unreadable', 'SHA256SUMS', {
      expected: `at most ${mostBytes} bytes, for ${members} members`,
      found: `${bytes} bytes`,
    })
    return { digests: new Map(), signed: false }
  }
  const text = await wholeOf(bundle)
  const digests = digestsIn(text, findings)
  // If the signature cannot be unpacked, `signed` is false, which is a finding.
  const signature = await bundle.readSmall('SHA256SUMS.sig').catch(() => undefined)
  const signed =
    key !== undefined &&
    signature !== undefined &&
    (await platform.signed(() => isSignedBy(key, text, signature)))
  if (!signed)
    findings.add('signature_wrong', 'SHA256SUMS', {
      expected:
        key === undefined
          ? 'a valid key in key.pem, and its signature'
          : `a signature by the key ${key.fingerprint}`,
    })
  for (const name of digests.keys())
    if (!bundle.has(name)) findings.add('member_missing', name, { found: 'not in the bundle' })
  for (const name of bundle.names())
    if (!digests.has(name) && name !== 'SHA256SUMS' && name !== 'SHA256SUMS.sig')
      findings.add('member_extra', name, { expected: 'only members that SHA256SUMS lists' })
  return { digests, signed }
}

async function wholeOf(bundle: BundleReader): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of bundle.read('SHA256SUMS')) pieces.push(Buffer.from(piece))
  } catch {
    // Partial text has no valid signature, which is a finding.
  }
  return Buffer.concat(pieces)
}

function digestsIn(text: Buffer, findings: Findings): Map<string, string> {
  const digests = new Map<string, string>()
  for (const line of linesIn(text)) {
    const fits = line.length < MOST_LINE_BYTES && LINE.test(line.toString())
    // Decodes each part separately, because slices of a decoded line would keep the whole line in memory.
    const digest = line.toString('latin1', 0, DIGEST_LETTERS)
    const name = line.toString('utf8', DIGEST_LETTERS + 2)
    if (!fits || digests.has(name)) {
      // Stops after one such line: no signer writes any, and there may be millions.
      findings.add('sums_unreadable', 'SHA256SUMS', { found: 'a malformed or repeated line' })
      break
    }
    digests.set(name, digest)
  }
  return digests
}

function* linesIn(text: Buffer): Generator<Buffer> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf(NEWLINE, from)
    const to = end < 0 ? text.length : end
    yield text.subarray(from, to)
    from = to + 1
  }
}

const NEWLINE = 10
/** A digest, two spaces, a name, and the end of the line. */
const LINE = /^[0-9a-f]{64} {2}\S{1,200}$/
const DIGEST_LETTERS = 64
const MOST_LINE_BYTES = DIGEST_LETTERS + 2 + 200 + 1
/** The limit for a small bundle: even if most members are lost, the sums of all of them must be read. */
const LEAST_BOUND_BYTES = 2 ** 16
