import type { Block, Figure, Note, Section } from '../../src/core/define/report.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { comparedFigures, note } from '../shared/blocks.ts'
import type { Row } from '../shared/query.ts'
import { coverageOf } from './by-month.ts'
import { type Counts, numberOf, type QualityFacts, qualityOf } from './facts.ts'
import type { SessionKeySource } from './key-words.ts'
import { summarySentences } from './sentences.ts'
import { KINDS, nothingRead, type SessionSource } from './source.ts'
import { weekChart } from './summary-charts.ts'
import { targetLabel } from './targets.ts'
import { findingsOf, type QualityTest } from './tests.ts'
import { unknownNote } from './unknown-ratings.ts'
import { yearBeforeNote } from './year-before.ts'

/** For this many days after a month's end, its records may still arrive or change. */
const CLOSES_AFTER_DAYS = 35

/** Shows the month on one page: what to do, at most six figures, and one chart. */
export async function summarySection(
  source: SessionSource & SessionKeySource,
  facts: QualityFacts,
  tests: readonly QualityTest[],
): Promise<Section> {
  const { whole, verdict } = source.coverage
  const lacks = whole ? [] : [verdict]
  if (facts.month === undefined || numberOf(facts.month, 'sessions') === 0)
    return { title: 'Summary', blocks: [...lacks, emptyNote(source, facts)] }
  const blocks: Block[] = [
    ...lacks,
    ...(await summarySentences(source, facts, tests)),
    {
      kind: 'figures',
      title: 'Key figures',
      beforeLabel: source.before.label,
      figures: figuresOf(source, facts, tests),
    },
    weekChart(source, facts),
    ...(await unknownNote(source, facts.month)),
    ...toDateNote(source),
    ...(await yearBeforeNote(source)),
    ...closingNote(source),
  ]
  return { title: 'Summary', blocks }
}

/** Returns the figures. A change of a bad share has a color only if a test found the change. */
function figuresOf(
  source: SessionSource,
  facts: QualityFacts,
  tests: readonly QualityTest[],
): Figure[] {
  const found = new Set(
    findingsOf(tests).flatMap(({ kind, question }) => (question.of === 'month' ? [kind.kind] : [])),
  )
  const bad = KINDS.map((kind) => ({
    name: `${kind.kind}_bad_share`,
    label: `Bad ${kind.title.toLowerCase()}${targetLabel(source, facts, kind)}`,
    format: 'percent' as const,
    ...(found.has(kind.kind) && { better: 'lower' as const }),
  }))
  const named = [
    ...bad,
    { name: 'sessions', label: 'Sessions' },
    { name: 'users', label: 'Participants' },
    { name: 'hours', label: 'Hours in sessions', format: 'decimal' as const },
  ]
  const before = source.compared ? figuresIn(facts.before) : undefined
  const figures = comparedFigures(named, figuresIn(facts.month), before)
  return figures.map((figure, at) => ({
    ...figure,
    trend: trendOf(source, facts, named[at]?.name ?? ''),
  }))
}

function figuresIn(counts: Counts = {}): Row {
  const { sessions = 0, users = null, seconds = null } = counts
  const shares = KINDS.map(({ kind }) => [`${kind}_bad_share`, qualityOf(counts, kind).bad_share])
  return {
    ...Object.fromEntries(shares),
    sessions,
    users,
    hours: seconds === null ? null : seconds / 3600,
  }
}

/** Returns a figure of each month. A month with unread days has a share but no count. */
function trendOf(source: SessionSource, { months }: QualityFacts, name: string) {
  return source.months.map((month) => {
    const counts = months.get(month)
    const known = name.endsWith('_share') || coverageOf(source, month) === 'complete'
    const value = counts === undefined || !known ? null : figuresIn(counts)[name]
    return typeof value === 'number' ? value : null
  })
}

function toDateNote({ month, before, asOfMs, timeZone, compared }: SessionSource): Note[] {
  if (asOfMs >= month.toMs) return []
  const against = compared ? ` It is compared with the same days before, ${before.label}.` : ''
  const text = `${month.label} is to date, up to ${zonedInstant(asOfMs, timeZone).slice(0, 10)}.${against}`
  return [note('plain', text)]
}

function closingNote({ month, asOfMs, timeZone }: SessionSource): Note[] {
  const closesMs = month.toMs + CLOSES_AFTER_DAYS * 86_400_000
  if (asOfMs >= closesMs) return []
  const day = zonedInstant(closesMs, timeZone).slice(0, 10)
  const text =
    `The service may still add late sessions and ratings to ${month.label} until ${day}; ` +
    'to include them, create the report again then.'
  return [note('plain', text)]
}

function emptyNote({ month, coverage }: SessionSource, facts: QualityFacts): Note {
  const found = coverage.whole ? month.label : `what was read of ${month.label}`
  const text = facts.month === undefined ? nothingRead(month) : `There is no session in ${found}.`
  return note('warning', text)
}
