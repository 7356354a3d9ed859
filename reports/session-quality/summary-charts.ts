import type { ChartBlock } from '../../src/core/define/report.ts'
import { chart } from '../shared/blocks.ts'
import { daysOf, mondayOf } from '../shared/calendar.ts'
import { type Counts, numberOf, type QualityFacts, summedBy } from './facts.ts'
import { badOf, badSeries } from './kind-shares.ts'
import type { SessionSource } from './source.ts'

/** Charts the bad share of all three kinds by week, over all months that were read. */
export function weekChart({ months }: SessionSource, { days, earlier }: QualityFacts): ChartBlock {
  const counted = summedBy([...earlier, ...days].map(([day, counts]) => [mondayOf(day), counts]))
  const [first = '', last = ''] = [[...counted.keys()][0], [...counted.keys()].at(-1)]
  const mondays = new Set(months.flatMap(daysOf).map(mondayOf))
  const weeks = [...mondays].filter((monday) => first <= monday && monday <= last)
  const most = Math.max(...[...counted.values()].map((counts) => numberOf(counts, 'sessions')))
  // A week with few sessions has no value, because one bad session would be a peak.
  const busy = (monday: string): Counts => {
    const counts = counted.get(monday) ?? {}
    return numberOf(counts, 'sessions') < most * QUIET ? {} : counts
  }
  const title = `Share rated bad, by week from Monday, ${months[0]} to ${months.at(-1)}`
  const file = 'Share rated bad by week'
  const weekly = chart(title, {
    type: 'line',
    valueFormat: 'percent',
    categories: weeks.map((monday) => monday.slice(5)),
    series: badSeries(weeks, (monday, kind) => badOf(busy(monday), kind)),
  })
  return { ...weekly, file }
}

const QUIET = 0.2
