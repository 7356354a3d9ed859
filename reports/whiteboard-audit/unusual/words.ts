import { counted, count as grouped } from '../../../src/core/values/quantities.ts'
import type { AuditSource } from '../source.ts'
import type { Unusual } from './judge.ts'
import { nightText } from './night.ts'
import type { UnusualKind, UnusualTest } from './tests.ts'
import type { TestDetail } from './traces.ts'

export const KIND_WORDS: Readonly<Record<UnusualKind, { title: string; counted: string }>> = {
  deletions: {
    title: 'Mass deletion',
    counted: 'deletions',
  },
  nights: {
    title: 'At night',
    counted: 'activities at night',
  },
  boards: {
    title: 'Many boards',
    counted: 'boards',
  },
  outsiders: {
    title: 'New from outside',
    counted: 'new people from outside',
  },
}

/** A count and its base. Counts of boards include the first board of a day, which the tests leave out. */
export interface Rates {
  count: number
  /** The person's own rate; undefined for a person without earlier days. */
  own: number | undefined
  account: number
}

export function ratesOf({ kind, count, own, account }: UnusualTest): Rates {
  const first = kind === 'boards' ? 1 : 0
  return {
    count: count + first,
    own: own.days === 0 ? undefined : own.sum / own.days + first,
    account: account.mean + first,
  }
}

/** Describes a finding: what, who, when, how many, and compared with what. */
export function findingText(
  source: AuditSource,
  unusual: Unusual,
  { test, detail }: { test: UnusualTest; detail: TestDetail | undefined },
): string {
  const { count, account } = ratesOf(test)
  const { base } = unusual
  const when = `on ${test.day}${timesOf(detail)}`
  const boards = detail === undefined ? '' : ` on ${boardsOf(detail)}`
  if (test.kind === 'outsiders')
    return (
      `${grouped(count)} new people from outside came ` +
      `${when}${boards.replace(' on ', ', to ')}: ${detail?.name ?? ''}. They had not been ` +
      `there in the ${base.acquaintance} days before. In the ${grouped(test.own.days)} days ` +
      `from ${base.known} to the period, ${rate(account)} new people a day came.`
    )
  const hours = unusual.night === undefined ? '' : nightText(unusual.night)
  const did = {
    deletions: `made ${counted(count, 'deletion')}${boards} ${when}`,
    nights:
      `had ${counted(count, 'activity', 'activities')} at night (${hours} ` +
      `${source.timeZone})${boards} ${when}`,
    boards: `was at ${grouped(count)} boards ${when}`,
  }[test.kind]
  return `${detail?.name ?? test.person ?? ''} ${did}. ${before(unusual, test)}`
}

function before({ base }: Unusual, test: UnusualTest): string {
  const { own, account } = ratesOf(test)
  const { days } = test.own
  const read = base.days.length - base.unread.length
  const theirs =
    own === undefined
      ? 'this person was at no board'
      : `this person averaged ${rate(own)} a day, on ${counted(days, 'day')} at boards`
  return (
    `In the ${read} days before, ${theirs}; people of the account averaged ${rate(account)} a ` +
    'day each.'
  )
}

function timesOf(detail: TestDetail | undefined): string {
  if (detail === undefined || detail.first === null || detail.last === null) return ''
  const [from, to] = [detail.first.slice(11, 16), detail.last.slice(11, 16)]
  return from === to ? ` at ${from}` : ` from ${from} to ${to}`
}

function boardsOf({ boards, board_names: names }: TestDetail): string {
  const many = counted(boards, 'board')
  return names === null ? many : `${many} (${names})`
}

/** Formats a rate with its significant decimals: 0.03, 2.1, 14. */
function rate(mean: number): string {
  if (mean === 0) return '0'
  return mean < 0.1 ? mean.toFixed(2) : mean < 10 ? mean.toFixed(1) : grouped(Math.round(mean))
}
