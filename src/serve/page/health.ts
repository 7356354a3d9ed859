import { html } from 'hono/html'
import type { Cause } from '../../core/define/cause.ts'
import type { RunState } from '../../warehouse/schema/types.ts'
import { type HealthLevel, levelOf } from '../health/causes.ts'
import { instantFrom } from './format.ts'
import { type Html, pill, type Tone } from './layout.ts'

/** Shows the health of an account in a few words. */
export function healthPill(causes: readonly Cause[]): Html {
  const [tone, text] = LEVELS[levelOf(causes)]
  return pill(tone, text)
}

/** Lists causes with their remedies, the red ones first. */
export function causeList(causes: readonly Cause[], nowMs: number): Html {
  const sorted = [...causes.filter(isRed), ...causes.filter((cause) => !isRed(cause))]
  return html`<ul class="causes">${sorted.map(
    (cause) => html`<li class="note ${isRed(cause) ? 'bad' : 'fair'}">
<p><strong>${isRed(cause) ? 'Red' : 'Amber'}:</strong> ${cause.sentence}</p>
<p>To do: ${cause.todo}</p>
<p class="since">Since ${instantFrom(cause.sinceMs, nowMs)}</p></li>`,
  )}</ul>
`
}

export function runPill(state: RunState): Html {
  return pill(RUN_TONES[state], state)
}

function isRed({ level }: Cause): boolean {
  return level === 'red'
}

const LEVELS: Readonly<Record<HealthLevel, readonly [Tone, string]>> = {
  green: ['good', 'well'],
  amber: ['fair', 'needs a look'],
  red: ['bad', 'needs you now'],
}

const RUN_TONES: Readonly<Record<RunState, Tone>> = {
  running: 'plain',
  complete: 'good',
  incomplete: 'bad',
  paused: 'fair',
  failed: 'bad',
  interrupted: 'fair',
}
