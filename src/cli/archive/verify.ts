import { type VerifiedBundle, verifyBundle } from '../../evidence/verify-bundle.ts'
import { printJudgement, type VerifyOptions } from '../doctor/print-verified.ts'
import type { Context } from '../frame/context.ts'
import type { Output } from '../frame/output.ts'

export async function verify(context: Context, options: VerifyOptions): Promise<number> {
  if (options.bundle !== undefined) return await verifyOne(context, options.bundle, options)
  const { verifyAccounts } = await import('./verify-accounts.ts')
  return await verifyAccounts(context, options)
}

async function verifyOne(
  { output }: Context,
  path: string,
  { key, head, account }: VerifyOptions,
): Promise<number> {
  const verified = await verifyBundle(path, { key, head, account })
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
