import type { Audited, Ran } from '../../core/records/when-it-ran.ts'
import type { BundleWitnesses } from './bundle-witnesses.ts'
import type { VerifiedBundle } from './check-bundle.ts'

/** The facts about a bundle, each with its label; undefined values are not shown. */
export function factsOf(verified: VerifiedBundle): [string, string | number | undefined][] {
  const { facts, checked, key, checkpoint, days, witnesses } = verified
  return [
    ['account', facts?.account ?? '(unreadable)'],
    ['case', facts?.case?.name],
    [
      'period',
      facts === undefined ? '(unreadable)' : `${facts.from} to ${facts.to} (not included)`,
    ],
    ['whiteboard', facts?.whiteboard ?? undefined],
    ['user', facts?.user ?? undefined],
    ['exported', facts?.exported_at],
    ['key', key ?? '(none)'],
    ['checkpoint', checkpoint ?? '(none)'],
    ['cosigned by', witnesses && cosignersText(witnesses)],
    ['entries', checked.entries],
    ['records', checked.records],
    ['files', checked.files],
    ['erased or left out', checked.erased],
    ['days proven read', days && daysText(days)],
    ['runs', days?.ran && ranText(days.ran)],
    ...(days?.audited ?? []).map((one): [string, string] => ['audited', auditedText(one)]),
  ]
}

/** Returns the verdict on a bundle. Without findings it depends on `keyNamed`: anybody can sign a bundle. */
export function verdictOf(
  { findingCount, key }: VerifiedBundle,
  keyNamed: boolean,
): { look: 'bad' | 'good' | 'warning'; text: string } {
  if (findingCount > 0)
    return { look: 'bad', text: `${numberOf(findingCount)}: do not rely on the items named below.` }
  if (keyNamed)
    return {
      look: 'good',
      text: 'Nothing was altered since the holder of this key signed the bundle.',
    }
  return {
    look: 'warning',
    text:
      'The signer of this bundle is not known. The bundle is consistent, but anybody could have made it. ' +
      `Compare the fingerprint of its key with the one that you received (--key FINGERPRINT): ${key}.`,
  }
}

export function numberOf(findings: number): string {
  return findings === 1 ? '1 finding' : `${findings} findings`
}

/** Counts the witnesses that the person named, or else those of the bundle's own policy. */
function cosignersText({ cosigned, missing, needed, named }: BundleWitnesses): string {
  const names = cosigned.map(({ name, at }) => `${name} (${at})`)
  const of = `${cosigned.length} of ${cosigned.length + missing.length} witnesses`
  const by = named ? 'that you named' : 'that the bundle names'
  return [`${of} ${by}, ${needed} needed`, ...names].join('; ')
}

function daysText({ proven, open }: NonNullable<VerifiedBundle['days']>): string {
  const all = proven.length + open.length
  if (open.length === 0) return `all ${all}`
  const first = open.slice(0, MOST_DAYS).map((day) => day.slice(0, 10))
  const more = open.length > first.length ? ` and ${open.length - first.length} more` : ''
  return `${proven.length} of ${all}; not proven: ${first.join(', ')}${more}`
}

/** Describes the runs in the bundle, and the gaps between them that are longer than scheduled. */
function ranText({ runs, first, last, gaps }: Ran): string {
  if (runs === 0) return 'none in this bundle'
  const times = runs === 1 ? `1, at ${first}` : `${runs}, from ${first} to ${last}`
  if (gaps.length === 0) return `${times}; no gap longer than scheduled`
  const told = gaps.slice(0, MOST_DAYS).map(({ from, to }) => `from ${from} to ${to}`)
  const more = gaps.length > told.length ? ` and ${gaps.length - told.length} more gaps` : ''
  return `${times}; no run ${told.join(', ')}${more}`
}

function auditedText({ since, settings: { files, jobs, retention } }: Audited): string {
  const kinds = files.map(({ kind }) => kind).join(', ')
  const read = jobs.map(({ job, enabled, longest_wait_ms: wait }) =>
    enabled ? `${job} at least every ${Math.round(wait / HOUR_MS)} h` : `${job} is off`,
  )
  const kept =
    retention.length === 0
      ? 'kept forever'
      : `kept ${retention.map(({ keep_days: days }) => days).join(', ')} days by rule, and while on hold`
  return [`since ${since}: ${read.join(', ')}`, `files: ${kinds || 'none'}`, kept].join('; ')
}

const MOST_DAYS = 5
const HOUR_MS = 3_600_000
