import type { Note, Section } from '../../src/core/define/report.ts'
import { count } from '../../src/core/values/quantities.ts'
import { capitalize } from '../../src/core/values/text.ts'
import { note, section } from '../shared/blocks.ts'
import { tableOf } from '../shared/query.ts'
import { sumOf, wilson } from '../shared/statistics.ts'
import { intervalText, percent, pointsInterval, pointsText } from '../shared/words.ts'
import type { QualityFacts } from './facts.ts'
import { badOf, isVague } from './kind-shares.ts'
import type { SessionSource } from './source.ts'
import { findingsOf, type QualityTest, type Question, verdictOf } from './tests.ts'
import { isWorseWeekOf, type SessionKeySource, worstKeyOf } from './worst-week.ts'

/** States the findings, the most certain first, or the month's level if no week stands out for bad audio. */
export async function findingNotes(
  where: SessionSource & SessionKeySource,
  tests: readonly QualityTest[],
  facts: QualityFacts,
): Promise<Note[]> {
  const worse = findingsOf(tests).filter(({ difference }) => difference > 0)
  const better = findingsOf(tests).filter(
    ({ difference, question }) => difference < 0 && question.of !== 'week',
  )
  const audio = worse.filter(isWorseWeekOf('audio'))
  const notes: Note[] = []
  for (const finding of [...audio, ...worse.filter((one) => !audio.includes(one))])
    notes.push(note('bad', await sentenceOf(where, finding)))
  if (audio.length === 0) notes.push(levelNote(where, facts))
  for (const finding of better) notes.push(note('good', await sentenceOf(where, finding)))
  return notes
}

async function sentenceOf(
  where: SessionSource & SessionKeySource,
  finding: QualityTest,
): Promise<string> {
  const { kind, question, part, rest, difference, interval } = finding
  const counted = (name: typeof part): string =>
    `${count(name.hits)} of ${count(name.of)}; 95 %: ${intervalText(wilson(name))}`
  const share =
    `${kind.title.toLowerCase()} was bad in ${percent(part.hits / part.of)} of the rated sessions ` +
    `(${counted(part)}), against ${percent(rest.hits / rest.of)} in ${restIn(where, question)} ` +
    `(${counted(rest)}): ${pointsText(difference)} (95 %: ${pointsInterval(interval)}).`
  if (question.of === 'month') return `In ${where.month.label} ${share}`
  if (question.of === 'day') return `On ${question.day} ${share}`
  if (question.of === 'group') return `${capitalize(question.where)} ${share}`
  if (question.of === 'shift') {
    const { from, earliest, latest } = question.shift
    const about = earliest === latest ? '' : ` (95 %: ${earliest} to ${latest})`
    return `Since ${from}${about} ${share}`
  }
  const { key, keyPart } = await worstKeyOf(where, question.week, kind)
  return (
    `In the week of ${question.week} ${share} ` +
    `${percent(keyPart)} of those sessions have the session key ${key}.`
  )
}

function restIn({ before }: SessionSource, question: Question): string {
  if (question.of === 'month') return before.label
  if (question.of === 'group') return 'all others'
  if (question.of === 'day') return 'the other days that were read'
  return question.of === 'week'
    ? 'the rest of the month'
    : `the days before, from ${question.firstDay}`
}

/** The two sides of a test, for a table. */
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

/** Describes the month's level, never in green: equal weeks do not make a level good; only a target can. */
function levelNote(
  { month, coverage }: SessionSource,
  { month: counts = {}, earlier }: QualityFacts,
): Note {
  const audio = badOf(counts, 'audio')
  const before = sumOf([...earlier.values()].map((day) => badOf(day, 'audio')))
  const as = coverage.whole ? 'N' : 'As far as it was read, n'
  if (audio.of === 0)
    return note('plain', `${as}o session of ${month.label} has a rating of audio.`)
  const against =
    before.of === 0 ? '' : `, against ${percent(before.hits / before.of)} in the months before`
  const level =
    `${percent(audio.hits / audio.of)} of the rated sessions were bad ` +
    `(${count(audio.hits)} of ${count(audio.of)}; 95 %: ${intervalText(wilson(audio))})${against}`
  const few = isVague(audio) ? ' These are too few sessions to tell.' : ''
  return note('plain', `${as}o week of ${month.label} stands out for bad audio: ${level}.${few}`)
}

/** Lists every test with its figures, the most certain first, whether it is a finding or not. */
export function findingsSection(source: SessionSource, tests: readonly QualityTest[]): Section {
  const rows = tests
    .toSorted((a, b) => a.p - b.p)
    .map((test) => ({ test, sides: sidesOf(source, test.question), ...test }))
    .map(({ test, sides, kind, part, rest, difference, interval, rate }) => ({
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

const METHOD =
  'Each week is held against the rest of the month, the month against the one before, and all months that ' +
  'were read are searched for a day since which the share is another. Of hours (in all months that were ' +
  'read), sizes, telephone, recording and groups of keys the worst is held against all others; it must ' +
  'be worse without any single week too. A difference is a finding where at ' +
  'most 5 % of such findings would be chance, all tests of this report taken together. A day on which most ' +
  'sessions were bad, and hardly any on the others, is a finding of its own and left out of the rest. The ' +
  'tests and the intervals of differences allow for sessions of a day, and days of a week, that are bad ' +
  'together; the intervals of shares are ' +
  'Wilson’s, that of a day holds all days that fit nearly as well.'

const LEAST_RATE = 0.001
