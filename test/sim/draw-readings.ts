import { EACH_READING, type Readings } from '../../sandbox/readings/readings.ts'
import { Random } from './random.ts'

/**
 * Every second seed reads the documents as usual, the others take one to four readings in another of the
 * ways in which a sync ends green. Drawn beside the plan, of which nothing else moves by it.
 */
export function drawReadings(seed: number): { readings?: Partial<Readings> } {
  const draw = new Random(seed, 'readings')
  if (draw.chance(0.5)) return {}
  const chosen = Array.from({ length: draw.between(1, 4) }, () => draw.pick(WAYS))
  const readings: { -readonly [Name in keyof Readings]?: Readings[Name] } =
    Object.fromEntries(chosen)
  // Pages that are always cut alike do not tell a refused last token from one refused within a list.
  if (readings.pageSizeAbove === 'unheeded' && readings.pageTokens === 'last-refused')
    delete readings.pageSizeAbove
  // A status that neither a list nor the item says stays unknown, and the run is not green.
  if (readings.statusFilter === 'unsaid' && readings.moreStatuses === 'more')
    delete readings.statusFilter
  return { readings }
}

/**
 * What is gone of rows without a time is never judged, which the oracle would call a phantom; beside records
 * that cannot be used a run after an edit is rightly not complete.
 */
const NOT_DRAWN = new Set(['unreadableTimes', 'unusableRecords'])
const WAYS = EACH_READING.filter(([name]) => !NOT_DRAWN.has(name)).flatMap(
  ([name, { variants, usual }]) =>
    Object.entries(variants)
      .filter(([variant, { told }]) => variant !== usual && told === undefined)
      .map(([variant]) => [name, variant] as const),
)
