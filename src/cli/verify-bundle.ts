import { writeFileSync } from 'node:fs'
import { namedWitnesses } from '../account/named-witnesses.ts'
import { readRoots } from '../account/timestamp-roots.ts'
import type { BundleWitnesses } from '../audit/bundle/bundle-witnesses.ts'
import type { VerifiedBundle } from '../audit/bundle/verify-bundle.ts'
import { verifyPage } from '../audit/page/verify-page.ts'
import { ConfigurationError } from '../core/errors.ts'
import { readSmallFile, whyNotRead } from '../core/read-small-file.ts'
import type { Audited, Ran } from '../core/records/when-it-ran.ts'
import { judgeEquivocation } from '../evidence/log/equivocation.ts'
import type { EvidenceFinding } from '../evidence/log/finding.ts'
import type { CommonOptions } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { type Fact, type Output, printFacts } from './frame/output.ts'

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

function numberOf(findings: number): string {
  return findings === 1 ? '1 finding' : `${findings} findings`
}

/** Never over another file. */
export function writePage({ output }: Context, path: string): number {
  try {
    writeFileSync(path, verifyPage(), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new ConfigurationError('page_exists', {
      tried: `Writing the page that checks bundles to ${path}`,
      expected: 'a name that is free',
      came: 'a file of this name',
      todo: 'name another file',
    })
  }
  output.line(path)
  output.result({ page: path })
  return 0
}

export async function verifyOne(
  { output, clock }: Context,
  path: string,
  { key, head, account, timestampRoots = [], ...named }: VerifyCommandOptions,
): Promise<number> {
  const { verifyBundle } = await import('../audit/bundle/verify-bundle.ts')
  const stampTrust = { roots: readRoots(timestampRoots), nowMs: clock.now() }
  const verified = await verifyBundle(path, {
    key,
    head,
    account,
    stampTrust,
    witnesses: namedWitnesses(named),
  })
  const intact = verified.findingCount === 0
  output.line(firstLine(verified, key))
  printBundle(output, verified)
  printJudgement(output, verified)
  output.result({ bundle: path, intact, keyNamed: key !== undefined, ...verified })
  if (!intact) return 1
  return key === undefined ? NOT_KNOWN : 0
}

/** Of what is most to be said: anybody can sign a bundle of their own making with a key of their own. */
function firstLine({ findingCount }: VerifiedBundle, key: string | undefined): string {
  if (findingCount > 0) return `${numberOf(findingCount)}, named below.`
  if (key !== undefined) return 'Nothing was altered since the holder of the named key signed it.'
  return (
    'Not known: whose this bundle is. It agrees with itself, as one of anybody’s making would. Name the ' +
    'fingerprint that you were told, --key FINGERPRINT.'
  )
}

/** Of those that were named, or of those that the bundle itself tells of. */
function cosignersText({ cosigned, missing, needed, named }: BundleWitnesses): string {
  const names = cosigned.map(({ name, at }) => `${name} (${at})`)
  const of = `${cosigned.length} of ${cosigned.length + missing.length} witnesses`
  const by = named ? 'that were named' : 'that the bundle names'
  return [`${of} ${by}, ${needed} needed`, ...names].join('; ')
}

/** Of a file that is to prove, by itself, that the holder of a key signed two logs. */
export function verifyEquivocation(
  { output }: Context,
  path: string,
  { key: named }: Pick<VerifyCommandOptions, 'key'>,
): number {
  const judged = judgeEquivocation(textOf(path))
  const { key, origin, sizes, wrong } = judged
  const whose = wrong === undefined && named !== undefined && named !== key
  const proven = wrong === undefined && !whose
  const not = whose ? `the key is ${key}` : wrong
  output.line(
    proven
      ? `Proven: the holder of the key ${key} signed two logs of the name ${origin}, by checkpoints of ` +
          `${sizes.join(' and ')} entries.`
      : `Not proven: ${not}.`,
  )
  if (proven && named === undefined)
    output.line('Not judged: whose key that is; name the fingerprint, --key FINGERPRINT.')
  output.result({ equivocation: path, proven, keyNamed: named !== undefined, ...judged })
  if (!proven) return 1
  return named === undefined ? NOT_KNOWN : 0
}

function textOf(path: string): string {
  try {
    return readSmallFile(path, MOST_BYTES).toString('utf8')
  } catch (error) {
    throw new ConfigurationError('file_unreadable', {
      tried: `Reading ${path}`,
      expected: 'a file that proves two logs',
      came: whyNotRead(error),
    })
  }
}

/** No such file is larger. */
const MOST_BYTES = 2 ** 20

/** As of anything that is not whole. */
const NOT_KNOWN = 4

function printBundle(output: Output, verified: VerifiedBundle): void {
  const { facts, checked, key, head, days, witnesses } = verified
  printFacts(output, [
    ['account', facts?.account ?? '(unreadable)'],
    ['case', facts?.case?.name],
    ['period', facts === undefined ? '(unreadable)' : `${facts.from} until before ${facts.to}`],
    ['key', key ?? '(none)'],
    ['newest head', head === undefined ? '(none)' : `${head.number}, ${head.hash}`],
    ['cosigned by', witnesses && cosignersText(witnesses)],
    ['entries', checked.entries],
    ['records', checked.records],
    ['files', checked.files],
    ['erased, or not in it', checked.erased],
    ['days proven read', days && daysText(days)],
    ['when it ran', days?.ran && ranText(days.ran)],
    ...(days?.audited ?? []).map((one): Fact => ['what was audited', auditedText(one)]),
  ])
}

/** By the slices that signed entries state, and nothing else. */
function daysText({ proven, open }: NonNullable<VerifiedBundle['days']>): string {
  const all = proven.length + open.length
  if (open.length === 0) return `all ${all}`
  const first = open.slice(0, MOST_DAYS).map((day) => day.slice(0, 10))
  const more = open.length > first.length ? ` and ${open.length - first.length} more` : ''
  return `${proven.length} of ${all}; not ${first.join(', ')}${more}`
}

/** A run that the bundle leaves out shows as a gap. */
function ranText({ runs, first, last, gaps }: Ran): string {
  if (runs === 0) return 'no run is in it'
  const times = runs === 1 ? `once, at ${first}` : `${runs} times, from ${first} to ${last}`
  if (gaps.length === 0) return `${times}; no pause was longer than was due`
  const told = gaps.slice(0, MOST_DAYS).map(({ from, to }) => `from ${from} to ${to}`)
  const more = gaps.length > told.length ? ` and ${gaps.length - told.length} times more` : ''
  return `${times}; nothing ran ${told.join(', ')}${more}`
}

function auditedText({ since, settings: { files, jobs, retention } }: Audited): string {
  const kinds = files.map(({ kind }) => kind).join(', ')
  const read = jobs.map(({ job, enabled, longest_wait_ms: wait }) =>
    enabled ? `${job} every ${Math.round(wait / HOUR_MS)} h at most` : `${job} is off`,
  )
  const kept =
    retention.length === 0
      ? 'kept for ever'
      : `kept ${retention.map(({ keep_days: days }) => days).join(', ')} days by rule, and while held`
  return [`since ${since}: ${read.join(', ')}`, `files: ${kinds || 'none'}`, kept].join('; ')
}

const MOST_DAYS = 5
const HOUR_MS = 3_600_000
