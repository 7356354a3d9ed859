import type { Horizon, LostSession } from '../../archive/deadlines.ts'
import type { ArchiveDeadlines } from '../../archive/read-deadlines.ts'
import { utcMinutes } from '../../core/time/time.ts'
import { count, counted } from '../../core/values/quantities.ts'
import type { Output } from './output.ts'
import { heading, type TableRow } from './table.ts'

/** Prints how many archives expire, whether the quota suffices, and the first sessions that lose some. */
export function printDeadlines(output: Output, deadlines: ArchiveDeadlines): void {
  for (const line of deadlineLines(deadlines)) output.line(line)
  if (deadlines.lost.length === 0) return
  const shown = deadlines.lost.slice(0, SHOWN)
  output.table([LOST_HEADING, ...shown.map(lostRow)])
  if (deadlines.lost.length > shown.length)
    output.line(`... ${count(deadlines.lost.length - shown.length)} more sessions (--json)`)
}

export function deadlineLines(deadlines: ArchiveDeadlines): string[] {
  return [...overdueLines(deadlines.overdue), ...forecastLines(deadlines)]
}

/** Reports overdue archives and sessions, which the forecast excludes. */
function overdueLines({ archives: late, sessions }: ArchiveDeadlines['overdue']): string[] {
  const lines: string[] = []
  if (late > 0)
    lines.push(
      `${counted(late, 'archive was', 'archives were')} not downloaded before the last ` +
        'day ended: lost, unless the service has extended it.',
    )
  if (sessions > 0)
    lines.push(
      `${counted(sessions, 'session')} expired before their activities ` +
        'were listed: their archives are lost.',
    )
  return lines.map((line) => `${line} The next sync records each as an incident.`)
}

function forecastLines({ horizons, suffices, lost, label, unread }: ArchiveDeadlines): string[] {
  const [day, week] = horizons
  if (day === undefined || week === undefined) return []
  const unknown =
    unread === 0
      ? []
      : [
          `${count(unread)} sessions that expire within 7 days were not listed yet; they may have more.`,
        ]
  if (week.archives === 0) return ['No known archive expires within 7 days.', ...unknown]
  const head =
    `${counted(day.archives, 'archive expires', 'archives expire')} within 24 hours, ` +
    `${count(week.archives)} within 7 days; ` +
    `downloading them takes ${count(week.calls)} ${label} calls`
  if (suffices === undefined)
    return [
      `${head}.`,
      'Whether the quota suffices is unknown until its rate limit is learned (setting quotas).',
      ...unknown,
    ]
  if (suffices) return [`${head}, for which the quota suffices.`, ...unknown]
  return [`${head}.`, ...unknown, ...shortfall(day, week, lost)]
}

/** Lists the first lost sessions for `--json`, and counts all. */
export function deadlinesJson({ lost, scarceUntilMs, ...deadlines }: ArchiveDeadlines): object {
  const sessions = lost.slice(0, LISTED).map(({ expiresAtMs, ...one }) => ({
    ...one,
    expiresAt: new Date(expiresAtMs).toISOString(),
  }))
  return {
    ...deadlines,
    horizons: deadlines.horizons.map(({ allowed, ...one }) => ({
      ...one,
      allowed: allowed !== undefined && Number.isFinite(allowed) ? allowed : null,
    })),
    suffices: deadlines.suffices ?? null,
    scarceUntil: scarceUntilMs === undefined ? null : new Date(scarceUntilMs).toISOString(),
    lostSessions: lost.length,
    lost: sessions,
  }
}

function shortfall(day: Horizon, week: Horizon, lost: readonly LostSession[]): string[] {
  const soon = day.lost === 0 ? '' : `, ${count(day.lost)} of them within 24 hours`
  return [
    'The quota does not suffice: it allows ' +
      `${count(day.allowed ?? 0)} within 24 hours, ${count(week.allowed ?? 0)} within 7 days.`,
    `${count(week.archives - week.lost)} archives can be fetched in time. ` +
      `${count(week.lost)} of ${counted(lost.length, 'session')} will be lost${soon}, first of them:`,
  ]
}

function lostRow({ session, whiteboard, archives: all, lost, expiresAtMs }: LostSession): TableRow {
  const expires = utcMinutes(expiresAtMs)
  return [session, whiteboard ?? '', all, lost, expires]
}

const LOST_HEADING = heading(['session', 'board', 'archives', 'lost', 'expires (UTC)'], {
  least: { board: 16 },
})
const SHOWN = 5
const LISTED = 1_000
