import { createHash, type Hash } from 'node:crypto'
import { sha256Hex } from '../../evidence/log/digest.ts'
import type { StampTrust } from '../../evidence/stamp/check-stamps.ts'
import { type BundlePins, checkBundle, type VerifiedBundle } from '../proof/check-bundle.ts'
import type { Platform } from '../proof/platform.ts'
import { checkBundleStamps } from './bundle-stamps.ts'
import { readBundle } from './read-bundle.ts'

/** Without `stampTrust`, neither the issuer of time stamps nor their validity today is checked. */
type Pins = BundlePins & { stampTrust?: StampTrust | undefined }

/** Checks a bundle, reading each member as a stream. Throws if the file is not a bundle. */
export async function verifyBundle(
  path: string,
  { stampTrust: trust = { roots: [] }, ...pins }: Pins = {},
): Promise<VerifiedBundle> {
  const bundle = await readBundle(path)
  const platform: Platform = {
    digestOf,
    signed: (rules) => Promise.resolve(rules()),
    checkStamps: (from, checking) => checkBundleStamps(from, { ...checking, trust }),
  }
  try {
    return await checkBundle(bundle, pins, platform)
  } finally {
    await bundle.close()
  }
}

/** Hashes a file that arrives as one piece, as most do, in a single call, which is cheapest. */
async function digestOf(pieces: AsyncIterable<Uint8Array>, bytes: number): Promise<string> {
  let hash: Hash | undefined
  let whole: string | undefined
  for await (const piece of pieces)
    if (piece.length === bytes) whole = sha256Hex(piece)
    else {
      hash ??= createHash('sha256')
      hash.update(piece)
    }
  return whole ?? hash?.digest('hex') ?? sha256Hex('')
}
