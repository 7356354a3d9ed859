import { sha256Hex } from '../../evidence/log/digest.ts'
import type { Findings } from '../../evidence/log/finding.ts'
import { padded } from '../../evidence/log/head.ts'
import { readLockedAnchor, wrongLock } from '../../evidence/log/locked-anchor.ts'
import { memberKind } from './bundle-format.ts'
import type { BundleReader } from './bundle-reader.ts'

/** Checks that the lock of a head is of exactly the head whose number it has. */
export async function checkLock(
  bundle: BundleReader,
  findings: Findings,
  name: string,
): Promise<void> {
  const number = Number(/\d+/.exec(name)?.[0])
  const head = await bundle.readPart(`heads/${padded(number)}.json`)
  const said = (await bundle.readPart(name)) ?? Buffer.alloc(0)
  const hash = head === undefined ? 'a head of that number' : sha256Hex(head)
  const wrong = wrongLock(readLockedAnchor(said.toString()), { number, hash })
  if (wrong !== undefined) findings.add('anchor_wrong', name, wrong)
}

/** What cannot be checked about the locks without asking whoever has the bucket. */
export function unaskedLocks(bundle: BundleReader): string[] {
  const locks = [...bundle.names()].filter((name) => isLock(name)).length
  return locks === 0
    ? []
    : [`Whether a bucket locks the ${locks} heads that it is said to: ask it, see CHECK.txt.`]
}

export function isLock(name: string): boolean {
  return memberKind(name) === 'anchor' && name.endsWith('.txt')
}
