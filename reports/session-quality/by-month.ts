import type { Cell, Section, TableColumn } from '../../src/core/declare/report.ts'
import { cellsOf } from '../shared/query.ts'
import { type Facts, qualityOf } from './facts.ts'
import { KINDS, QUALITIES, type SessionSource } from './source.ts'

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

/** Each kind's month, and the month before under it. */
export function monthSection(source: SessionSource, facts: Facts): Section {
  const columns: TableColumn[] = [
    { name: 'kind', title: 'Quality of', format: 'text' },
    { name: 'month', title: 'Month', format: 'text' },
    ...qualityTableColumns,
    { name: 'change', title: 'Bad share, change', format: 'percent', tint: 'delta' },
  ]
  const rows = []
  for (const { kind, title } of KINDS) {
    const now = qualityOf(facts.month, kind)
    const before = qualityOf(facts.before, kind)
    const change = source.compared ? difference(now.bad_share, before.bad_share) : null
    rows.push(cellsOf(columns, { kind: title, month: source.month.label, ...now, change }))
    if (source.compared)
      rows.push(cellsOf(columns, { kind: title, month: source.before.label, ...before }))
  }
  const text =
    'Shares are of the sessions that the service rated. A session counts on the day on which it ' +
    `began, in ${source.timeZone}. The change is in percentage points.`
  return {
    title: 'Quality by month',
    blocks: [
      { kind: 'note', tone: 'plain', text },
      { kind: 'table', title: 'Quality by month', columns, rows },
    ],
  }
}

/** Of two shares; null where one of them is missing. */
export function difference(now: Cell | undefined, before: Cell | undefined): number | null {
  return typeof now === 'number' && typeof before === 'number' ? now - before : null
}
