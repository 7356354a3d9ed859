import type { ChartBlock, Section, TableColumn } from '../../src/core/define/report.ts'
import { chart, section } from '../shared/blocks.ts'
import { daysOf, weekdayOf } from '../shared/calendar.ts'
import { tableOf } from '../shared/query.ts'
import { intervalText } from '../shared/words.ts'
import { difference, qualityTableColumns } from './by-month.ts'
import { type ExpectedDay, expectedDays } from './expected-days.ts'
import { type QualityFacts, qualityOf, shareOf } from './facts.ts'
import { badOf } from './kind-shares.ts'
import { KINDS, type QualityKind, type SessionSource } from './source.ts'

/**
 * Makes one sheet for each kind: every day of the month, including days without sessions, with its expected
 * range. A day that was not read has no counts.
 */
export function daySections(source: SessionSource, facts: QualityFacts): Section[] {
  return KINDS.map((kind) => daySection(source, facts, kind))
}

function daySection(source: SessionSource, facts: QualityFacts, kind: QualityKind): Section {
  const title = `${kind.title} by day`
  const columns = columnsOf(source)
  const expected = expectedDays(facts, kind.kind)
  const before = qualityOf(facts.before, kind.kind).bad_share
  const rows = daysOf(source.month.label).map((day) => {
    const quality = qualityOf(facts.days.get(day), kind.kind)
    const { range, verdict = null } = expected.get(day) ?? {}
    const change = source.compared ? difference(quality.bad_share, before) : null
    return {
      ...quality,
      day,
      weekday: weekdayOf(day),
      expected: range === undefined ? null : intervalText(range),
      verdict,
      change,
      coverage: source.lacking.get(day) ?? 'complete',
    }
  })
  const charts = chartOf(source, { facts, kind, expected })
  return section(title, ABOUT, ...charts, tableOf({ title, columns }, rows))
}

function columnsOf({ before }: SessionSource): TableColumn[] {
  return [
    { name: 'day', title: 'Day', format: 'date' },
    { name: 'weekday', title: 'Weekday', format: 'text' },
    // A day is marked as worse only if it exceeds its limits, so the share itself has no color.
    ...qualityTableColumns.map(({ tint: _tint, ...column }) => column),
    { name: 'expected', title: 'Expected', format: 'text' },
    { name: 'verdict', title: 'Against expected', format: 'text', tint: 'state' },
    {
      name: 'change',
      title: `Bad share against ${before.label}`,
      format: 'percent',
      tint: 'change',
    },
    { name: 'coverage', title: 'Coverage', format: 'text', tint: 'state' },
  ]
}

interface Shown {
  facts: QualityFacts
  kind: QualityKind
  expected: ReadonlyMap<string, ExpectedDay>
}

/** Charts the bad share and the limits of each day that is not quiet. Marks days outside their limits. */
function chartOf({ month }: SessionSource, { facts, kind, expected }: Shown): ChartBlock[] {
  const days = daysOf(month.label)
  const rated = days.map((day) => badOf(facts.days.get(day) ?? {}, kind.kind))
  const busiest = Math.max(...rated.map(({ of }) => of))
  // With few sessions, the limits are so wide that the axis would flatten all other days.
  const busy = rated.map(({ of }) => of > 0 && of >= busiest * QUIET)
  const ranges = days.map((day, at) => (busy[at] === true ? expected.get(day)?.range : undefined))
  if (ranges.every((range) => range === undefined)) return []
  const shares = rated.map(({ of, hits }, at) => (busy[at] === true ? shareOf(hits, of) : null))
  const title = `Bad ${kind.title.toLowerCase()} by day and what was expected, without quiet days`
  return [
    chart(`${title} (▲ above, ▼ below)`, {
      type: 'line',
      valueFormat: 'percent',
      categories: days.map((day) => {
        const mark = MARKS[expected.get(day)?.verdict ?? 'not rated'] ?? ''
        return `${Number(day.slice(8))}${mark}`
      }),
      series: [
        { name: 'Expected at most', tone: 'neutral', values: ranges.map((r) => r?.high ?? null) },
        { name: 'Expected at least', tone: 'neutral', values: ranges.map((r) => r?.low ?? null) },
        { name: 'Rated bad', tone: 'bad', values: shares },
      ],
    }),
  ]
}

/** A day is quiet if it has less than this part of the busiest day's ratings. */
const QUIET = 0.2
const MARKS: Partial<Record<ExpectedDay['verdict'], string>> = { above: ' ▲', below: ' ▼' }
const ABOUT =
  'The expected range comes from the same weekdays of the months before and from the number of rated ' +
  'sessions. If nothing changed, three days of a thousand are outside it by chance. A day outside is worth ' +
  'a look, but it is no finding: the sheet “Findings” lists those.'
