import { DAY_MS } from '../../core/time/time.ts'
import { hash } from '../base/random.ts'
import { addMonths } from '../base/wire-time.ts'
import type { Quality } from './state.ts'
import { BAD_AUDIO_TEAM } from './words.ts'

export interface Span {
  fromMs: number
  toMs: number
}

/** The second full week, Monday to Sunday, of the last full month: when one team's audio was bad. */
export function badAudioWeek(originMs: number): Span {
  const thisMonth = Date.parse(`${new Date(originMs).toISOString().slice(0, 7)}-01`)
  const firstDay = addMonths(thisMonth, -1)
  const weekday = (new Date(firstDay).getUTCDay() + 6) % 7
  const fromMs = firstDay + (((7 - weekday) % 7) + 7) * DAY_MS
  return { fromMs, toMs: fromMs + 7 * DAY_MS }
}

/** How a session was heard or seen: mostly good, but for the team and the week of the scenario. */
export function drawQuality(h: number, team: string, inWeek: boolean): Quality {
  const share = (hash(h, 0x9a, 0) % 1000) / 1000
  const steps = inWeek && team === BAD_AUDIO_TEAM ? [0.05, 0.15, 0.45] : [0.79, 0.93, 0.985]
  const place = steps.findIndex((step) => share < step)
  return (['good', 'fair', 'poor', 'bad'] as const)[place < 0 ? 3 : place] ?? 'good'
}
