import type { Window } from '../time/spans.ts'
import { DAY_MS, utcDay } from '../time/time.ts'
import type { LowStretch } from '../values/low-stretch.ts'
import { capitalize } from '../values/text.ts'

/** Describes the stretches by their actual and expected counts, or without counts if one is `countless`. */
export function lowText(low: readonly LowStretch[], names: string): string {
  const kind = low.every(({ notifications }) => notifications === true) ? 'notification' : 'record'
  const [came, expected] = [sumOf(low, 'came'), Math.max(1, Math.round(sumOf(low, 'expected')))]
  const first = utcDay(Math.min(...low.map(({ fromDay }) => fromDay)) * DAY_MS)
  const last = utcDay(Math.max(...low.map(({ toDay }) => toDay)) * DAY_MS)
  const countless = low.some((one) => one.countless === true)
  const what = came === 0 ? `no ${kind}` : came === 1 ? `only 1 ${kind}` : `only ${came} ${kind}s`
  const when = low.some(({ open }) => open) ? `since ${first}` : `from ${first} to ${last}`
  const did = kind === 'notification' ? 'arrived' : 'began'
  if (countless) return `far fewer ${kind}s of ${names} than usual ${did} ${when}`
  return `${what} of ${names} ${did} ${when}, where about ${expected} were expected`
}

export function lowSentence(low: readonly LowStretch[], names: string): string {
  return `${capitalize(lowText(low, names))}.`
}

/** The stretches that overlap a period (an open stretch has no end); without a period, the open stretches. */
export function lowWithin(
  low: readonly LowStretch[],
  period: Window | undefined,
): readonly LowStretch[] {
  return low.filter(({ fromDay, toDay, open }) => {
    if (period === undefined) return open
    return fromDay * DAY_MS < period.toMs && (open || (toDay + 1) * DAY_MS > period.fromMs)
  })
}

function sumOf(low: readonly LowStretch[], name: 'came' | 'expected'): number {
  return low.reduce((sum, one) => sum + one[name], 0)
}
