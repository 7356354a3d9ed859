import { relative } from 'node:path'
import type { ExportedAudit } from '../../audit/bundle/exporting.ts'
import { QUOTA_PRESETS, RATE_LABELS } from '../../core/define/quota.ts'
import { count, duration } from '../../core/values/quantities.ts'
import { asOneWord, calledAs } from '../frame/called-as.ts'
import { keptLines } from '../frame/kept-lines.ts'
import { type Output } from '../frame/output.ts'
import { printRuns, runsAsJson } from '../frame/run-summary.ts'
import type { DemoOutcome } from './options.ts'

/** Prints the demo's summary: data read, calls spent, an estimate for real plans, and where to look. */
export function printDemo(output: Output, outcome: DemoOutcome): void {
  const { results, labels, published, state, changes, first } = outcome
  output.line()
  printRuns(output, 'demo', { results, labels })
  output.line(`\n${verdict(outcome)}`)
  output.line(realPlans(labels))
  output.line('Not included: details of numbers and recordings, which take one call each.')
  const complete = results.every((result) => result.state === 'complete')
  output.line(`\nReports${complete ? '' : ': none, because the sync was not complete'}`)
  for (const { title, report } of published) {
    const coverage = report.covered ? 'complete' : 'NOT complete'
    output.line(`  ${title}: ${coverage}`)
    for (const { path, bytes } of report.files)
      output.line(`    ${relative('.', path)}  ${count(bytes / 1024)} KB`)
  }
  if (outcome.bundle !== undefined) printBundle(output, outcome.bundle)
  const placed = [...published.flatMap(({ report }) => report.files), outcome.bundle ?? []].flat()
  for (const line of keptLines(placed)) output.line(`  ${line}`)
  const demo = calledAs('demo')
  output.line(`\nQuery the tables:     ${demo} --database`)
  output.line(`Change the company:   ${demo} --mutate`)
  if (!first) output.line(`Start over:           ${demo} --reset`)
  output.line(`Everything is in ${relative('.', state.directory)} and may be deleted.`)
  output.line(`Done in ${duration(outcome.elapsedMs)}.`)
  output.result({
    ...runsAsJson('demo', { results, labels }),
    changes,
    published,
    bundle: outcome.bundle,
    elapsedMs: outcome.elapsedMs,
  })
}

/** Prints the bundle of one week and the command that checks it. */
function printBundle(output: Output, { path, bytes, facts }: ExportedAudit): void {
  const file = relative('.', path)
  output.line('\nEvidence bundle of one week, for an auditor')
  output.line(`    ${file}  ${count(bytes / 1024)} KB`)
  const command = `${calledAs('callsheet')} verify --bundle ${asOneWord(file)}`
  output.line(`  Check it: ${command} --key ${facts.key}`)
}

function verdict({ results, changes, first }: DemoOutcome): string {
  const tables = results.flatMap((result) => Object.values(result.tables))
  const sum = (name: 'inserted' | 'updated' | 'deleted' | 'present'): number =>
    tables.reduce((total, table) => total + (table[name] ?? 0), 0)
  const slices = results.flatMap((result) => Object.values(result.slices))
  const planned = slices.reduce((total, slice) => total + slice.planned, 0)
  const complete = slices.reduce((total, slice) => total + slice.complete, 0)
  const coverage = `Coverage: ${count(complete)} of ${count(planned)} planned slices were read to their end.`
  const stored = results.reduce((total, { files }) => total + (files?.stored ?? 0), 0)
  const files = stored === 0 ? '' : ` ${count(stored)} files were archived.`
  if (first) return `${coverage}\n${count(sum('present'))} rows are in the database.${files}`
  const changed = sum('inserted') + sum('updated') + sum('deleted')
  if (changes === undefined && changed + stored === 0) return `${coverage}\n${NOTHING_CHANGED}`
  if (changes === undefined) return `${coverage}\n${count(changed)} rows changed.${files}`
  const read = new Set(results.flatMap((result) => Object.keys(result.tables)))
  const wanted = Object.entries(changes)
    .filter(([stream]) => read.has(stream))
    .reduce((total, [, one]) => total + one.inserted + one.updated + one.deleted, 0)
  const match =
    wanted === changed ? 'exactly what the sync found' : `the sync found ${count(changed)}`
  return `${coverage}\nThe company changed ${count(wanted)} rows: ${match}.${files}`
}

/** Estimates the sync under the service's plans, since high sandbox quotas keep the demo short. */
function realPlans(labels: DemoOutcome['labels']): string {
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
        : ` (over several days, because the daily quota of ${beyond.join(', ')} is smaller)`
    return `${plan} ${duration(Math.max(...seconds) * 1000)}${days}`
  })
  return `With a real plan, these calls would take about: ${plans.join('; ')}.`
}

const NOTHING_CHANGED = 'Nothing changed, so no row was written.'
