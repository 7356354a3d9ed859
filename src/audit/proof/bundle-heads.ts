import { sha256Hex } from '../../evidence/log/digest.ts'
import { parsed } from '../../evidence/log/entry.ts'
import type { Findings } from '../../evidence/log/finding.ts'
import { headName } from '../../evidence/log/head.ts'
import { checkBreaks, type GivenBreak, type HeadBreak } from '../../evidence/log/head-break.ts'
import { type CheckedHead, checkHeadChain, type GivenHead } from '../../evidence/log/head-chain.ts'
import { type PublicKey, readPublicKey } from '../../evidence/log/signing-key.ts'
import { memberKind } from './bundle-format.ts'
import type { BundleReader } from './bundle-reader.ts'
import type { Sums } from './bundle-sums.ts'
import { judged, type Platform } from './platform.ts'

export interface CheckingHeads {
  findings: Findings
  account: string
  /** The bundle's own key; undefined where it has none. */
  key: PublicKey | undefined
  sums: Sums
  platform: Pick<Platform, 'signed'>
}

export interface BundleHeads {
  heads: CheckedHead[]
  breaks: HeadBreak[]
  /** By fingerprint, the keys that are believed. */
  keys: ReadonlyMap<string, PublicKey>
}

/** Checks a bundle's heads with its key and with the older keys that this key signed for. */
export async function checkBundleHeads(
  bundle: BundleReader,
  checking: CheckingHeads,
): Promise<BundleHeads> {
  const { account, key } = checking
  const keys = await believedKeys(bundle, checking)
  const given: GivenHead[] = []
  for (const name of bundle.names()) {
    const number = /^heads\/(\d+)\.json$/.exec(name)?.[1]
    if (number === undefined) continue
    const line = (await bundle.readPart(name))?.toString() ?? ''
    const signature = (await bundle.readPart(headName(Number(number), 'sig'))) ?? Buffer.alloc(0)
    const said = parsed(line) as { key?: string } | undefined
    given.push({ number: Number(number), line, signature, key: keys.get(said?.key ?? '') ?? key })
  }
  given.sort((a, b) => a.number - b.number)
  const lost = await givenBreaks(bundle, keys)
  const { heads, breaks } = await judged(checking.platform, checking.findings, (findings) => {
    const rules = { account, keys: [...keys.keys()], findings }
    const stated = checkBreaks(rules, lost)
    return { heads: checkHeadChain({ ...rules, breaks: stated }, given), breaks: stated }
  })
  return { heads, breaks, keys }
}

async function givenBreaks(
  bundle: BundleReader,
  keys: ReadonlyMap<string, PublicKey>,
): Promise<GivenBreak[]> {
  const given: GivenBreak[] = []
  for (const name of bundle.names()) {
    if (!/^breaks\/[\d-]+\.json$/.test(name)) continue
    const line = (await bundle.readPart(name))?.toString() ?? ''
    const signature = (await bundle.readPart(name.replace(/json$/, 'sig'))) ?? Buffer.alloc(0)
    const said = parsed(line) as { key?: string } | undefined
    given.push({ line, signature, key: keys.get(said?.key ?? '') })
  }
  return given
}

/**
 * The bundle's key first, then the older keys. Anybody can put a key into a bundle. An older key counts only
 * if the bundle's key signed its digest, and if it is the key that its name says.
 */
async function believedKeys(
  bundle: BundleReader,
  { findings, key, sums }: CheckingHeads,
): Promise<Map<string, PublicKey>> {
  const keys = new Map(key === undefined ? [] : [[key.fingerprint, key]])
  for (const name of bundle.names()) {
    if (memberKind(name) !== 'key') continue
    const bytes = (await bundle.readPart(name)) ?? Buffer.alloc(0)
    const vouched = sums.signed && sums.digests.get(name) === sha256Hex(bytes)
    const other = vouched ? readPublicKey(bytes.toString()) : undefined
    if (other !== undefined && name === `keys/${other.fingerprint}.pem`)
      keys.set(other.fingerprint, other)
    else
      findings.add('key_foreign', name, {
        expected: 'the key of that fingerprint, in the SHA256SUMS that key.pem signed',
        found: vouched ? 'another key, or none' : 'a key that key.pem does not vouch for',
      })
  }
  return keys
}
