import type { Estimate } from '../api/quota/estimate.ts'
import type { FilesPlan } from '../archive/plan-files.ts'
import type { ArchiveDeadlines } from '../archive/read-deadlines.ts'
import { utcMinutes } from '../core/time/time.ts'
import { count, counted, duration } from '../core/values/quantities.ts'
import type { Plan } from '../sync/plan-run.ts'
import { printDeadlines } from './frame/deadline-lines.ts'
import type { Output } from './frame/output.ts'
import { heading } from './frame/table.ts'

export interface AccountPlan extends Plan, Estimate {
  files: FilesPlan[]
  /** Undefined if the jobs fetch no archives. */
  archive: ArchiveDeadlines | undefined
  /** The share of each quota that is left to other apps. */
  reserve: number
  /** Texts that say which rows the account keeps, for each stream of which it keeps only a part. */
  parts: readonly string[]
  /** The instant at which the sync would start. */
  nowMs: number
}

/** Prints the calls of each stream and label, when the sync would end, and which parts are unknown. */
export function printPlan(output: Output, plan: AccountPlan): void {
  output.line(`Account ${plan.account}`)
  output.table([
    CALLS_HEADING,
    ...plan.streams.map(({ job, stream, slices, expectedCalls, atLeast, estimated, label }) => [
      job,
      stream,
      slices,
      expectedCalls,
      atLeast ? 'or more' : estimated ? 'about' : '',
      label,
    ]),
    ...plan.files.map(({ job, kind, parents, calls, estimated, label }) => [
      job,
      FILES[kind],
      estimated === true ? '' : parents,
      calls,
      estimated === true ? 'about' : '',
      label,
    ]),
  ])
  output.line()
  printLabels(output, plan)
  output.line(`\n${ending(plan)}`)
  for (const remark of remarksOn(plan)) output.line(remark)
  if (plan.archive !== undefined) {
    output.line()
    printDeadlines(output, plan.archive)
  }
}

export const CALLS_HEADING = heading(['job', 'table', 'slices', 'calls', '', 'label'], {
  least: { job: 12, table: 24, label: 10 },
  hide: ['slices'],
})

function printLabels(output: Output, { labels, reserve }: AccountPlan): void {
  output.table([
    [
      'label',
      'calls',
      { heading: 'calls/s', hide: 1 },
      'time',
      'spent today',
      { heading: 'usable limit', least: 9 },
    ],
    ...labels.map((label) => [
      label.label,
      label.calls,
      label.callsPerSecond === undefined ? 'to learn' : label.callsPerSecond.toFixed(2),
      label.seconds === undefined ? '' : duration(label.seconds * 1000),
      label.spentToday,
      label.dailyLimit ?? 'no known limit',
    ]),
  ])
  if (labels.length > 0 && reserve > 0)
    output.line(
      `Rates and daily limits leave ${Math.round(reserve * 100)} % of each quota to other apps of the ` +
        'account (accounts[].reserve).',
    )
}

/** Formats the calls and the end of the sync. Rounds estimated calls, so that they do not look exact. */
function ending(plan: AccountPlan): string {
  const { endsAtMs, days, labels, streams, files, nowMs } = plan
  if (labels.length === 0) return 'Nothing is due.'
  const due = streams.filter(({ slices }) => slices > 0)
  const name = due.length > 0 && due.every(({ first }) => first) ? 'First sync' : 'This sync'
  const isEstimate = [...streams, ...files].some(({ estimated }) => estimated === true)
  const isFloor = streams.some(({ atLeast }) => atLeast)
  const calls = labels.reduce((sum, label) => sum + label.calls, 0)
  const about = isFloor ? 'at least ' : isEstimate ? 'about ' : ''
  const said = `${name}: ${about}${count(isFloor || isEstimate ? rounded(calls) : calls)} calls`
  if (endsAtMs === undefined)
    return `${said}. Its duration is unknown until a rate limit is learned (setting quotas).`
  const spread = days > 1 ? ` It takes ${days} days, because the daily quota pauses it.` : ''
  const time = `${about}${duration(endsAtMs - nowMs)}`
  const at = `it would end at ${utcMinutes(endsAtMs)} UTC${isFloor ? ' at the earliest' : ''}`
  return `${said}, ${time}; ${at}.${spread}`
}

/** Rounds to two significant digits. */
function rounded(calls: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, calls))) - 1)
  return Math.round(calls / step) * step
}

function remarksOn({ streams, parts, files, asked, failure }: AccountPlan): string[] {
  const made = Object.entries(asked).filter(([, calls]) => calls > 0)
  const sum = made.reduce((total, [, calls]) => total + calls, 0)
  const each = made.map(([label, calls]) => `${label} ${count(calls)}`).join(', ')
  const unknown = streams.filter(({ atLeast }) => atLeast).map(({ stream }) => stream)
  const fewer = streams.filter(({ slices, expectedCalls: calls, first }) => first && calls < slices)
  return [
    ...(fewer.length === 0
      ? []
      : [
          `${fewer.map(({ stream }) => stream).join(', ')}: some records, such as expired ones or users ` +
            'who have not joined yet, have no details to request.',
        ]),
    ...(sum === 0
      ? []
      : [
          `The plan itself made ${counted(sum, 'call')} (${each}) for first pages of lists that were ` +
            'never read.',
        ]),
    ...(failure === undefined
      ? []
      : [`Could not request lists that were never read. ${failure.message}`]),
    ...(unknown.length === 0
      ? []
      : [`Unknown until they are read: the number of pages of ${unknown.join(', ')}.`]),
    ...(parts.length === 0
      ? []
      : [
          `Lists by parent are requested only for ${parts.join('; ')}. Before these are read, their number ` +
            'is an upper bound.',
        ]),
    ...(files.length === 0
      ? []
      : ['Files include known and expected ones. New list entries may add more.']),
  ]
}

const FILES: Readonly<Record<FilesPlan['kind'], string>> = {
  activity: 'files of activities',
  recording: 'files of recordings',
}
