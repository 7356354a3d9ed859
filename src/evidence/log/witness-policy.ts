import {
  type Cosignature,
  cosignaturesIn,
  distinctWitnesses,
  readWitnessKey,
  type WitnessKey,
} from './cosignature.ts'

/** The witnesses, and how many of them must cosign a checkpoint before a reader trusts it. */
export interface WitnessPolicy {
  witnesses: readonly WitnessKey[]
  needed: number
}

export interface JudgedWitnesses {
  cosigned: readonly Cosignature[]
  missing: readonly WitnessKey[]
  /** True if enough witnesses cosigned. */
  enough: boolean
}

export function judgeWitnesses(checkpoint: string, policy: WitnessPolicy): JudgedWitnesses {
  const witnesses = distinctWitnesses(policy.witnesses)
  const cosigned = cosignaturesIn(checkpoint, witnesses)
  const missing = witnesses.filter((one) => !cosigned.some(({ witness }) => witness === one))
  return { cosigned, missing, enough: cosigned.length >= policy.needed }
}

/** As text: `1 of 2 witnesses, 2 needed; w.example/1 (2026-06-02T10:00:00.000Z); not w.example/2`. */
export function witnessText({ cosigned, missing }: JudgedWitnesses, needed: number): string {
  const who = cosigned.map(({ witness, atSeconds }) => {
    return `${witness.name} (${new Date(atSeconds * 1_000).toISOString()})`
  })
  return [
    `${cosigned.length} of ${cosigned.length + missing.length} witnesses, ${needed} needed`,
    ...(who.length > 0 ? [who.join(', ')] : []),
    ...(missing.length > 0 ? [`not ${missing.map(({ name }) => name).join(', ')}`] : []),
  ].join('; ')
}

/**
 * A policy file for log verifiers (c2sp.org/tlog-policy): the log, its witnesses, and how many are needed.
 */
export function policyText(log: string, { witnesses, needed }: WitnessPolicy): string {
  const lines = witnesses.map(({ text }, at) => `witness w${at + 1} ${text}\n`)
  const group = `group needed ${needed} ${witnesses.map((_one, at) => `w${at + 1}`).join(' ')}\n`
  return `log ${log}\n${lines.join('')}${group}quorum needed\n`
}

/** Parses the output of `policyText`; undefined for anything else. */
export function readPolicy(text: string): (WitnessPolicy & { log: string }) | undefined {
  const log = /^log (\S+)$/m.exec(text)?.[1] ?? ''
  const keys = [...text.matchAll(/^witness w\d+ (\S+)$/gm)].map(([, key = '']) => key)
  const witnesses = keys.flatMap((key) => readWitnessKey(key) ?? [])
  const needed = Number(/^group needed (\d{1,3}) /m.exec(text)?.[1])
  const policy = { witnesses, needed }
  return policyText(log, policy) === text && needed > 0 ? { log, ...policy } : undefined
}
