import { hasWrongCosignature } from '../../evidence/log/cosignature.ts'
import type { Findings } from '../../evidence/log/finding.ts'
import {
  judgeWitnesses,
  readPolicy,
  type WitnessPolicy,
  witnessText,
} from '../../evidence/log/witness-policy.ts'
import type { BundleReader } from './bundle-reader.ts'
import { judged, type Platform } from './platform.ts'

/** The witnesses of a bundle's checkpoint, and how many are required. */
export interface BundleWitnesses {
  needed: number
  cosigned: readonly { name: string; at: string }[]
  missing: readonly string[]
  /** True if the person who verifies named them: whoever makes a bundle can invent witnesses. */
  named: boolean
}

interface JudgingWitnesses {
  findings: Findings
  /** The checkpoint with its signatures; undefined if the bundle has none. */
  checkpoint: string | undefined
  /** The policy that the person named. */
  named: WitnessPolicy | undefined
  platform: Pick<Platform, 'signed'>
}

/** Checks the policy that the person named. Without one, reports the bundle's own policy as open. */
export async function judgeBundleWitnesses(
  bundle: BundleReader,
  { findings, checkpoint = '', named, platform }: JudgingWitnesses,
): Promise<{ witnesses?: BundleWitnesses; notJudged: string[] }> {
  const text = bundle.has(NAME) ? (await bundle.readPart(NAME))?.toString() : undefined
  const told = text === undefined ? undefined : readPolicy(text)
  if (text !== undefined && told === undefined)
    findings.add('witnesses_unreadable', NAME, { found: 'not in the form that Callsheet writes' })
  const policy = named ?? told
  if (policy === undefined) return { notJudged: [] }
  const known = [...(told?.witnesses ?? []), ...(named?.witnesses ?? [])]
  const seen = await judged(platform, findings, (own) => {
    for (const one of new Map(known.map((witness) => [witness.text, witness])).values())
      if (hasWrongCosignature(checkpoint, one))
        own.add('cosignature_wrong', `the cosignature of ${one.name}`, {
          expected: `a valid cosignature by the key ${one.text}`,
        })
    return judgeWitnesses(checkpoint, policy)
  })
  const { needed } = policy
  if (named !== undefined && !seen.enough)
    findings.add('cosignatures_few', 'checkpoint', {
      expected: `cosignatures of ${needed} of the witnesses that you named`,
      found: witnessText(seen, needed),
    })
  const witnesses = {
    needed,
    cosigned: seen.cosigned.map(({ witness, atSeconds }) => {
      return { name: witness.name, at: new Date(atSeconds * 1_000).toISOString() }
    }),
    missing: seen.missing.map(({ name }) => name),
    named: named !== undefined,
  }
  return { witnesses, notJudged: named === undefined ? [untold(witnessText(seen, needed))] : [] }
}

function untold(said: string): string {
  return (
    'Whether witnesses that you trust saw this log and no other: according to its own list, it is cosigned ' +
    `by ${said}. Enter their keys (--witness KEY ... --witnesses NUMBER).`
  )
}

const NAME = 'witnesses'
