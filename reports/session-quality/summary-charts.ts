import type { ChartBlock } from '../../src/core/define/report.ts'
import { chart } from '../shared/blocks.ts'
import { daysOf } from '../shared/calendar.ts'
import { notReadDays } from '../shared/read-days.ts'
import { type QualityFacts, qualityOf } from './facts.ts'
import { badSeries } from './kind-shares.ts'
import { KINDS, QUALITIES, type QualityKind, type SessionSource } from './source.ts'

/** Charts audio by day as counts, and the bad share of all three kinds as lines. */
export function dayCharts({ month, lacking }: SessionSource, facts: QualityFacts): ChartBlock[] {
  const days = daysOf(month.label)
  const categories = days.map((day) => String(Number(day.slice(8))))
  const audio = days.map((day) => qualityOf(facts.days.get(day), 'audio'))
  const unread = notReadDays(new Map([...lacking].filter(([day]) => day.startsWith(month.label))))
  const notRead = unread === '' ? '' : `, not read: ${unread}`
  return [
    chart(`Audio quality by day, ${month.label} (sessions)${notRead}`, {
      type: 'stacked-bar',
      valueFormat: 'integer',
      categories,
      series: QUALITIES.map((quality) => ({
        name: quality,
        tone: quality,
        values: audio.map((day) => numberOf(day[quality])),
      })),
    }),
    chart(
      'Share rated bad, by day (without quiet days)',
      {
        type: 'line',
        valueFormat: 'percent',
        categories,
        series: badSeries((kind) => badShares(days, facts, kind)),
      },
      'half',
    ),
  ]
}

/** Charts each kind's shares beside those of the previous month. */
export function monthChart(
  { month, before, compared }: SessionSource,
  facts: QualityFacts,
): ChartBlock[] {
  const bars = KINDS.flatMap(({ kind, title }) => [
    ...(compared
      ? [{ label: `${title} ${before.label}`, quality: qualityOf(facts.before, kind) }]
      : []),
    { label: `${title} ${month.label}`, quality: qualityOf(facts.month, kind) },
  ])
  return [
    chart(
      compared ? 'Quality against the month before' : 'Quality of the month',
      {
        type: 'stacked-bar-100',
        valueFormat: 'percent',
        categories: bars.map(({ label }) => label),
        series: QUALITIES.map((quality) => ({
          name: quality,
          tone: quality,
          values: bars.map((bar) => numberOf(bar.quality[`${quality}_share`])),
        })),
      },
      'half',
    ),
  ]
}

/** Returns null for quiet days: with few ratings one bad session would be a peak. */
function badShares(
  days: readonly string[],
  facts: QualityFacts,
  kind: QualityKind['kind'],
): (number | null)[] {
  const qualities = days.map((day) => qualityOf(facts.days.get(day), kind))
  const most = Math.max(...qualities.map(({ rated = 0 }) => Number(rated)))
  return qualities.map(({ rated = 0, bad_share }) =>
    Number(rated) >= most * QUIET ? numberOf(bad_share) : null,
  )
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

const QUIET = 0.2
