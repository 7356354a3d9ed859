import { writeFileSync } from 'node:fs'
import { namedWitnesses } from '../account/named-witnesses.ts'
import { readRoots } from '../account/timestamp-roots.ts'
import { verifyPage } from '../audit/page/verify-page.ts'
import { factsOf, numberOf, verdictOf } from '../audit/proof/told.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { EvidenceFinding } from '../evidence/log/finding.ts'
import type { CommonOptions } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { type Output, printFacts } from './frame/output.ts'

export interface VerifyCommandOptions extends CommonOptions {
  account?: string
  bundle?: string
  /** Where to write the page that checks bundles. */
  page?: string
  /** The folder or bucket of a lake to verify too. */
  lake?: string
  key?: string
  checkpoint?: string
  /** Files with root certificates; the chain of each time stamp must end at one of them. */
  timestampRoots?: string[]
  /** Verifier keys of witnesses; `witnesses` of them must have cosigned (default: all). */
  witness?: readonly string[]
  witnesses?: number
}

/** Prints the findings, and a list of everything that could not be checked. */
export function printJudgement(
  output: Output,
  judged: {
    findings: readonly EvidenceFinding[]
    findingCount: number
    notJudged: readonly string[]
  },
  remedy?: string,
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
  if (remedy !== undefined && findings.some(({ code }) => DAMAGED.has(code)))
    output.line(`  what to do: ${remedy}`)
  if (notJudged.length > 0) output.line('Not checked:')
  for (const text of notJudged) output.line(`  ${text}`)
}

/** The codes of findings about a stored file, which `archive` may download again. */
const DAMAGED: ReadonlySet<string> = new Set(['file_changed', 'file_missing'])

/** Writes the page that verifies bundles; never overwrites a file. */
export async function writePage({ output }: Context, path: string): Promise<number> {
  const page = await verifyPage()
  try {
    writeFileSync(path, page, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new ConfigurationError('page_exists', {
      tried: `Writing the page that verifies bundles to ${path}`,
      came: 'the file already exists',
      todo: 'choose another file for --page',
    })
  }
  output.line(path)
  output.result({ page: path })
  return 0
}

export async function verifyOne(
  { output, clock }: Context,
  path: string,
  { key, checkpoint, account, timestampRoots = [], ...named }: VerifyCommandOptions,
): Promise<number> {
  const { verifyBundle } = await import('../audit/bundle/verify-bundle.ts')
  const stampTrust = { roots: readRoots(timestampRoots), nowMs: clock.now() }
  const verified = await verifyBundle(path, {
    key,
    checkpoint,
    account,
    stampTrust,
    witnesses: namedWitnesses(named),
  })
  const intact = verified.findingCount === 0
  output.line(verdictOf(verified, key !== undefined).text)
  printFacts(output, factsOf(verified))
  printJudgement(output, verified)
  output.result({ bundle: path, intact, keyNamed: key !== undefined, ...verified })
  if (!intact) return 1
  return key === undefined ? NOT_KNOWN : 0
}

/** The exit code if the bundle is intact but its signer is unknown. */
const NOT_KNOWN = 4
