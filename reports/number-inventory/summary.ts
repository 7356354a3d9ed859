import type { Block, Figure, Note, Section } from '../../src/core/define/report.ts'
import { comparedFigures } from '../shared/blocks.ts'
import type { Row } from '../shared/query.ts'
import { type Breakdown, readTotals, stackedChart, TOTAL } from './breakdown.ts'
import type { InventoryChanges } from './changes.ts'
import type { NumberSource } from './source.ts'

/** Shows the numbers on one page: the totals, the idle ones, and the problems. */
export async function summarySection(
  source: NumberSource,
  {
    breakdown,
    changes,
    findings,
  }: {
    breakdown: Breakdown
    changes: InventoryChanges | undefined
    findings: { urgent: readonly Note[]; others: readonly Note[] }
  },
): Promise<Section> {
  const { previous } = source
  const now = totalsOf(breakdown)
  const before = previous === undefined ? undefined : totalsOf(await readTotals(source, previous))
  const { urgent, others } = findings
  const most = Math.max(0, MOST_FIRST - urgent.length)
  const blocks: Block[] = [
    ...urgent,
    ...others.slice(0, most),
    {
      kind: 'figures',
      title: 'Key figures',
      beforeLabel: 'last inventory',
      figures: [...comparedFigures(FIGURES, now, before), ...changeFigures(changes?.counts)],
    },
    ...others.slice(most),
    stackedChart('Numbers by site', breakdown.get('Site'), { width: 'full' }),
  ]
  return { title: 'Summary', blocks }
}

/** Returns the totals; zeros if there are no numbers, because the breakdown then has no row. */
export function totalsOf(breakdown: Breakdown): Row {
  const none = FIGURES.filter((figure) => !('format' in figure)).map(({ name }) => [name, 0])
  return breakdown.get(TOTAL)?.[0] ?? Object.fromEntries(none)
}

/** The maximum number of findings before the figures, for a phone's first screen. More come after. */
const MOST_FIRST = 3

const FIGURES = [
  { name: 'numbers', label: 'Numbers' },
  { name: 'assigned', label: 'Assigned' },
  { name: 'unassigned_share', label: 'Unassigned share', format: 'percent', better: 'lower' },
  { name: 'no_address_in_use', label: 'In use without emergency address', better: 'lower' },
  { name: 'duplicates', label: 'Duplicates', better: 'lower' },
  { name: 'to_inactive_users', label: 'Assigned to inactive users', better: 'lower' },
] as const

function changeFigures(changes: InventoryChanges['counts'] | undefined): Figure[] {
  if (changes === undefined) return []
  return (['added', 'removed', 'changed'] as const).map((name) => ({
    label: `${name[0]?.toUpperCase()}${name.slice(1)} since the last inventory`,
    value: changes[name],
    format: 'integer',
  }))
}
