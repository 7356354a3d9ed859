import { DAY_MS } from '../../src/core/time/time.ts'
import type { SandboxCall } from '../protocol/call.ts'
import { badParameter } from '../protocol/refusal.ts'
import { type Asked, dayWindow } from '../protocol/windows.ts'

/** The span in which a report's sessions start, and the bounds in the response. */
export interface SessionWindow {
  bounds: { from: string; to: string }
  fromMs: number
  untilMs: number
}

/** Returns a window of whole days, including the first and the last, unless a reading differs. */
export function sessionWindow(
  call: SandboxCall,
  settled: SessionWindow['bounds'] | undefined,
): SessionWindow {
  const asked = cutAtMonth(call, dayWindow(call, settled, true))
  const { from, to, fromMs, toMs } = asked
  const whole = { bounds: { from, to }, fromMs, untilMs: toMs + DAY_MS }
  const isToday = whole.untilMs > call.nowMs
  const withoutLast = isToday ? whole.untilMs : toMs
  switch (call.readings.sessionWindows) {
    case 'month-of-from':
      return { ...whole, untilMs: Math.min(whole.untilMs, nextMonth(fromMs)) }
    case 'half-open':
    case 'month-half-open':
    case 'refused-half-open':
      return { ...whole, untilMs: withoutLast }
    case 'exclusive':
      return { ...whole, fromMs: fromMs + DAY_MS, untilMs: withoutLast }
    case 'cut-exclusive':
      return {
        ...whole,
        fromMs: fromMs + DAY_MS,
        untilMs: Math.min(withoutLast, nextMonth(fromMs)),
      }
    case 'another-zone':
      return { ...whole, fromMs: fromMs + ZONE_MS, untilMs: whole.untilMs + ZONE_MS }
    case 'ignored':
      return { ...whole, fromMs: call.nowMs - 30 * DAY_MS, untilMs: call.nowMs }
    default:
      return whole
  }
}

function cutAtMonth({ readings }: SandboxCall, asked: Asked): Asked {
  const end = nextMonth(asked.fromMs)
  const way = readings.sessionWindows
  if (asked.toMs < end || (way === 'month-half-open' && asked.toMs === end)) return asked
  if (way === 'month-refused' || way === 'month-half-open' || way === 'refused-half-open')
    throw badParameter('to', 'must lie in the month of from')
  if (way !== 'month-narrowed') return asked
  const toMs = end - DAY_MS
  return { ...asked, toMs, to: new Date(toMs).toISOString().slice(0, 10) }
}

function nextMonth(epochMs: number): number {
  const date = new Date(epochMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

const ZONE_MS = 8 * 3_600_000
