import type { Findings } from '../../evidence/log/finding.ts'
import type { CheckedHead } from '../../evidence/log/head-chain.ts'
import {
  type CheckedStamp,
  checkStamps,
  type StampTrust,
} from '../../evidence/stamp/check-stamps.ts'
import { stampName } from '../../evidence/stamp/kept-stamp.ts'
import type { BundleReader } from '../proof/bundle-reader.ts'

/** Checks the time stamps of a bundle and their renewals. Returns what cannot be told. */
export async function checkBundleStamps(
  bundle: BundleReader,
  {
    findings,
    heads,
    trust,
  }: { findings: Findings; heads: readonly CheckedHead[]; trust: StampTrust },
): Promise<string[]> {
  const byNumber = new Map(heads.map((head) => [head.number, head]))
  const stamps: CheckedStamp[] = []
  for (const name of bundle.names()) {
    const [, place, digits] = STAMP.exec(name) ?? []
    if (digits === undefined) continue
    const number = Number(digits)
    const kind = place === 'anchors' ? 'head' : 'renewal'
    const head = byNumber.get(number)
    const token = (await bundle.readPart(name)) ?? Buffer.alloc(0)
    const parts = stampName({ kind, number })
    const chain = (await bundle.readPart(`${parts}.pem`))?.toString() ?? null
    const data =
      kind === 'renewal' ? await bundle.readPart(`${parts}.sums`) : head && Buffer.from(head.line)
    if (data === undefined)
      findings.add('anchor_wrong', name, { found: 'nothing here that it could be of' })
    else {
      const saidMs = kind === 'head' && head !== undefined ? Date.parse(head.at) : undefined
      stamps.push({ kind, number, token, chain, data, saidMs })
    }
  }
  return await checkStamps(stamps, trust, findings)
}

const STAMP = /^(anchors|renewals)\/(\d{6,15})\.tsr$/
