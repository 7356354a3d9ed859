import type { EvidenceFinding } from '../../evidence/finding.ts'
import { type VerifiedBundle, verifyBundle } from '../../evidence/verify-bundle.ts'
import type { CommonOptions } from '../command.ts'
import type { Context } from '../context.ts'
import type { Output } from '../output.ts'

export interface VerifyOptions extends CommonOptions {
  account?: string
  bundle?: string
  key?: string
  head?: string
}

export async function verify(context: Context, options: VerifyOptions): Promise<number> {
  if (options.bundle !== undefined) return await verifyOne(context, options.bundle, options)
  const { verifyAccounts } = await import('./verify-accounts.ts')
  return await verifyAccounts(context, options)
}

async function verifyOne(
  { output }: Context,
  path: string,
  { key, head }: VerifyOptions,
): Promise<number> {
  const verified = await verifyBundle(path, { key, head })
  printBundle(output, verified)
  printJudgement(output, verified)
  output.result({ bundle: path, intact: verified.findingCount === 0, ...verified })
  return verified.findingCount === 0 ? 0 : 1
}

function printBundle(output: Output, { facts, checked, key, head }: VerifiedBundle): void {
  output.table([
    ['account', facts?.account ?? '(unreadable)'],
    ['period', facts === undefined ? '(unreadable)' : `${facts.from} until before ${facts.to}`],
    ['key', key ?? '(none)'],
    ['newest head', head === undefined ? '(none)' : `${head.number}, ${head.hash}`],
    ['entries', checked.entries],
    ['records', checked.records],
    ['files', checked.files],
    ['erased, or not in it', checked.erased],
  ])
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
  output.line(findingCount === 0 ? 'Nothing was altered.' : `${findingCount} findings.`)
  if (notJudged.length > 0) output.line('Not judged:')
  for (const text of notJudged) output.line(`  ${text}`)
}
