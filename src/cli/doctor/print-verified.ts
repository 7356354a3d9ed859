import type { EvidenceFinding } from '../../evidence/log/finding.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Output } from '../frame/output.ts'

export interface VerifyCommandOptions extends CommonOptions {
  account?: string
  bundle?: string
  /** Where the page is written that checks bundles. */
  page?: string
  key?: string
  head?: string
  /** Files with certificates that time stamps must lead to. */
  timestampRoots?: string[]
  /** Verifier keys of witnesses, and how many of them must have cosigned: all, if not told. */
  witness?: readonly string[]
  witnesses?: number
  /** A file that is said to prove two logs of one key. */
  equivocation?: string
}

/** What was found, and what could not be told. */
export function printJudgement(
  output: Output,
  judged: {
    findings: readonly EvidenceFinding[]
    findingCount: number
    notJudged: readonly string[]
  },
): void {
  const { findings, findingCount, notJudged } = judged
  for (const { code, what, expected, found } of findings) {
    output.line(`${code.replaceAll('_', ' ')}: ${what}`)
    if (expected !== undefined) output.line(`  expected: ${expected}`)
    if (found !== undefined) output.line(`  found:    ${found}`)
  }
  const more = findingCount - findings.length
  if (more > 0) output.line(`... and ${more} more`)
  if (findingCount > 0) output.line(`${numberOf(findingCount)}.`)
  if (notJudged.length > 0) output.line('Not judged:')
  for (const text of notJudged) output.line(`  ${text}`)
}

export function numberOf(findings: number): string {
  return findings === 1 ? '1 finding' : `${findings} findings`
}
