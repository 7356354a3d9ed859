import { sha256Hex } from '../../evidence/log/digest.ts'
import {
  type CheckedStamp,
  checkStamps,
  type StampTrust,
  stampName,
} from '../../evidence/stamp/check-stamps.ts'
import type { BundleReader } from '../proof/bundle-reader.ts'
import type { CheckingStamps } from '../proof/platform.ts'

/** Checks a bundle's time stamps, and that the stated ones are unchanged. Returns the open questions. */
export async function checkBundleStamps(
  bundle: BundleReader,
  { findings, notes, contents, trust }: CheckingStamps & { trust: StampTrust },
): Promise<string[]> {
  const stated = contents.stamps()
  for (const { size, ...told } of stated.values())
    for (const part of ['token', 'chain'] as const) {
      const name = `${stampName(size)}.${part === 'token' ? 'tsr' : 'pem'}`
      const bytes = await bundle.readPart(name)
      const found = sha256Hex(bytes ?? '')
      if (found !== told[part])
        findings.add('anchor_wrong', name, {
          expected: `the digest ${told[part]} that an entry states`,
          found: bytes === undefined ? 'no file of this name' : found,
        })
    }
  const stamps: CheckedStamp[] = []
  let before = 0
  for (const [size, name] of namedStamps(bundle)) {
    const note = notes.get(size)
    if (note === undefined)
      findings.add('anchor_wrong', name, { found: 'nothing here that it could be of' })
    else {
      const token = (await bundle.readPart(name)) ?? Buffer.alloc(0)
      const chain = (await bundle.readPart(`${stampName(size)}.pem`))?.toString() ?? null
      const saidMs = contents.lastTime({ after: before, upTo: size })
      stamps.push({ size, token, chain, note, saidMs, stated: stated.get(size)?.seq })
      before = size
    }
  }
  return await checkStamps(stamps, trust, findings)
}

/** The size and the member name of each time stamp, sorted by size. */
function namedStamps(bundle: BundleReader): [number, string][] {
  const named = [...bundle.names()].flatMap((name): [number, string][] => {
    const [, digits] = /^anchors\/(\d{6,15})\.tsr$/.exec(name) ?? []
    return digits === undefined ? [] : [[Number(digits), name]]
  })
  return named.toSorted(([a], [b]) => a - b)
}
