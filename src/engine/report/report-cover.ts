import type { Block, Cell, Note, ReportPeriods, Section, Table } from '../../core/declare/report.ts'
import { toMinutes } from '../../core/time/time.ts'
import { zonedInstant } from '../../core/time/zone.ts'
import type { StreamCoverage } from './report-coverage.ts'

export interface CoverFacts {
  account: string
  timeZone: string
  asOfMs: number
  periods: ReportPeriods | undefined
  coverage: readonly StreamCoverage[]
  /** Whether the period before can be compared with; undefined where the report has none. */
  beforeCovered: boolean | undefined
  /** As of when that is, with which it is compared; undefined where there is nothing to compare with. */
  comparedMs: number | undefined
  /** Parameters as given, without the ones that the cover names anyway. */
  params: Readonly<Record<string, unknown>>
  /** The names of optional streams that were never read. */
  unread: readonly string[]
  /** What the report itself puts on the cover. */
  more: readonly Block[]
}

/**
 * The first sheet: what this is, as of when, from which runs, and whether it is all there. A report without
 * needs has no coverage, and says of itself what is complete.
 */
export function coverSection(facts: CoverFacts): Section {
  const missing = missingTable(facts)
  const notes = facts.more.filter(({ kind }) => kind === 'note')
  const judged = facts.coverage.length > 0
  const blocks: Block[] = judged ? [verdictOf(facts)] : []
  blocks.push(...staleNote(facts), ...leftNotes(facts), ...notes)
  blocks.push(...optionalNotes(facts), ...comparisonNote(facts), aboutBlock(facts))
  if (judged) blocks.push(sourceTable(facts))
  if (missing.rows.length > 0) blocks.push(missing)
  blocks.push(...facts.more.filter(({ kind }) => kind !== 'note'))
  return { title: 'Cover', blocks }
}

export function isWhole(coverage: readonly StreamCoverage[]): boolean {
  return coverage.every(({ whole, optional }) => whole || optional)
}

/** Whether the data, or the period, is complete, and what it lacks. */
export function verdictOf({
  coverage,
  periods,
  timeZone,
  asOfMs,
}: Pick<CoverFacts, 'coverage' | 'periods' | 'timeZone' | 'asOfMs'>): Note {
  const broken = coverage.filter(({ whole, optional }) => !whole && !optional)
  const what = periods === undefined ? 'The data' : `The period ${periods.period.label}`
  if (broken.length === 0) {
    const text = `${what} is complete: every slice was read to its end.`
    return { kind: 'note', tone: 'good', text }
  }
  const reachedMs = periods && readUpTo(broken, periods, asOfMs)
  if (reachedMs !== undefined) {
    const text = `${what} is to date: it still runs, and was read up to ${local(reachedMs, timeZone)}.`
    return { kind: 'note', tone: 'plain', text }
  }
  const reasons = broken.map(({ stream, missing, incomplete, setAside, run, refusal }) => {
    if (refusal !== undefined) return `${stream} is not allowed: ${refusal}`
    const first = missing[0]
    if (first !== undefined) {
      const from = local(first.fromMs, timeZone)
      return `${stream} lacks ${days(missing)} of the period, first from ${from}`
    }
    if (incomplete > 0)
      return `${stream} has ${incomplete} incomplete ${incomplete === 1 ? 'slice' : 'slices'}`
    if (setAside > 0)
      return `of ${stream} ${setAside} unusable ${setAside === 1 ? 'record was' : 'records were'} quarantined`
    return `no run of ${run.job} has read it to its end (the last ended ${run.state})`
  })
  const text = `${what} is NOT complete. The figures are too low or partial: ${reasons.join('; ')}.`
  return { kind: 'note', tone: 'bad', text }
}

/** Up to when all of a period that still runs was read, where nothing else lacks. */
function readUpTo(
  broken: readonly StreamCoverage[],
  { period: { toMs } }: ReportPeriods,
  asOfMs: number,
): number | undefined {
  if (toMs <= asOfMs) return undefined
  const ends = broken.map(({ missing: [rest, ...more], incomplete, setAside, refusal }) => {
    const whole = refusal === undefined && incomplete === 0 && setAside === 0 && more.length === 0
    return whole && rest !== undefined && rest.toMs >= toMs ? rest.fromMs : 0
  })
  const reachedMs = Math.min(...ends)
  return reachedMs >= asOfMs - SAME_NIGHT_MS ? reachedMs : undefined
}

/**
 * Each stream is as of the last run that read it to its end, and that may be long before the one that the
 * report is as of, or after it.
 */
function staleNote({ coverage, asOfMs, timeZone }: CoverFacts): Note[] {
  const apart = coverage.filter(
    ({ run, refusal }) =>
      refusal === undefined && Math.abs(asOfMs - run.finishedAtMs) > SAME_NIGHT_MS,
  )
  if (apart.length === 0) return []
  const told = apart.map(
    ({ stream, run }) => `${stream} is of ${local(run.finishedAtMs, timeZone)} (job ${run.job})`,
  )
  const text =
    `Not all of this is as of the same night: ${told.join('; ')}. ` +
    'Each is as of the last run that read it to its end.'
  return [{ kind: 'note', tone: 'warning', text }]
}

/** Runs that read what is shown, and were not complete all the same. */
function leftNotes({ coverage }: CoverFacts): Note[] {
  const runs = coverage.flatMap(({ run }) => (run.whole && run.state !== 'complete' ? [run] : []))
  return [...new Map(runs.map((run) => [run.id, run])).values()].map(({ id, job, state }) => ({
    kind: 'note',
    tone: 'warning',
    text:
      `Run ${id} of ${job} read all that is shown of it, but ended ${state.replaceAll('_', ' ')} for ` +
      `something else, such as files: "callsheet runs ${id}" says what.`,
  }))
}

function optionalNotes({ coverage, unread }: CoverFacts): Note[] {
  const partly = coverage.filter(({ whole, optional }) => optional && !whole)
  const shut = partly.filter(({ refusal }) => refusal !== undefined)
  const half = partly.filter(({ refusal }) => refusal === undefined)
  const named = (some: readonly StreamCoverage[], what: string): string[] =>
    some.length === 0 ? [] : [`${some.map(({ stream }) => stream).join(', ')}: ${what}`]
  const said = [
    ...(unread.length === 0 ? [] : [`${unread.join(', ')}: never read`]),
    ...named(half, 'not read whole'),
    ...named(shut, 'not allowed'),
  ]
  if (said.length === 0) return []
  const text = `Something else in the report is incomplete (${said.join('; ')}).`
  return [{ kind: 'note', tone: 'warning', text }]
}

function comparisonNote({ periods, beforeCovered }: CoverFacts): Note[] {
  if (periods === undefined || beforeCovered !== false) return []
  const text =
    `${periods.before.label}, the period before, is not complete, ` +
    'so nothing is compared with it.'
  return [{ kind: 'note', tone: 'warning', text }]
}

function aboutBlock(facts: CoverFacts): Block {
  const { account, periods, timeZone, asOfMs, comparedMs, params } = facts
  const figures: [string, Cell][] = [['Account', account]]
  if (periods !== undefined) {
    const { fromMs, toMs, label } = periods.period
    figures.push(['Period', label])
    figures.push(['From', local(fromMs, timeZone)], ['To, exclusive', local(toMs, timeZone)])
  }
  figures.push(['Time zone', timeZone], ['As of', local(asOfMs, timeZone)])
  const compared = comparedMs === undefined ? 'none' : local(comparedMs, timeZone)
  if (periods === undefined) figures.push(['Previous inventory as of', compared])
  else if (comparedMs !== undefined) figures.push(['Changes since', compared])
  for (const [name, value] of Object.entries(params))
    figures.push([`${name[0]?.toUpperCase()}${name.slice(1)}`, String(value)])
  return {
    kind: 'figures',
    title: 'About this report',
    figures: figures.map(([label, value]) => ({ label, value, format: 'text' })),
  }
}

function sourceTable({ coverage, timeZone }: CoverFacts): Table {
  return {
    kind: 'table',
    title: 'From which runs',
    columns: [
      { name: 'stream', title: 'Data', format: 'text' },
      { name: 'job', title: 'Job', format: 'text' },
      { name: 'run_id', title: 'Run', format: 'integer' },
      { name: 'state', title: 'Run ended', format: 'text' },
      { name: 'finished_at', title: 'As of', format: 'instant' },
      { name: 'oldest', title: 'Oldest slice read', format: 'instant' },
      { name: 'complete', title: 'Slices complete', format: 'integer' },
      { name: 'incomplete', title: 'Slices incomplete', format: 'integer' },
      { name: 'covered', title: 'Complete', format: 'boolean' },
    ],
    rows: coverage.map((entry) => [
      entry.stream,
      entry.run.job,
      entry.run.id,
      entry.run.state,
      zonedInstant(entry.run.finishedAtMs, timeZone),
      entry.oldestReadMs === undefined ? null : zonedInstant(entry.oldestReadMs, timeZone),
      entry.complete,
      entry.incomplete,
      entry.whole,
    ]),
  }
}

function missingTable({ coverage, timeZone }: CoverFacts): Table & { rows: readonly Cell[][] } {
  return {
    kind: 'table',
    title: 'What is missing',
    columns: [
      { name: 'stream', title: 'Data', format: 'text' },
      { name: 'from', title: 'From', format: 'instant' },
      { name: 'to', title: 'To, exclusive', format: 'instant' },
    ],
    rows: coverage.flatMap(({ stream, missing }) =>
      missing.map(({ fromMs, toMs }) => [
        stream,
        zonedInstant(fromMs, timeZone),
        zonedInstant(toMs, timeZone),
      ]),
    ),
  }
}

function days(windows: StreamCoverage['missing']): string {
  const total = windows.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs), 0) / DAY_MS
  const shown = total >= 1 ? total.toFixed(1).replace(/\.0$/, '') : 'part of a day'
  return total >= 1 ? `${shown} ${shown === '1' ? 'day' : 'days'}` : shown
}

function local(epochMs: number, timeZone: string): string {
  return toMinutes(zonedInstant(epochMs, timeZone))
}

const DAY_MS = 86_400_000
/** Jobs of one night are hours apart. */
const SAME_NIGHT_MS = 1.5 * DAY_MS
