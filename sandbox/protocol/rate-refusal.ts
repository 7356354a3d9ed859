import type { RateLabel } from '../../src/core/define/operation.ts'
import { hash } from '../base/random.ts'
import { isoSecond } from '../base/wire-time.ts'
import type { LabelQuota } from '../seed-data/options.ts'
import type { LimiterVerdict } from './limiter.ts'
import { SandboxRefusal } from './refusal.ts'

/** Makes a 429 as the service sends it. Each header may be missing, and some describe another quota. */
export function rateRefusal(facts: {
  verdict: Exclude<LimiterVerdict, 'taken'>
  label: RateLabel
  quota: LabelQuota
  left: number | undefined
  nowMs: number
  draw: number
}): SandboxRefusal {
  const { verdict, label, quota, left, nowMs, draw } = facts
  const daily = verdict === 'daily'
  const body = {
    code: 429,
    message: `You have reached the maximum ${verdict} rate limit for this API. ${
      daily ? 'Try again after the reset.' : 'Try again later.'
    }`,
  }
  const headers: Record<string, string> = {}
  const put = (bit: number, name: string, value: string): void => {
    if ((hash(draw, bit, 0) & 7) !== 0) headers[name] = value
  }
  const other = hash(draw, 9, 0) % 10 === 0
  put(1, 'X-RateLimit-Category', label)
  put(2, 'X-RateLimit-Type', daily === other ? 'QPS' : 'Daily-limit')
  put(3, 'X-RateLimit-Limit', String(daily ? quota.perDay : (quota.perSecond ?? quota.perMinute)))
  put(4, 'X-RateLimit-Remaining', String(daily === other ? (left ?? 0) : 0))
  if (daily && draw % 4 !== 3) headers['Retry-After'] = untilMidnight(nowMs, draw % 4)
  return new SandboxRefusal(429, body, headers)
}

function untilMidnight(nowMs: number, form: number): string {
  const resetMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS
  if (form === 0) return String(Math.ceil((resetMs - nowMs) / 1000))
  return form === 1 ? new Date(resetMs).toUTCString() : isoSecond(resetMs)
}

const DAY_MS = 86_400_000
