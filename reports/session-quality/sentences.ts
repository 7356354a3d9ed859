import type { Note } from '../../src/core/define/report.ts'
import { note } from '../shared/blocks.ts'
import { type Share, sumOf, wilson } from '../shared/statistics.ts'
import {
  intervalText,
  monthName,
  percent,
  percentBeside,
  sessionsText,
  shareText,
} from '../shared/words.ts'
import { type BadCause, causesOf } from './causes.ts'
import { type Counts, numberOf, type QualityFacts } from './facts.ts'
import type { SessionKeySource } from './key-words.ts'
import { badOf, isVague } from './kind-shares.ts'
import { KINDS, type QualityKind, type SessionSource } from './source.ts'
import { aimedAt, attainment } from './targets.ts'
import type { QualityTest } from './tests.ts'

/**
 * States in at most three sentences where sessions were bad, how often, and what to do, the most harmful
 * first. If nothing stands out, states how bad they were.
 */
export async function summarySentences(
  where: SessionSource & SessionKeySource,
  facts: QualityFacts,
  tests: readonly QualityTest[],
): Promise<Note[]> {
  const causes = await causesOf(where, tests)
  const worse = causes.filter(({ tone }) => tone === 'bad')
  const all = [...worse, ...missedTargets(where, facts, worse)].toSorted((a, b) => b.harm - a.harm)
  const better = causes.filter(({ tone }) => tone === 'good')
  const notes = inSentences(all)
  if (notes.length === 0) notes.push(levelNote(where, facts))
  return [...notes, ...inSentences(better)].slice(0, MOST_SENTENCES)
}

/** Joins causes of one kind into one sentence if there would be more than three sentences. */
function inSentences(causes: readonly BadCause[]): Note[] {
  const groups =
    causes.length <= MOST_SENTENCES
      ? causes.map((cause) => [cause])
      : [...Map.groupBy(causes, ({ kind }) => kind).values()]
  const harmOf = (group: readonly BadCause[]): number =>
    group.reduce((sum, { harm }) => sum + harm, 0)
  return groups.toSorted((a, b) => harmOf(b) - harmOf(a)).flatMap(sentence)
}

function sentence(group: readonly BadCause[]): Note[] {
  const [first] = group
  if (first === undefined) return []
  const said = group.slice(0, MOST_CAUSES).map(({ where, todo }) => `in ${where}: ${todo}`)
  const more = group.length > MOST_CAUSES ? ` (${group.length - MOST_CAUSES} more below)` : ''
  const text = `${first.kind.title} was bad ${said.join('; also ')}${more}.`
  const sheet = group.length === 1 ? first.sheet : 'Findings'
  return [{ ...note(first.tone, text), link: sheet }]
}

/** Returns the targets that were certainly missed by kinds without another finding. */
function missedTargets(
  where: SessionSource,
  { month = {} }: QualityFacts,
  worse: readonly BadCause[],
): BadCause[] {
  return aimedAt(where).flatMap(({ kind, target }) => {
    const share = badOf(month, kind.kind)
    const missed = share.of > 0 && attainment(share, target)
    if (missed === false || missed.attained !== 'missed' || missed.sure !== 'sure') return []
    if (worse.some((cause) => cause.kind === kind)) return []
    const exact = percentBeside(share.hits / share.of, target)
    const beside = `(${exact}; target: ${percent(target)})`
    const alike = `${sessionsText(share)} in ${monthName(where.month.label)} ${beside}`
    return [
      {
        kind,
        tone: 'bad',
        harm: share.hits - share.of * target,
        where: `${alike}, hardly more in some than in others`,
        todo: 'begin with the worst session keys',
        sheet: 'Worst session keys',
      },
    ]
  })
}

/** Describes the month's level. Only targets can make it good; equality with other months cannot. */
function levelNote(source: SessionSource, facts: QualityFacts): Note {
  const { month: counts = {}, earlier } = facts
  const rated = KINDS.filter(({ kind }) => badOf(counts, kind).of > 0)
  const month = monthName(source.month.label)
  const start = source.coverage.whole ? 'N' : 'As far as it was read, n'
  if (rated.length === 0) return note('plain', `${start}o session of ${month} has a rating.`)
  const levels = rated.map(({ kind, title }, at) => {
    const share = badOf(counts, kind)
    const before = sumOf([...earlier.values()].map((day) => badOf(day, kind)))
    const beside =
      before.of === 0
        ? `95 %: ${intervalText(wilson(share))}`
        : `${shareText(before)}${at === 0 ? ' in the months before' : ''}`
    return `${title.toLowerCase()}${at === 0 ? ' was bad' : ''} in ${sessionsText(share)} (${beside})`
  })
  const { tone, todo } = judgeLevel(source, counts)
  const text = `${start}o part of ${month} is worse than the rest: ${levels.join(', ')}; ${todo}.`
  return { ...note(tone, text), link: 'Quality by month' }
}

/** Judges the month: good only if complete and surely within every target, with unknown ratings as bad. */
function judgeLevel(source: SessionSource, counts: Counts): { tone: Note['tone']; todo: string } {
  if (KINDS.every(({ kind }) => isVague(badOf(counts, kind))))
    return { tone: 'plain', todo: 'these are too few sessions to tell' }
  const aims = aimedAt(source)
  if (aims.length === 0) return { tone: 'plain', todo: 'no targets are set to judge this by' }
  const unrated = aims.filter(({ kind }) => badOf(counts, kind.kind).of === 0)
  if (unrated.length > 0) {
    const names = unrated.map(({ kind }) => kind.title.toLowerCase()).join(' and ')
    return { tone: 'plain', todo: `no rating of ${names} can be compared with a target` }
  }
  const met = aims.every(({ kind, target }) => {
    const { attained, sure } = attainment(atWorst(counts, kind), target)
    return attained === 'met' && sure === 'sure'
  })
  if (!met) return { tone: 'plain', todo: 'the targets are too close to tell' }
  return source.coverage.whole
    ? { tone: 'good', todo: 'the targets are met, so there is nothing to do' }
    : { tone: 'plain', todo: 'the targets are met so far' }
}

/** The share of bad ratings if every unknown rating was bad. */
function atWorst(counts: Counts, { kind }: QualityKind): Share {
  const { hits, of } = badOf(counts, kind)
  const said = numberOf(counts, `${kind}_said`)
  return { hits: hits + said - of, of: said }
}

const MOST_SENTENCES = 3
/** The maximum number of causes in a sentence. The sheet Findings has all of them. */
const MOST_CAUSES = 2
