import type { Block, Cell, Figure, Note, Section } from '../../src/core/define/report.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { comparedFigures, note } from '../shared/blocks.ts'
import type { Row } from '../shared/query.ts'
import { type Counts, numberOf, type QualityFacts, qualityOf, shareOf } from './facts.ts'
import { findingNotes } from './findings.ts'
import { KINDS, nothingRead, type SessionSource } from './source.ts'
import { dayCharts, monthChart } from './summary-charts.ts'
import { targetNotes } from './targets.ts'
import { findingsOf, type QualityTest } from './tests.ts'
import { unknownNote } from './unknown-ratings.ts'
import { type SessionKeySource, type WorstWeek, worstWeek } from './worst-week.ts'

/** A month's reports may still arrive or change for this many days after its end. */
const CLOSES_AFTER_DAYS = 35

/** Quality data that session reports do not contain, according to the documents. */
const NOT_TOLD =
  'The service rates a session as a whole. Which participant, region, device or network had the bad ' +
  'quality it does not tell, so no sheet of this report does.'

/** Shows the month on one page, in a sentence, in figures and in charts. */
export async function summarySection(
  source: SessionSource & SessionKeySource,
  facts: QualityFacts,
  tests: readonly QualityTest[],
): Promise<Section> {
  const { whole, verdict } = source.coverage
  const lacks = whole ? [] : [verdict]
  if (facts.month === undefined || numberOf(facts.month, 'sessions') === 0)
    return { title: 'Summary', blocks: [...lacks, emptyNote(source, facts)] }
  const now = totalsOf(facts.month)
  const before = source.compared ? totalsOf(facts.before) : undefined
  const worst = await worstWeek(source, facts, tests)
  const blocks: Block[] = [
    ...lacks,
    ...(await findingNotes(source, tests, facts)),
    ...targetNotes(source, facts),
    ...(await unknownNote(source, facts.month)),
    ...toDateNote(source),
    ...closingNote(source),
    {
      kind: 'figures',
      title: 'Key findings',
      beforeLabel: source.before.label,
      figures: figuresOf({ now, before, worst, tests }),
    },
    ...dayCharts(source, facts),
    ...monthChart(source, facts),
    note('plain', NOT_TOLD),
  ]
  return { title: 'Summary', blocks }
}

function totalsOf(counts: Counts): Row {
  const { sessions = 0, users = null, seconds = null } = counts
  const qualities = KINDS.flatMap(({ kind }) =>
    Object.entries(qualityOf(counts, kind)).map(([name, value]) => [`${kind}_${name}`, value]),
  )
  return {
    ...Object.fromEntries(qualities),
    sessions,
    users,
    hours: seconds === null ? null : seconds / 3600,
    mean_seconds: shareOf(numberOf(counts, 'seconds'), numberOf(counts, 'timed')),
  }
}

interface Told {
  now: Row
  before: Row | undefined
  worst: WorstWeek | undefined
  tests: readonly QualityTest[]
}

/** Returns the figures; a change of a bad share has a color only if a test found it. */
function figuresOf({ now, before, worst, tests }: Told): Figure[] {
  const found = new Set(
    findingsOf(tests).flatMap(({ kind, question }) => (question.of === 'month' ? [kind.kind] : [])),
  )
  const bad = KINDS.map(({ kind, title }) => ({
    name: `${kind}_bad_share`,
    label: `Bad ${title.toLowerCase()}`,
    format: 'percent' as const,
    ...(found.has(kind) && { better: 'lower' as const }),
  }))
  const named = [
    { name: 'sessions', label: 'Sessions' },
    { name: 'users', label: 'Participants' },
    { name: 'hours', label: 'Hours in sessions', format: 'decimal' as const },
    { name: 'mean_seconds', label: 'Mean duration', format: 'seconds' as const },
    ...bad,
    { name: 'audio_good_share', label: 'Good audio', format: 'percent' as const },
  ]
  const figures = comparedFigures(named, now, before)
  return worst === undefined ? figures : [...figures, ...worstFigures(worst)]
}

function worstFigures(worst: WorstWeek): Figure[] {
  const text = (label: string, value: Cell): Figure => ({ label, value, format: 'text' })
  const share = (label: string, value: Cell): Figure => ({ label, value, format: 'percent' })
  return [
    { label: 'Worst week for audio, from', value: worst.week, format: 'date' },
    share('Bad audio in that week', worst.share),
    share('Bad audio in the other weeks', worst.shareElsewhere),
    text('Session key with most of it', worst.key),
    share('Its part of that week’s bad audio', worst.keyPart),
  ]
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
    `Sessions and ratings of ${month.label} may still come in until ${day}; ` +
    'the report can be made again then.'
  return [note('plain', text)]
}

function emptyNote({ month, coverage }: SessionSource, facts: QualityFacts): Note {
  const found = coverage.whole ? month.label : `what was read of ${month.label}`
  const text = facts.month === undefined ? nothingRead(month) : `There is no session in ${found}.`
  return note('warning', text)
}
