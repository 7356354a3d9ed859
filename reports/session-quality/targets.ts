import type { Section, TableColumn } from '../../src/core/define/report.ts'
import { section } from '../shared/blocks.ts'
import { type Row, tableOf } from '../shared/query.ts'
import { type Share, wilson } from '../shared/statistics.ts'
import { intervalText, percent, percentBeside } from '../shared/words.ts'
import { coverageOf } from './by-month.ts'
import type { Counts, QualityFacts } from './facts.ts'
import { badOf } from './kind-shares.ts'
import { KINDS, type QualityKind, type SessionSource } from './source.ts'

/** Shows, for each kind with a target, how far each month met it; nothing without targets. */
export function targetSections(source: SessionSource, facts: QualityFacts): Section[] {
  const aimed = aimedAt(source)
  if (aimed.length === 0) return []
  const title = 'Targets'
  const columns: TableColumn[] = [
    { name: 'kind', title: 'Quality of', format: 'text' },
    { name: 'month', title: 'Month', format: 'text' },
    { name: 'target', title: 'Bad at most', format: 'percent' },
    { name: 'share', title: 'Bad share', format: 'percent' },
    { name: 'interval', title: 'Bad share, 95 %', format: 'text' },
    { name: 'attained', title: 'Target', format: 'text', tint: 'state' },
    { name: 'sure', title: 'How sure', format: 'text' },
    { name: 'rated_days', title: 'Days with ratings', format: 'integer' },
    { name: 'days_within', title: 'Days within the target', format: 'integer' },
    { name: 'within_share', title: 'Share of days within', format: 'percent' },
    { name: 'coverage', title: 'Coverage', format: 'text', tint: 'state' },
  ]
  const rows = aimed.flatMap((aim) =>
    [...facts.months].toReversed().map(([month, counts]) => ({
      ...rowOf(aim, counts, daysIn(facts, month)),
      month,
      coverage: coverageOf(source, month),
    })),
  )
  return [section(title, ABOUT, tableOf({ title, columns }, rows))]
}

/** Completes the label of a figure, e.g. ` (target 2.0 %: missed)`; empty without a target or a rating. */
export function targetLabel(
  source: SessionSource,
  { month }: QualityFacts,
  kind: QualityKind,
): string {
  const aim = aimedAt(source).find((one) => one.kind === kind)
  if (aim === undefined || month === undefined) return ''
  const share = badOf(month, kind.kind)
  if (share.of === 0) return ''
  const { attained, sure } = attainment(share, aim.target)
  const exact = percentBeside(share.hits / share.of, aim.target)
  const at = exact === percent(share.hits / share.of) ? '' : ` at ${exact}`
  const side = attained === 'met' ? 'within it' : 'above it'
  const verdict = sure === SURE ? `${attained}${at}` : `${side}${at}, by too little to be sure`
  return ` (target ${percent(aim.target)}: ${verdict})`
}

interface Aim {
  kind: QualityKind
  target: number
}

/** Returns the kinds that have a target. */
export function aimedAt({ settings: { targets } }: SessionSource): Aim[] {
  const byKind = { ...targets, screen_share: targets.screenShare }
  return KINDS.flatMap((kind) => {
    const target = byKind[kind.kind]
    return target === null ? [] : [{ kind, target }]
  })
}

function rowOf({ kind, target }: Aim, counts: Counts, days: readonly Counts[]): Row {
  const share = badOf(counts, kind.kind)
  const rated = days.map((day) => badOf(day, kind.kind)).filter(({ of }) => of > 0)
  const within = rated.filter(({ of, hits }) => hits / of <= target).length
  return {
    kind: kind.title,
    target,
    ...(share.of === 0
      ? {}
      : {
          share: share.hits / share.of,
          interval: intervalText(wilson(share)),
          ...attainment(share, target),
        }),
    rated_days: rated.length,
    days_within: within,
    within_share: rated.length === 0 ? null : within / rated.length,
  }
}

/** Returns whether a share meets its target, and whether that is certain. */
export function attainment(share: Share, target: number) {
  const { low, high } = wilson(share) ?? { low: 0, high: 1 }
  const attained = share.hits / share.of <= target ? 'met' : 'missed'
  return { attained, sure: low > target || high <= target ? SURE : 'may be chance' } as const
}

function daysIn({ days, earlier }: QualityFacts, month: string): Counts[] {
  const all = [...earlier, ...days].filter(([day]) => day.startsWith(month))
  return all.map(([, counts]) => counts)
}

const SURE = 'sure'
const ABOUT =
  'A target is met where the share of bad sessions among the rated ones is at most as high. It may be ' +
  'chance where the 95 % interval of the share reaches to both sides of the target. Few sessions a day ' +
  'make days miss it by chance. Targets come from the configuration, reports.settings.session-quality.'
