import { DAY_MS } from '../../core/time/time.ts'
import type { HealthFacts } from './facts.ts'
import type { FoundCause } from './order.ts'

/** Drops that the deletion guard held back and nobody has approved. */
export function judgeDrops({ drops }: HealthFacts): FoundCause[] {
  return drops.map(({ stream, runId, missing, owned, sinceMs }) => ({
    code: 'drop_waiting',
    subject: stream,
    level: 'red',
    sentence: `${stream}: run ${runId} missed ${missing} of ${owned} rows and marked none as deleted.`,
    todo: `Look at the service; if the rows are gone there: callsheet sync --approve ${runId}`,
    sinceMs,
  }))
}

/** The login of an app that a person must allow. */
export function judgeLogin(facts: HealthFacts, nowMs: number): FoundCause[] {
  const { login, account } = facts
  if (login === undefined) return []
  const { state, endsMs } = login
  const cause = {
    code: 'login_ended',
    subject: 'login',
    todo: `callsheet login --account ${account}`,
  } as const
  if (state === 'missing')
    return [
      {
        ...cause,
        level: 'red',
        sentence: 'Nobody has logged in.',
        sinceMs: facts.firstMs ?? nowMs,
      },
    ]
  const over = endsMs !== undefined && endsMs <= nowMs
  if (state === 'ended' || over) {
    const sinceMs = over ? endsMs : lastWorked(facts, nowMs)
    return [{ ...cause, level: 'red', sentence: 'The login has ended.', sinceMs }]
  }
  if (endsMs === undefined || endsMs - nowMs > LOGIN_NOTICE_MS) return []
  const day = new Date(endsMs).toISOString().slice(0, 10)
  return [
    {
      ...cause,
      level: 'amber',
      sentence: `The login ends on ${day}, unless it is renewed before.`,
      sinceMs: endsMs - LOGIN_NOTICE_MS,
    },
  ]
}

/** No ledger dates the refusal of a renewal; the login was good when a job was last done with it. */
function lastWorked({ jobs, firstMs }: HealthFacts, nowMs: number): number {
  const done = jobs.flatMap(({ lastDoneMs }) => lastDoneMs ?? [])
  return done.length > 0 ? Math.max(...done) : (firstMs ?? nowMs)
}

/** What the account may not read: red where it could before. */
export function judgeRefused({ refused }: HealthFacts): FoundCause[] {
  return refused.map(({ stream, wasRead, sinceMs }) => ({
    code: 'not_allowed',
    subject: stream,
    level: wasRead ? 'red' : 'amber',
    sentence: wasRead
      ? `${stream} was read before, and is not allowed any more.`
      : `${stream} is not allowed, and was never read.`,
    todo: 'callsheet status names the scope or feature: add it, then callsheet logout.',
    sinceMs,
  }))
}

/** Daily quotas that end before today's work does. */
export function judgeQuotas({ quotas }: HealthFacts, nowMs: number): FoundCause[] {
  return quotas
    .filter(({ needed, left }) => needed > left)
    .map(({ pool, needed, left }) => ({
      code: 'quota_short',
      subject: pool,
      level: 'amber',
      sentence: `Today's work needs ${needed} calls of ${pool}, and ${left} are left of the daily quota.`,
      todo: 'The runs go on after 00:00 UTC; callsheet plan shows what needs the calls.',
      sinceMs: nowMs,
    }))
}

/** An account that is told things, and heard nothing for as long as the settings allow. */
export function judgeSilence(
  { notifications, settings: { silentDays }, firstMs }: HealthFacts,
  nowMs: number,
): FoundCause[] {
  if (notifications === undefined || silentDays === null) return []
  const { lastMs } = notifications
  const sinceMs = lastMs ?? firstMs
  if (sinceMs === undefined || nowMs - sinceMs <= silentDays * DAY_MS) return []
  return [
    {
      code: 'notifications_silent',
      subject: 'notifications',
      level: 'amber',
      sentence: `No notification came in ${silentDays} days.`,
      todo: 'Look whether callsheet serve runs, and whether the service has its address.',
      sinceMs,
    },
  ]
}

const LOGIN_NOTICE_MS = 7 * DAY_MS
