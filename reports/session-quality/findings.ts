import type { Section } from '../../src/core/define/report.ts'
import { section } from '../shared/blocks.ts'
import { tableOf } from '../shared/query.ts'
import { wilson } from '../shared/statistics.ts'
import { intervalText, percent, pointsInterval } from '../shared/words.ts'
import type { SessionSource } from './source.ts'
import { type QualityTest, type Question, verdictOf } from './tests.ts'

/** Returns the names of a test's two sides, for a table. */
function sidesOf(
  { month, before }: SessionSource,
  question: Question,
): [part: string, rest: string] {
  if (question.of === 'month') return [month.label, before.label]
  if (question.of === 'day') return [question.day, 'the other days that were read']
  if (question.of === 'group') return [`${question.by}: ${question.level}`, 'all others']
  if (question.of === 'week') return [`week of ${question.week}`, `the rest of ${month.label}`]
  const { from, earliest, latest } = question.shift
  const about = earliest === latest ? '' : ` (95 %: ${earliest} to ${latest})`
  return [`since ${from}${about}`, `from ${question.firstDay} until then`]
}

/** Lists every test with its figures, the most certain first, whether it is a finding or not. */
export function findingsSection(source: SessionSource, tests: readonly QualityTest[]): Section {
  const rows = tests
    .toSorted((a, b) => a.p - b.p)
    .map((test) => ({ test, sides: sidesOf(source, test.question), ...test }))
    .map(({ test, sides, kind, part, rest, difference, interval, excess, rate }) => ({
      kind: kind.title,
      part: sides[0],
      rest: sides[1],
      rated: part.of,
      bad: part.hits,
      share: part.hits / part.of,
      share_interval: intervalText(wilson(part)),
      rated_rest: rest.of,
      bad_rest: rest.hits,
      share_rest: rest.hits / rest.of,
      rest_interval: intervalText(wilson(rest)),
      difference,
      difference_interval: pointsInterval(interval),
      rate: rate < LEAST_RATE ? `< ${percent(LEAST_RATE)}` : percent(rate),
      verdict: verdictOf(test),
      excess,
      worse_in: monthsOf(test),
    }))
  const table = tableOf(
    {
      title: 'Tests',
      empty: 'There is nothing to compare.',
      columns: [
        { name: 'kind', title: 'Quality of', format: 'text' },
        { name: 'part', title: 'In', format: 'text' },
        { name: 'rest', title: 'Against', format: 'text' },
        { name: 'verdict', title: 'Verdict', format: 'text', tint: 'state' },
        { name: 'difference', title: 'Difference', format: 'percent', tint: 'change' },
        { name: 'difference_interval', title: 'Difference, 95 %', format: 'text' },
        { name: 'rate', title: 'False discoveries', format: 'text' },
        { name: 'excess', title: 'More bad in the month', format: 'decimal' },
        { name: 'worse_in', title: 'Worse in', format: 'text' },
        { name: 'rated', title: 'Rated', format: 'integer' },
        { name: 'bad', title: 'Bad', format: 'integer' },
        { name: 'share', title: 'Bad share', format: 'percent' },
        { name: 'share_interval', title: 'Bad share, 95 %', format: 'text' },
        { name: 'rated_rest', title: 'Rated there', format: 'integer' },
        { name: 'bad_rest', title: 'Bad there', format: 'integer' },
        { name: 'share_rest', title: 'Bad share there', format: 'percent' },
        { name: 'rest_interval', title: 'Bad share there, 95 %', format: 'text' },
      ],
    },
    rows,
  )
  return section('Findings', METHOD, table)
}

/** Returns in how many months a group was worse than all others, for a table. */
function monthsOf({ question }: QualityTest): string | null {
  if (question.of !== 'group') return null
  const { hits, of } = question.worseIn
  return `${hits} of ${of} months`
}

const METHOD =
  'Each week is compared with the rest of the month, the month with the one before, and all months ' +
  'that were read are searched for a day since which the share differs. Over all months, the worst ' +
  'hour of the week, size, telephone, recording and group of keys is compared with all others; it ' +
  'must also be worse if any one week is left out, and still in this month. A difference is a finding ' +
  'if at most 5 % of such findings would be chance, over all tests of this report. A day on which ' +
  'most sessions were bad, and hardly any on the others, is its own finding, and the other tests ' +
  'leave it out. “More bad in the month” is how many sessions of the month were bad beyond the ' +
  'share they are compared with; the summary is in this order. The tests and the intervals of ' +
  'differences allow for sessions of a day, and days of a week, that are bad together; the intervals ' +
  'of shares are Wilson’s, and that of a day includes all days that fit nearly as well.'

const LEAST_RATE = 0.001
