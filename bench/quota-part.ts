import { meanUsed, refusedPerChange, sum } from '../test/api/drive-quota.ts'
import { runChild } from './child.ts'
import { type Figure, percent, type Table } from './figures.ts'
import type { Part } from './part.ts'
import type { Question, QuotaDriven, QuotaOrder } from './quota-drives.ts'

export const quotaPart: Part = {
  about: 'the governor against three kinds of limiter, in virtual time',
  async measure({ quick, seed }) {
    const order: QuotaOrder = { minutes: quick ? 3 : 10, seed }
    const driven = await runChild<QuotaOrder, QuotaDriven[]>('quota-drives.ts', order)
    const ours = driven.filter(({ by }) => by === 'governor')
    const figures = together(ours).flatMap((drives) => figureOf(drives) ?? [])
    const first = driven.filter((one) => one.seed === seed)
    return { figures, tables: [besideTable(first), slowTable(ours)] }
  },
}

/** The drives of one question that differ in their seed only. */
function together(ours: readonly QuotaDriven[]): QuotaDriven[][] {
  const byName = Map.groupBy(ours, (one) => `${named(one)} ${one.jitterMs}`)
  return [...byName.values()]
}

interface Target {
  least: number
  most: (drives: Drives) => boolean
  said: string
}

type Drives = readonly QuotaDriven[]

const TARGETS: Readonly<Partial<Record<Question, Target>>> = {
  known: { least: 0.9, most: (drives) => refusedShare(drives) === 0, said: '>= 90 %, no 429' },
  shared: {
    least: 0.8,
    most: (drives) => refusedPerChange(drives) <= 5,
    said: '>= 80 % of what is left, <= 5 a change',
  },
  learn: {
    least: 0.85,
    most: (drives) => refusedShare(drives) < 0.02,
    said: '>= 85 %, under 2 % 429',
  },
}

/** Ways that vary by 30 ms are shown, not aimed at: a call may be later than any answer has told. */
function figureOf(drives: Drives): Figure | undefined {
  const [first] = drives
  const target = first && TARGETS[first.question]
  if (target === undefined || first!.jitterMs > MOST_JITTER_MS) return undefined
  const used = meanUsed(drives)
  return {
    what: `${named(first!)}, ways vary by ${first!.jitterMs} ms`,
    measured: `${percent(used)} used${range(drives.map((one) => percent(one.used)))}`,
    beside: refusals(drives),
    target: target.said,
    met: used >= target.least && target.most(drives),
  }
}

function named({ question, calls, kind }: QuotaDriven): string {
  const how = { known: 'known', shared: 'shared with others', learn: 'learned', slow: 'learned' }
  return `${how[question]}, ${calls} by ${kind}`
}

function refusals(drives: Drives): string {
  if (drives[0]?.question !== 'shared')
    return `${sum(drives, (one) => one.refused)} of ${sum(drives, (one) => one.sent)} answered 429`
  const eachWay = range(drives.map((one) => refusedPerChange([one]).toFixed(1)))
  const most = Math.max(...drives.flatMap((one) => one.refusedByChange))
  return `${refusedPerChange(drives).toFixed(2)} 429s a change${eachWay}, at most ${most}`
}

function range(each: readonly string[]): string {
  const sorted = each.toSorted((one, other) => Number.parseFloat(one) - Number.parseFloat(other))
  return each.length < 2 ? '' : ` (${sorted[0]} to ${sorted.at(-1)})`
}

function refusedShare(drives: Drives): number {
  return sum(drives, ({ refused }) => refused) / sum(drives, ({ sent }) => sent)
}

function besideTable(driven: readonly QuotaDriven[]): Table {
  const shown = driven.filter(
    ({ question, jitterMs, by }) =>
      (question === 'known' && (by !== 'governor' || jitterMs >= 10)) || question === 'shared',
  )
  const lines = shown.map((one) => [
    one.by,
    named(one),
    `${one.jitterMs} ms`,
    percent(one.used),
    `${one.refused} of ${one.sent}`,
  ])
  return {
    title: 'quota: the same calls by other means',
    lines: [['by', 'quota', 'ways vary by', 'used', 'answered 429'], ...lines],
  }
}

function slowTable(ours: readonly QuotaDriven[]): Table {
  const lines = ours
    .filter(({ question }) => question === 'slow')
    .map((one) => {
      const unit = one.label === 'RESOURCE-INTENSIVE' ? 'a minute' : 'a second'
      const refused = `${percent(one.refused / one.sent)} (${one.refused} of ${one.sent})`
      return [`${one.calls} ${unit} by ${one.kind}`, percent(one.used), refused]
    })
  return {
    title: 'quota: slow labels, learned, after ten minutes',
    lines: [['quota', 'used', 'answered 429'], ...lines],
  }
}

const MOST_JITTER_MS = 10
