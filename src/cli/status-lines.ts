import type { ArchiveStatus } from '../account/archive-deadlines.ts'
import type { Cause } from '../core/define/cause.ts'
import type { Words } from '../core/define/own-words.ts'
import { EVENTS } from '../core/notifications/events.ts'
import { utcMinutes } from '../core/time/time.ts'
import { bytesText, count, duration } from '../core/values/quantities.ts'
import { levelOf } from '../serve/health/causes.ts'
import type { AccountStatus } from '../serve/health/read-status.ts'
import type { NotificationStatus } from '../serve/notifications/notification-status.ts'
import { absentText, takenText } from '../sync/absent-lists.ts'
import { asCalled, calledAs } from './frame/called-as.ts'
import { deadlinesJson, printDeadlines } from './frame/deadline-lines.ts'
import { type Output } from './frame/output.ts'
import { pendingText } from './frame/run-summary.ts'

/** Prints each cause with its start and remedy; without causes, the line `well`. */
export function printHealth(output: Output, causes: readonly Cause[], well: string): void {
  if (causes.length === 0) output.line(well)
  for (const { level, code, sentence, todo, sinceMs } of causes) {
    output.line(`${level.toUpperCase()} ${code}: ${sentence} Since ${utcMinutes(sinceMs)} UTC.`)
    output.line(`  ${asCalled(todo)}`)
  }
}

export function healthJson(causes: readonly Cause[]): object {
  return {
    level: levelOf(causes),
    causes: causes.map(({ account = null, sinceMs, ...cause }) => ({
      ...cause,
      account,
      since: new Date(sinceMs).toISOString(),
    })),
  }
}

export function printArchive(output: Output, { deadlines, files, incidents }: ArchiveStatus): void {
  if (files.length > 0) {
    output.line()
    output.table([
      ['files of', 'state', 'files', 'bytes'],
      ...files.map((one) => [
        one.kind === 'activity' ? 'activities' : 'recordings',
        one.state,
        one.files,
        one.bytes === 0 ? '' : bytesText(one.bytes),
      ]),
    ])
    if (files.some(({ state }) => state === 'pending')) output.line(pendingText())
  }
  if (deadlines !== undefined) {
    output.line()
    printDeadlines(output, deadlines)
  }
  for (const { kind, incidents: many, latest } of incidents) {
    const last = latest.map(({ subject, at }) => `${subject} (${at.slice(0, 10)})`).join(', ')
    const more = many > latest.length ? ', ...' : ''
    output.line(
      `Incidents of the last 7 days, ${kind.replaceAll('_', ' ')}: ${count(many)}: ${last}${more}`,
    )
  }
}

export function archiveJson({ deadlines, ...archive }: ArchiveStatus): object {
  return { deadlines: deadlines === undefined ? null : deadlinesJson(deadlines), ...archive }
}

/** Prints remarks on the streams' last reads that are no cause, such as records out of range. */
export function printStreams(output: Output, status: AccountStatus): void {
  const streams = status.jobs.flatMap((job) => job.streams)
  const parts = new Set(streams.flatMap(({ part }) => part ?? []))
  for (const part of parts) output.line(`Only a part of the account is kept: ${part}`)
  for (const { stream, outside, part } of streams) {
    const of = part === undefined ? 'the requested ranges' : 'this part, and not stored'
    if (outside > 0)
      output.line(`${stream}: ${count(outside)} records of the last reads are outside ${of}`)
  }
  for (const { stream, absent } of streams)
    if (absent.lists > 0) output.line(`${stream}: ${absentText(absent.lists, absent.of)}`)
  for (const { stream, taken } of streams)
    if (taken.lists > 0) output.line(`${stream}: ${takenText(taken.lists, taken.of)}`)
}

/** Prints received notifications and pending erasures; nothing if there are none. */
export function printNotifications(
  output: Output,
  { stored, odd, unknown, lastAt, erasures }: NotificationStatus,
  { nowMs, words }: { nowMs: number; words: Words | undefined },
): void {
  if (stored > 0) {
    const remarks = odd.map(({ state, count: few }) => `${count(few)} ${WORDS[state] ?? state}`)
    const last = `the last ${since(lastAt, nowMs)} ago`
    output.line(`\nNotifications of 30 days: ${[count(stored), last, ...remarks].join(', ')}`)
  }
  // Notifications stored before their words were mapped contain the original words.
  const unnamed = unknown.filter((event) => !EVENTS.has(words?.neutral(event) ?? event))
  if (unnamed.length > 0)
    output.line(
      `Unknown events: ${unnamed.slice(0, 3).join(', ')}. ` +
        "Map the service's own words in accounts[].words.",
    )
  if (erasures.waiting === 0) return
  const people = erasures.waiting === 1 ? '1 person' : `${count(erasures.waiting)} people`
  output.line(
    `${people} must be erased, the first by ${erasures.firstDueAt ?? ''}. Preview: ` +
      `${calledAs('callsheet')} erase --due --dry-run`,
  )
}

function since(instant: string | undefined, nowMs: number): string {
  return duration(Math.max(0, nowMs - Date.parse(instant ?? '')))
}

/** The words for a healthy account. A job that was not complete is a cause only if it keeps failing. */
export function wellText(jobs: AccountStatus['jobs']): string {
  const failed = jobs.flatMap(({ job, lastRun }) =>
    lastRun === undefined || GOOD.has(lastRun.state) ? [] : [job],
  )
  return failed.length === 0 ? `Healthy. ${CHECKED}` : notYetText(failed)
}

function notYetText(failed: readonly string[]): string {
  const runs = failed.length === 1 ? 'run' : 'runs'
  const were = failed.length === 1 ? 'was' : 'were'
  return (
    `No alert yet: the last ${runs} of ${failed.join(', ')} ${were} not complete. The next run tries ` +
    'again, and a job that keeps failing becomes an alert.'
  )
}

const GOOD: ReadonlySet<string> = new Set(['complete', 'running'])

/** Does not say "healthy", because an account can be unhealthy while the installation is not. */
export const INSTALLATION_WELL = 'Disk space: ok.'

const CHECKED =
  'Checked: jobs, reports, tasks, deletion guard, login and permissions, expiring files, erasures, ' +
  'evidence, daily quota, data volume and notifications.'

const WORDS: Readonly<Record<string, string>> = {
  ahead: 'with a time in the future',
  unknown: 'of unknown kinds',
  foreign: 'of other accounts or apps',
  unparsed: 'that could not be read',
}
