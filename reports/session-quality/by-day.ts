import type { Section, TableColumn } from '../../src/core/declare/report.ts'
import { daysOf, weekdayOf } from '../shared/calendar.ts'
import { cellsOf } from '../shared/query.ts'
import { difference, qualityTableColumns } from './by-month.ts'
import { type Facts, qualityOf } from './facts.ts'
import { KINDS, type Kind, type SessionSource } from './source.ts'

/**
 * One sheet for each kind: every day of the month, the ones without sessions too. One that was not read
 * has no counts.
 */
export function daySections(source: SessionSource, facts: Facts): Section[] {
  return KINDS.map((kind) => daySection(source, facts, kind))
}

function daySection(source: SessionSource, facts: Facts, { kind, title: name }: Kind): Section {
  const title = `${name} by day`
  const columns: TableColumn[] = [
    { name: 'day', title: 'Day', format: 'date' },
    { name: 'weekday', title: 'Weekday', format: 'text' },
    ...qualityTableColumns,
    {
      name: 'change',
      title: `Bad share against ${source.before.label}`,
      format: 'percent',
      tint: 'delta',
    },
    { name: 'coverage', title: 'Coverage', format: 'text', tint: 'state' },
  ]
  const before = qualityOf(facts.before, kind).bad_share
  const rows = daysOf(source.month.label).map((day) => {
    const quality = qualityOf(facts.days.get(day), kind)
    const change = source.compared ? difference(quality.bad_share, before) : null
    const coverage = source.lacking.get(day) ?? 'complete'
    return cellsOf(columns, { ...quality, day, weekday: weekdayOf(day), change, coverage })
  })
  return { title, blocks: [{ kind: 'table', title, columns, rows }] }
}
