import type { ChartBlock, Section, TableColumn } from '../../src/core/define/report.ts'
import { chart, section } from '../shared/blocks.ts'
import { tableOf } from '../shared/query.ts'
import type { Crosses } from './crosses.ts'
import { type Band, type Counts, DURATIONS, numberOf, type QualityFacts, SIZES } from './facts.ts'
import { badOf, badSeries, kindColumns, kindShares, shareMap, TOO_FEW_TEXT } from './kind-shares.ts'
import { KINDS, nothingRead, type QualityKind, type SessionSource } from './source.ts'

/** Crosses bad ratings with properties of the sessions, for comparisons within each property. */
export function crossedSection(
  { month }: SessionSource,
  facts: QualityFacts,
  crosses: Crosses,
): Section {
  const title = 'Bad ratings crossed'
  const columns: TableColumn[] = [
    { name: 'by', title: 'By', format: 'text' },
    { name: 'level', title: 'Sessions', format: 'text' },
    { name: 'sessions', title: 'How many', format: 'integer' },
    ...kindColumns,
  ]
  const levels = facts.month === undefined ? [] : levelsOf(crosses)
  const rows = levels.map(({ by, level, counts }) => ({
    by,
    level,
    sessions: numberOf(counts, 'sessions'),
    ...kindShares((kind) => badOf(counts, kind)),
  }))
  return section(
    title,
    ABOUT,
    ...(rows.length === 0 ? [] : [chartOf(levels)]),
    tableOf({ title, columns, empty: nothingRead(month) }, rows),
    ...(rows.length === 0 ? [] : KINDS.map((kind) => grid(crosses, kind))),
  )
}

interface Level {
  by: string
  level: string
  counts: Counts
}

function levelsOf(crosses: Crosses): Level[] {
  const { pstn, voip, pstnAndVoip, recording, sizes, durations } = crosses
  return [
    ...named('Telephone (PSTN)', pstn, YES_OR_NO),
    ...named('Computer audio (VoIP)', voip, YES_OR_NO),
    ...named('Telephone and computer', pstnAndVoip, JOINED),
    ...named('Recording', recording, { true: 'recorded', false: 'not recorded' }),
    ...banded('Participants', sizes, SIZES),
    ...banded('Duration', durations, DURATIONS),
  ]
}

/** Returns the levels that have sessions; sessions without a value are last. */
function named(
  by: string,
  parts: ReadonlyMap<string, Counts>,
  names: Readonly<Record<string, string>>,
): Level[] {
  const levels = Object.entries(names).flatMap(([value, level]) => {
    const counts = parts.get(value)
    return counts === undefined ? [] : [{ by, level, counts }]
  })
  const unsaid = [...parts].find(([value]) => !(value in names))
  return unsaid === undefined ? levels : [...levels, { by, level: 'not given', counts: unsaid[1] }]
}

function banded(by: string, parts: Crosses['sizes'], bands: readonly Band[]): Level[] {
  const unsaid = parts.get(null)
  return [
    ...bands.flatMap(({ title }, at) => {
      const counts = parts.get(at + 1)
      return counts === undefined ? [] : [{ by, level: title, counts }]
    }),
    ...(unsaid === undefined ? [] : [{ by, level: 'not given', counts: unsaid }]),
  ]
}

function chartOf(levels: readonly Level[]): ChartBlock {
  const shown = levels.filter(({ by, level }) => IN_CHART.has(by) && level !== 'not given')
  return chart('Share rated bad', {
    type: 'bar',
    valueFormat: 'percent',
    categories: shown.map(({ by, level }) => (by === 'Participants' ? `${level} people` : level)),
    series: badSeries(shown, ({ counts }, kind) => badOf(counts, kind)),
  })
}

/** Shows bad shares by size and duration together. */
function grid({ sizesAndDurations }: Crosses, { kind, title }: QualityKind) {
  return shareMap(
    {
      title: `Share of bad ${title.toLowerCase()} by size and duration`,
      of: ['size', 'Participants'],
      lines: SIZES.map((size, of) => [size.title, of + 1]),
      columns: DURATIONS.map((band) => band.title),
    },
    (of, _, at) => badOf(sizesAndDurations.get(`${of} ${at + 1}`) ?? {}, kind),
  )
}

const YES_OR_NO = { true: 'with', false: 'without' }
const JOINED = {
  'false true': 'computer only',
  'true true': 'both',
  'true false': 'telephone only',
  'false false': 'neither',
}
const IN_CHART: ReadonlySet<string> = new Set([
  'Telephone and computer',
  'Recording',
  'Participants',
])
const ABOUT =
  'What the sessions with bad ratings have in common. The worst size, telephone and recording are tested ' +
  '(sheet Findings); the rest are counts with their 95 % intervals. Telephone, size and duration go ' +
  'together, and one may stand for another. Two intervals that are far apart are worth a look. ' +
  TOO_FEW_TEXT
