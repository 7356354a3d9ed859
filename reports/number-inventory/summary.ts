import type { Block, ChartBlock, Figure, Note, Section } from '../../src/core/define/report.ts'
import { chart } from '../shared/blocks.ts'
import { largestBars, untoldText } from '../shared/largest-bars.ts'
import type { Row } from '../shared/query.ts'
import { grouped } from '../shared/words.ts'
import { type Breakdown, readTotals, TOTAL } from './breakdown.ts'
import type { InventoryChanges } from './changes.ts'
import type { NumberSource } from './source.ts'

/**
 * The stock on one page: how much there is, how much of it lies idle, and what needs somebody's
 * hand.
 */
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
      figures: [...figuresOf(now, before), ...changeFigures(changes?.counts)],
    },
    stackedChart('Numbers by product', breakdown.get('Product')),
    stackedChart('Numbers by type', breakdown.get('Type')),
    stackedChart('Numbers by country', breakdown.get('Country')),
    stackedChart('Numbers by site', breakdown.get('Site')),
  ]
  return { title: 'Summary', blocks }
}

/** Without a number there is no row. */
function totalsOf(breakdown: Breakdown): Row {
  const names = ['numbers', 'assigned', 'unassigned', 'pending', 'no_address', 'no_address_in_use']
  const none = [...names, 'update_required', 'duplicates', 'to_inactive_users']
  return breakdown.get(TOTAL)?.[0] ?? Object.fromEntries(none.map((name) => [name, 0]))
}

function figuresOf(now: Row, before: Row | undefined): Figure[] {
  const figure = (name: string, label: string, better?: 'lower'): Figure => ({
    label,
    value: now[name] ?? null,
    format: name.endsWith('_share') ? 'percent' : 'integer',
    ...(before === undefined ? {} : { before: before[name] ?? null }),
    ...(better === undefined ? {} : { better }),
  })
  return [
    figure('numbers', 'Numbers'),
    figure('assigned', 'Assigned'),
    figure('unassigned', 'Unassigned', 'lower'),
    figure('unassigned_share', 'Unassigned share', 'lower'),
    figure('pending', 'Pending', 'lower'),
    figure('no_address', 'Emergency calls, no address', 'lower'),
    figure('no_address_in_use', 'Emergency calls, in use, no address', 'lower'),
    figure('update_required', 'Emergency calls, address to update', 'lower'),
    figure('duplicates', 'Duplicates', 'lower'),
    figure('to_inactive_users', 'Assigned to inactive users', 'lower'),
  ]
}

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
    ...tell(count('duplicates'), 'listed more than once'),
  ]
  const expiring = count('no_address_in_use') + count('update_required') > 0
  const text = `${parts.join('; ')}.`
  return { kind: 'note', tone: expiring ? 'warning' : 'plain', text, headline: true }
}

function tell(count: number, what: string): string[] {
  return count === 0 ? [] : [`${grouped(count)} ${what}`]
}

/** One dimension's most frequent values; all of them stand on the breakdown. */
function stackedChart(title: string, rows: readonly Row[] = []): ChartBlock {
  const chosen = largestBars(rows, ({ numbers }) => Number(numbers))
  const { shown, others } = chosen
  const total = (name: string): number =>
    others.reduce((sum, row) => sum + Number(row[name] ?? 0), 0)
  const rest = { value: 'others', assigned: total('assigned'), unassigned: total('unassigned') }
  const bars: readonly Row[] = others.length > 0 ? [...shown, rest] : shown
  const values = (name: string) => bars.map((row) => Number(row[name] ?? 0))
  return chart(
    `${title}${untoldText(chosen)}`,
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
