import type { Cell, ChartBlock, Section, TableColumn } from '../../src/core/define/report.ts'
import { chart, section } from '../shared/blocks.ts'
import { daysOf } from '../shared/calendar.ts'
import { type Row, tableOf } from '../shared/query.ts'
import { pointsInterval } from '../shared/words.ts'
import { type QualityFacts, qualityOf } from './facts.ts'
import { badOf, badSeries } from './kind-shares.ts'
import { KINDS, QUALITIES, type QualityKind, type SessionSource } from './source.ts'
import { type QualityTest, verdictOf } from './tests.ts'

const share = (quality: string) => ({
  name: `${quality}_share`,
  title: `${quality[0]?.toUpperCase()}${quality.slice(1)} share`,
})

export const qualityTableColumns: readonly TableColumn[] = [
  { name: 'sessions', title: 'Sessions', format: 'integer' },
  { name: 'rated', title: 'Rated', format: 'integer' },
  ...QUALITIES.map(
    (quality): TableColumn => ({
      name: quality,
      title: share(quality).title.replace(' share', ''),
      format: 'integer',
    }),
  ),
  ...QUALITIES.map(
    (quality): TableColumn => ({
      ...share(quality),
      format: 'percent',
      ...(quality === 'bad' ? { tint: 'bad-share' } : {}),
    }),
  ),
  { name: 'bad_interval', title: 'Bad share, 95 %', format: 'text' },
]

/** Shows each kind's month, the compared period, and earlier months, the latest first. */
export function monthSection(
  source: SessionSource,
  facts: QualityFacts,
  tests: readonly QualityTest[],
): Section {
  const columns: TableColumn[] = [
    { name: 'kind', title: 'Quality of', format: 'text' },
    { name: 'month', title: 'Month', format: 'text' },
    ...qualityTableColumns,
    { name: 'change', title: 'Bad share, change', format: 'percent', tint: 'change' },
    { name: 'change_interval', title: 'Change, 95 %', format: 'text' },
    { name: 'verdict', title: 'Verdict', format: 'text', tint: 'state' },
    { name: 'coverage', title: 'Coverage', format: 'text', tint: 'state' },
  ]
  const rows = KINDS.flatMap((kind) => rowsOf(source, { facts, tests, kind }))
  const title = 'Quality by month'
  const table = tableOf({ title, columns }, rows)
  return section(title, aboutMonths(source, facts), ...monthsChart(facts), table)
}

interface Shown {
  facts: QualityFacts
  tests: readonly QualityTest[]
  kind: QualityKind
}

function rowsOf(source: SessionSource, { facts, tests, kind }: Shown): Row[] {
  const { month, before, compared } = source
  const now = qualityOf(facts.month, kind.kind)
  const then = qualityOf(facts.before, kind.kind)
  const test = tests.find((one) => one.kind === kind && one.question.of === 'month')
  const compare = compared
    ? {
        change: difference(now.bad_share, then.bad_share),
        change_interval: test === undefined ? null : pointsInterval(test.interval),
        verdict: test === undefined ? null : verdictOf(test),
      }
    : {}
  const row = (label: string, quality: Row): Row => ({ kind: kind.title, month: label, ...quality })
  const sameDays = { ...row(before.label, then), coverage: 'complete' }
  const coverage = (name: string) => ({ coverage: coverageOf(source, name) })
  const others = [...facts.months].filter(([name]) => name !== month.label).toReversed()
  return [
    { ...row(month.label, now), ...compare, ...coverage(month.label) },
    ...(compared && !facts.months.has(before.label) ? [sameDays] : []),
    ...others.map(([name, counts]) => ({
      ...row(name, qualityOf(counts, kind.kind)),
      ...coverage(name),
    })),
  ]
}

/** Returns how completely a month was read. */
export function coverageOf({ lacking }: SessionSource, month: string): string {
  const lacks = daysOf(month).map((day) => lacking.get(day))
  if (lacks.every((lack) => lack === undefined)) return 'complete'
  return lacks.every((lack) => lack === 'not read') ? 'not read' : 'incomplete'
}

function aboutMonths({ months, timeZone }: SessionSource, facts: QualityFacts): string {
  const unread = months.filter((month) => !facts.months.has(month))
  const lacks = unread.length === 0 ? '' : ` Nothing has been read for ${unread.join(', ')}.`
  return (
    'Shares are of the sessions that the service rated. A session counts on the day on which it ' +
    `began, in ${timeZone}. The change is in percentage points.${lacks}`
  )
}

/** Charts the bad share of each kind by month, if there are at least three months. */
function monthsChart({ months }: QualityFacts): ChartBlock[] {
  if (months.size < 3) return []
  return [
    chart('Share rated bad, by month', {
      type: 'line',
      valueFormat: 'percent',
      categories: [...months.keys()],
      series: badSeries([...months.values()], badOf),
    }),
  ]
}

/** Returns the difference of two shares, or null if one is missing. */
export function difference(now: Cell | undefined, before: Cell | undefined): number | null {
  return typeof now === 'number' && typeof before === 'number' ? now - before : null
}
