import type { Block, ChartBlock, Figure, Note, Section } from '../../src/core/define/report.ts'
import { count as grouped } from '../../src/core/values/quantities.ts'
import { chart, comparedFigures } from '../shared/blocks.ts'
import { largestBars, omittedText } from '../shared/largest-bars.ts'
import type { Row } from '../shared/query.ts'
import { type Breakdown, readTotals, TOTAL } from './breakdown.ts'
import type { InventoryChanges } from './changes.ts'
import type { NumberSource } from './source.ts'

/** Shows the numbers on one page: the totals, the idle ones, and the problems. */
export async function summarySection(
  source: NumberSource,
  { breakdown, changes }: { breakdown: Breakdown; changes: InventoryChanges | undefined },
): Promise<Section> {
  const { previous } = source
  const now = totalsOf(breakdown)
  const before = previous === undefined ? undefined : totalsOf(await readTotals(source, previous))
  const blocks: Block[] = [
    story(now),
    {
      kind: 'figures',
      title: 'Key figures',
      beforeLabel: 'last inventory',
      figures: [...comparedFigures(FIGURES, now, before), ...changeFigures(changes?.counts)],
    },
    stackedChart('Numbers by product', breakdown.get('Product')),
    stackedChart('Numbers by type', breakdown.get('Type')),
    stackedChart('Numbers by country', breakdown.get('Country')),
    stackedChart('Numbers by site', breakdown.get('Site')),
  ]
  return { title: 'Summary', blocks }
}

/** Returns zeros if there are no numbers, because then there is no row. */
function totalsOf(breakdown: Breakdown): Row {
  const none = FIGURES.filter((figure) => !('format' in figure)).map(({ name }) => [name, 0])
  return breakdown.get(TOTAL)?.[0] ?? Object.fromEntries(none)
}

const FIGURES = [
  { name: 'numbers', label: 'Numbers' },
  { name: 'assigned', label: 'Assigned' },
  { name: 'unassigned', label: 'Unassigned', better: 'lower' },
  { name: 'unassigned_share', label: 'Unassigned share', format: 'percent', better: 'lower' },
  { name: 'pending', label: 'Pending', better: 'lower' },
  { name: 'no_address', label: 'Emergency calls, no address', better: 'lower' },
  { name: 'no_address_in_use', label: 'Emergency calls, in use, no address', better: 'lower' },
  { name: 'update_required', label: 'Emergency calls, address to update', better: 'lower' },
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

function story(now: Row): Note {
  const count = (name: string): number => Number(now[name] ?? 0)
  const parts = [
    `${grouped(count('unassigned'))} of ${grouped(count('numbers'))} numbers are unassigned`,
    ...tell(
      count('no_address_in_use'),
      'in use that can make emergency calls and have no emergency address',
    ),
    ...tell(
      count('update_required'),
      'that can make emergency calls and need an update of the address',
    ),
    ...tell(count('to_inactive_users'), 'assigned to inactive users'),
    ...tell(count('duplicates'), 'entries that share their number with another'),
  ]
  const expiring = count('no_address_in_use') + count('update_required') > 0
  const text = `${parts.join('; ')}.`
  return { kind: 'note', tone: expiring ? 'warning' : 'plain', text, headline: true }
}

function tell(count: number, what: string): string[] {
  return count === 0 ? [] : [`${grouped(count)} ${what}`]
}

/** Charts one dimension's most frequent values; the breakdown has all of them. */
function stackedChart(title: string, rows: readonly Row[] = []): ChartBlock {
  const chosen = largestBars(rows, ({ numbers }) => Number(numbers))
  const { shown, others } = chosen
  const total = (name: string): number =>
    others.reduce((sum, row) => sum + Number(row[name] ?? 0), 0)
  const rest = { value: 'others', assigned: total('assigned'), unassigned: total('unassigned') }
  const bars: readonly Row[] = others.length > 0 ? [...shown, rest] : shown
  const values = (name: string) => bars.map((row) => Number(row[name] ?? 0))
  return chart(
    `${title}${omittedText(chosen)}`,
    {
      type: 'stacked-bar',
      valueFormat: 'integer',
      categories: bars.map((row) => String(row.value)),
      series: [
        { name: 'Assigned', tone: 'accent', values: values('assigned') },
        { name: 'Unassigned', tone: 'neutral', values: values('unassigned') },
      ],
    },
    'half',
  )
}
