import type { Section, TableColumn } from '../../src/core/define/report.ts'
import { section } from '../shared/blocks.ts'
import { WEEKDAYS } from '../shared/calendar.ts'
import { tableOf } from '../shared/query.ts'
import { numberOf, type QualityFacts } from './facts.ts'
import { badOf, kindColumns, kindShares, shareMap, TOO_FEW_TEXT } from './kind-shares.ts'
import { KINDS, nothingRead, type SessionSource } from './source.ts'

/**
 * Shows when in the week sessions are bad, over all months that were read: one map for each kind, then all
 * hours with their intervals.
 */
export function hourSection(source: SessionSource, facts: QualityFacts): Section {
  const used = HOURS.filter((hour) =>
    WEEKDAYS.some((weekday) => facts.hours.has(`${weekday} ${hour}`)),
  )
  // Includes all hours between the first and the last, so that hours without sessions are visible.
  const hours = HOURS.slice(used[0] ?? 0, (used.at(-1) ?? -1) + 1)
  const columns: TableColumn[] = [
    { name: 'weekday', title: 'Weekday', format: 'text' },
    { name: 'hour', title: 'From hour', format: 'text' },
    { name: 'sessions', title: 'Sessions', format: 'integer' },
    ...kindColumns,
  ]
  const rows = WEEKDAYS.flatMap((weekday) =>
    hours.flatMap((hour) => {
      const counts = facts.hours.get(`${weekday} ${hour}`)
      if (counts === undefined) return []
      const shares = kindShares((kind) => badOf(counts, kind))
      const sessions = numberOf(counts, 'sessions')
      return [{ weekday, hour: clock(hour), sessions, ...shares }]
    }),
  )
  const title = 'By hour and weekday'
  const empty = nothingRead(source.month)
  return section(
    title,
    aboutHours(source, facts),
    ...KINDS.map(({ kind, title: of }) =>
      shareMap(
        {
          title: `Share of bad ${of.toLowerCase()} by hour and weekday`,
          of: ['hour', 'From hour'],
          lines: hours.map((hour) => [clock(hour), hour]),
          columns: WEEKDAYS,
          empty,
        },
        (hour, weekday) => badOf(facts.hours.get(`${weekday} ${hour}`) ?? {}, kind),
      ),
    ),
    tableOf({ title: 'All hours', columns, empty }, rows),
  )
}

function aboutHours({ timeZone }: SessionSource, { months }: QualityFacts): string {
  const [first, last] = [[...months.keys()][0], [...months.keys()].at(-1)]
  const range = first === undefined || first === last ? (last ?? '') : `${first} to ${last}`
  return (
    `All sessions of ${range} that were read, by the hour in ${timeZone} in which they began. The worst ` +
    `two hours of a weekday are tested (sheet Findings). ${TOO_FEW_TEXT} The intervals are below.`
  )
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
