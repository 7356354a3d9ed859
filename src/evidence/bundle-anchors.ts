import { wrongStamp } from '../core/time/timestamp.ts'
import { memberKind } from './bundle-format.ts'
import type { BundleReader } from './bundle-reader.ts'
import { sha256Hex } from './digest.ts'
import type { Findings } from './finding.ts'
import { padded } from './head.ts'
import { readLockedAnchor, wrongLock } from './locked-anchor.ts'

/** Checks that an anchor from a third party confirms exactly the head whose number it has. */
export async function checkAnchor(
  bundle: BundleReader,
  findings: Findings,
  name: string,
): Promise<void> {
  const number = Number(/\d+/.exec(name)?.[0])
  const head = await bundle.readPart(`heads/${padded(number)}.json`)
  const said = (await bundle.readPart(name)) ?? Buffer.alloc(0)
  const hash = head === undefined ? 'a head of that number' : sha256Hex(head)
  const wrong = name.endsWith('.tsr')
    ? wrongStamp(said, hash)
    : wrongLock(readLockedAnchor(said.toString()), { number, hash })
  if (wrong !== undefined) findings.add('anchor_wrong', name, wrong)
}

/** What cannot be checked about the anchors without asking third parties. */
export function unaskedAnchors(bundle: BundleReader): string[] {
  const anchors = [...bundle.names()].filter((name) => memberKind(name) === 'anchor')
  const [stamps, locks] = ['.tsr', '.txt'].map(
    (end) => anchors.filter((name) => name.endsWith(end)).length,
  )
  return [
    ...(stamps
      ? [`Who signed the ${stamps} time stamps: openssl ts -verify tells, see README.txt.`]
      : []),
    ...(locks
      ? [`Whether a bucket locks the ${locks} heads that it is said to: ask it, see README.txt.`]
      : []),
  ]
}
