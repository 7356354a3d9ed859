import { imprintOf } from '../../core/timestamp.ts'
import type { CheckedHead } from '../../evidence/head-chain.ts'
import type { AnchorRow } from '../../warehouse/heads.ts'
import type { Verifying } from './verifying.ts'

/** Compares what others said of heads with the heads: a stamp of one that is no more shows a cut. */
export function checkAnchors(
  { findings, checked }: Verifying,
  heads: readonly CheckedHead[],
  anchors: readonly AnchorRow[],
): void {
  const byNumber = new Map(heads.map((head) => [head.number, head]))
  for (const { number, kind, place, token } of anchors) {
    const head = byNumber.get(number)
    const what = `the anchor of head ${number} (${place})`
    if (head === undefined) {
      findings.add('end_cut', what, { expected: `head ${number}`, found: 'no such head' })
      continue
    }
    checked.anchors++
    if (kind !== 'rfc3161') continue
    const found = imprintOf(token ?? Buffer.alloc(0))?.toString('hex')
    if (found !== head.hash)
      findings.add('anchor_wrong', what, {
        expected: head.hash,
        found: found ?? 'no granted time stamp',
      })
  }
}
