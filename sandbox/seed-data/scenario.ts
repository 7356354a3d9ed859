import { DAY_MS } from '../../src/core/time/time.ts'
import { hash } from '../base/random.ts'
import { addMonths } from '../base/wire-time.ts'
import type { Quality } from './state.ts'
import { BAD_AUDIO_TEAM } from './words.ts'

export interface ScenarioSpan {
  fromMs: number
  toMs: number
}

/** Returns the second full week, Monday to Sunday, of the last full month, when one team's audio was bad. */
export function badAudioWeek(originMs: number): ScenarioSpan {
  const thisMonth = Date.parse(`${new Date(originMs).toISOString().slice(0, 7)}-01`)
  const firstDay = addMonths(thisMonth, -1)
  const weekday = (new Date(firstDay).getUTCDay() + 6) % 7
  const fromMs = firstDay + (((7 - weekday) % 7) + 7) * DAY_MS
  return { fromMs, toMs: fromMs + 7 * DAY_MS }
}

/** Returns the start of worse screen sharing: the 17th, three months before the origin's month. */
export function worseScreensFromMs(originMs: number): number {
  const thisMonth = Date.parse(`${new Date(originMs).toISOString().slice(0, 7)}-01`)
  return addMonths(thisMonth, -3) + 16 * DAY_MS
}

/** The properties that decide a session's ratings. */
export interface Circumstances {
  kind: 'audio' | 'video' | 'screen_share'
  originMs: number
  startMs: number
  team: string
  byPhone: boolean
  people: number
}

/** Draws a rating: mostly good, except in the scenario. */
export function drawQuality(h: number, session: Circumstances): Quality {
  const share = (hash(h, 0x9a, 0) % 1000) / 1000
  const place = stepsOf(session).findIndex((step) => share < step)
  return (['good', 'fair', 'poor', 'bad'] as const)[place < 0 ? 3 : place] ?? 'good'
}

/**
 * Returns the cumulative shares of good, fair and poor ratings; the rest is bad. The scenario lowers them for
 * audio by telephone and of one team in its bad week, for video on Monday mornings and in large sessions, and
 * for screen sharing from a day on.
 */
function stepsOf({ kind, originMs, startMs, team, byPhone, people }: Circumstances): number[] {
  const week = badAudioWeek(originMs)
  const inWeek = startMs >= week.fromMs && startMs < week.toMs
  if (kind === 'audio' && inWeek && team === BAD_AUDIO_TEAM) return [0.05, 0.15, 0.45]
  if (kind === 'audio' && byPhone) return [0.7, 0.87, 0.955]
  if (kind === 'video' && isMondayMorning(startMs)) return [0.5, 0.7, 0.86]
  if (kind === 'video' && people > 25) return [0.6, 0.8, 0.92]
  if (kind === 'screen_share' && startMs >= worseScreensFromMs(originMs)) return [0.7, 0.86, 0.955]
  return [0.79, 0.93, 0.985]
}

function isMondayMorning(startMs: number): boolean {
  const start = new Date(startMs)
  return start.getUTCDay() === 1 && [8, 9].includes(start.getUTCHours())
}
