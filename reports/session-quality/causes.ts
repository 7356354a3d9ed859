import { dayName, monthName, sessionsText, shareText } from '../shared/words.ts'
import type { SessionKeySource } from './key-words.ts'
import { mostlyIn } from './mostly-in.ts'
import type { QualityKind, SessionSource } from './source.ts'
import { findingsOf, type QualityTest } from './tests.ts'

/** A finding as text: where sessions were bad and how often, what to do, and which sheet has details. */
export interface BadCause {
  kind: QualityKind
  tone: 'bad' | 'good'
  /** By how many the month's bad sessions differ from the number that the compared share predicts. */
  harm: number
  /** Completes the sentence `Audio was bad in …`. */
  where: string
  todo: string
  sheet: string
}

/** Returns the findings in words, the most harmful first. */
export async function causesOf(
  source: SessionSource & SessionKeySource,
  tests: readonly QualityTest[],
): Promise<BadCause[]> {
  const findings = findingsOf(tests)
  // Omits better weeks, and a month's comparison with the month before if a lasting shift explains it.
  const said = findings.filter(({ kind, difference, question }) =>
    question.of === 'month'
      ? !findings.some(
          (other) =>
            other.kind === kind &&
            other.question.of === 'shift' &&
            other.difference > 0 === difference > 0,
        )
      : difference > 0 || question.of !== 'week',
  )
  const causes: BadCause[] = []
  for (const finding of said.toSorted((a, b) => Math.abs(b.excess) - Math.abs(a.excess)))
    causes.push(await causeOf(source, finding))
  return causes
}

async function causeOf(
  source: SessionSource & SessionKeySource,
  finding: QualityTest,
): Promise<BadCause> {
  const { kind, difference, part, rest, excess, question } = finding
  const { in: where, against, ...next } = placeOf(source, finding)
  const key = question.of === 'week' ? await mostlyIn(source, question.week, kind) : undefined
  const mostly = key === undefined ? '' : `, mostly in ${key}`
  const worse = difference > 0
  return {
    kind,
    tone: worse ? 'bad' : 'good',
    harm: Math.abs(excess),
    where: `${sessionsText(part)} ${where} (${shareText(rest)} ${against})${mostly}`,
    todo: worse ? (key === undefined ? next.todo : ASK_HOSTS) : 'keep what changed then',
    sheet: next.sheet,
  }
}

interface Place {
  /** Completes `1 of 19 sessions …`. */
  in: string
  against: string
  todo: string
  sheet: string
}

function placeOf({ month, before }: SessionSource, { kind, question }: QualityTest): Place {
  const against = 'otherwise'
  switch (question.of) {
    case 'day': {
      const [place, todo] = [`on ${dayName(question.day)}`, 'ask the service what failed that day']
      return { in: place, against, todo, sheet: `${kind.title} by day` }
    }
    case 'week': {
      const [place, todo] = [
        `in the week of ${dayName(question.week)}`,
        'ask what changed that week',
      ]
      return { in: place, against, todo, sheet: 'Worst session keys' }
    }
    case 'month': {
      const todo = 'ask what changed between these months'
      const [place, then] = [monthName(month.label), before.label]
      return { in: `in ${place}`, against: `in ${then}`, todo, sheet: 'Quality by month' }
    }
    case 'shift': {
      const { from } = question.shift
      const year = from.slice(0, 4) === month.label.slice(0, 4) ? '' : `, ${from.slice(0, 4)}`
      const todo = 'ask what changed around that day'
      const place = `since ${dayName(from)}${year}`
      return { in: place, against: 'before', todo, sheet: 'Findings' }
    }
    case 'group':
    default:
      return { in: question.where, against, todo: question.todo, sheet: question.sheet }
  }
}

const ASK_HOSTS = 'ask its hosts about their network'
