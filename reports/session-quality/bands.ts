import type { ChartBlock, Section, TableColumn } from '../../src/core/define/report.ts'
import { chart } from '../shared/blocks.ts'
import { type Row, tableOf } from '../shared/query.ts'
import type { Crosses } from './crosses.ts'
import {
  type Band,
  type Counts,
  DURATIONS,
  numberOf,
  type QualityFacts,
  SIZES,
  shareOf,
} from './facts.ts'
import { badOf, kindColumns, kindShares } from './kind-shares.ts'
import { nothingRead, type SessionSource } from './source.ts'

/** Shows how long and how large sessions are, and whether the bad sessions are long or large ones. */
export function bandsSection(
  { month }: SessionSource,
  facts: QualityFacts,
  crosses: Crosses,
): Section {
  const known = facts.month !== undefined
  const durations = known ? bandRows(crosses.durations, DURATIONS) : []
  const sizes = known ? bandRows(crosses.sizes, SIZES) : []
  const charts = [
    chartOf('Sessions by duration', durations),
    chartOf('Sessions by number of participants', sizes),
  ]
  const empty = nothingRead(month)
  return {
    title: 'Duration and size',
    blocks: [
      ...(known ? charts : []),
      table({ title: 'By duration', first: 'Duration', empty }, durations),
      table({ title: 'By number of participants', first: 'Participants', empty }, sizes),
    ],
  }
}

/** Returns one row for each band, and one for sessions without a value, if there are any. */
function bandRows(counts: Crosses['sizes'], bands: readonly Band[]): Row[] {
  const found: [string, Counts][] = bands.map(({ title }, at) => [title, counts.get(at + 1) ?? {}])
  const unreported = counts.get(null)
  if (unreported !== undefined) found.push(['not given', unreported])
  const all = found.reduce((sum, [, band]) => sum + numberOf(band, 'sessions'), 0)
  return found.map(([title, band]) => {
    const sessions = numberOf(band, 'sessions')
    if (sessions === 0) return { title, sessions }
    return {
      title,
      sessions,
      share: shareOf(sessions, all),
      users: band.users ?? null,
      seconds: shareOf(numberOf(band, 'seconds'), numberOf(band, 'timed')),
      ...kindShares((kind) => badOf(band, kind)),
    }
  })
}

function chartOf(title: string, bands: readonly Row[]): ChartBlock {
  const series = [{ name: 'Sessions', tone: 'accent', values: bands.map(sessionsOf) }] as const
  const categories = bands.map((band) => String(band.title))
  return chart(title, { type: 'bar', valueFormat: 'integer', categories, series }, 'half')
}

function table(
  { title, first, empty }: { title: string; first: string; empty: string },
  bands: readonly Row[],
) {
  const columns: TableColumn[] = [
    { name: 'title', title: first, format: 'text' },
    { name: 'sessions', title: 'Sessions', format: 'integer' },
    { name: 'share', title: 'Share', format: 'percent' },
    { name: 'users', title: 'Participants', format: 'integer' },
    { name: 'seconds', title: 'Mean duration', format: 'seconds' },
    ...kindColumns,
  ]
  return tableOf({ title, columns, empty }, bands)
}

function sessionsOf({ sessions }: Row): number {
  return typeof sessions === 'number' ? sessions : 0
}
