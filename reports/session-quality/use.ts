import type { Section, TableColumn } from '../../src/core/define/report.ts'
import { chart } from '../shared/blocks.ts'
import { tableOf } from '../shared/query.ts'
import { wilson } from '../shared/statistics.ts'
import { intervalText } from '../shared/words.ts'
import { type Counts, FEATURES, numberOf, type QualityFacts, shareOf } from './facts.ts'
import type { SessionSource } from './source.ts'

/** Shows in how many sessions each feature was used, compared with the previous month. */
export function useSection(source: SessionSource, { month, before }: QualityFacts): Section {
  const title = 'Use of features'
  const used = (counts: Counts | undefined, column: string) =>
    counts && shareOf(numberOf(counts, column), numberOf(counts, 'sessions'))
  const rows = FEATURES.map(({ column, title: feature }) => {
    const share = used(month, column) ?? null
    const shareBefore = source.compared ? (used(before, column) ?? null) : null
    const change = share === null || shareBefore === null ? null : share - shareBefore
    const sessions = month === undefined ? null : numberOf(month, column)
    const sessionsBefore = source.compared ? numberOf(before, column) : null
    const [interval, intervalBefore] = [intervalOf(month, column), intervalOf(before, column)]
    return {
      feature,
      sessions,
      share,
      interval,
      sessionsBefore,
      shareBefore,
      intervalBefore,
      change,
    }
  })
  const columns = columnsOf(source)
  const series = [
    { name: source.before.label, tone: 'neutral', values: rows.map((row) => row.shareBefore) },
    { name: source.month.label, tone: 'accent', values: rows.map((row) => row.share) },
  ] as const
  return {
    title,
    blocks: [
      chart('Share of sessions that used it', {
        type: 'bar',
        valueFormat: 'percent',
        categories: FEATURES.map((feature) => feature.title),
        series: source.compared ? series : series.slice(1),
      }),
      tableOf({ title, columns }, rows),
    ],
  }
}

function intervalOf(counts: Counts | undefined, column: string): string | null {
  if (counts === undefined) return null
  const share = { of: numberOf(counts, 'sessions'), hits: numberOf(counts, column) }
  return share.of === 0 ? null : intervalText(wilson(share))
}

function columnsOf({ month, before, compared }: SessionSource): TableColumn[] {
  const columns: TableColumn[] = [
    { name: 'feature', title: 'Feature', format: 'text' },
    { name: 'sessions', title: `Sessions ${month.label}`, format: 'integer' },
    { name: 'share', title: `Share ${month.label}`, format: 'percent' },
    { name: 'interval', title: '95 %', format: 'text' },
  ]
  if (!compared) return columns
  return [
    ...columns,
    { name: 'sessionsBefore', title: `Sessions ${before.label}`, format: 'integer' },
    { name: 'shareBefore', title: `Share ${before.label}`, format: 'percent' },
    { name: 'intervalBefore', title: '95 % before', format: 'text' },
    { name: 'change', title: 'Change of share', format: 'percent', tint: 'change' },
  ]
}
