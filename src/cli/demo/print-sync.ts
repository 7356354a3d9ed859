import { QUOTA_PRESETS, RATE_LABELS } from '../../core/define/quota.ts'
import { count, counted, duration } from '../../core/values/quantities.ts'
import type { SyncedNight } from './options.ts'

/** Describes how complete the sync was, and compares the changes it found with the company's changes. */
export function foundLines({ results, changes }: SyncedNight): string[] {
  const tables = results.flatMap((result) => Object.values(result.tables))
  const sum = (name: 'inserted' | 'updated' | 'deleted' | 'present'): number =>
    tables.reduce((total, table) => total + (table[name] ?? 0), 0)
  const slices = results.flatMap((result) => Object.values(result.slices))
  const planned = slices.reduce((total, slice) => total + slice.planned, 0)
  const complete = slices.reduce((total, slice) => total + slice.complete, 0)
  const stored = results.reduce((total, { files }) => total + (files?.stored ?? 0), 0)
  const found = sum('inserted') + sum('updated') + sum('deleted')
  const files = counted(stored, 'file was', 'files were')
  return [
    `Coverage: ${count(complete)} of ${count(planned)} planned slices were read to their end.`,
    `${count(sum('present'))} rows are in the database. ${files} archived.`,
    ...(changes === undefined ? [] : [comparison(found, results, changes)]),
  ]
}

function comparison(
  found: number,
  results: SyncedNight['results'],
  changes: NonNullable<SyncedNight['changes']>,
): string {
  const read = new Set(results.flatMap((result) => Object.keys(result.tables)))
  const wanted = Object.entries(changes)
    .filter(([stream]) => read.has(stream))
    .reduce((total, [, one]) => total + one.inserted + one.updated + one.deleted, 0)
  if (wanted === 0 && found === 0) return 'Nothing changed, so no row was written.'
  const rows = `The company changed ${counted(wanted, 'row')} since the last night`
  return wanted === found
    ? `${rows}: exactly what the sync found.`
    : `${rows}; the sync found ${count(found)}.`
}

/** Estimates the sync under the service's plans: the sandbox's quotas are high to keep the demo short. */
export function callLines(labels: SyncedNight['labels']): string[] {
  const plans = (['starter', 'pro', 'business'] as const).map((plan) => {
    const seconds = RATE_LABELS.map((label) => {
      const quota = QUOTA_PRESETS[plan][label]
      const perSecond = quota.perSecond ?? (quota.perMinute ?? 60) / 60
      return labels[label].requests / perSecond
    })
    const beyond = RATE_LABELS.filter(
      (label) =>
        labels[label].requests > (QUOTA_PRESETS[plan][label].perDay ?? Number.POSITIVE_INFINITY),
    )
    const days =
      beyond.length === 0
        ? ''
        : ` of calls, on several days: the daily quota of ${beyond.join(', ')}`
    return `  ${plan.padEnd(8)}  ${duration(Math.max(...seconds) * 1000)}${days}`
  })
  return [
    'With the rate limits of a real plan, these calls would take about:',
    ...plans,
    'The demo leaves out details of numbers and recordings, which take one call each.',
  ]
}
