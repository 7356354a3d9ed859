/**
 * How many calls are answered 429 for each limit that is found. It is told by what happens and not by how the
 * service counts: many calls a second have some on their way when the first is refused, and a service that
 * counts by fixed windows refuses all of them, while a sliding one lets the next through. A limit that was
 * taken for higher than it is costs another one soon.
 */
export interface RefusalCost {
  limits: number
  calls: number
}

/** What a few limits have shown elsewhere; it soon gives way to what they show here. */
export const USUAL_COST: RefusalCost = { limits: 3, calls: 3.75 }

/** Older limits count less. `again`: the limit that was found just before is corrected. */
export function addRefusal({ limits, calls }: RefusalCost, again: boolean): RefusalCost {
  if (again) return { limits, calls: calls + 1 }
  return { limits: limits * KEEP + 1, calls: calls * KEEP + 1 }
}

/** Another call of the same refusal. */
export function addCall({ limits, calls }: RefusalCost): RefusalCost {
  return { limits, calls: calls + 1 }
}

/**
 * How far below a limit to stay, as a share of it: the dearer a refusal, the further. This and what follows
 * are set by what `npm run bench -- quota` prints for all of its limiters and rates.
 */
export function marginOf(cost: RefusalCost): number {
  const dear = Math.max(0, callsEach(cost) - CHEAP)
  return Math.min(MOST_MARGIN, LEAST_MARGIN + dear * MARGIN_A_CALL)
}

/** The factor by which a look is put off: 1 where a limit costs one call. */
export function putOff(cost: RefusalCost): number {
  return callsEach(cost) ** 1.75
}

/** The factor of a step upwards by this share, which is made smaller where going too far is dear. */
export function stepUp(growth: number, cost: RefusalCost): number {
  return 1 + growth / callsEach(cost) ** 1.5
}

/** Within a bound: what refuses far more has other reasons, and must not put off looks for hours. */
function callsEach({ limits, calls }: RefusalCost): number {
  return Math.min(MOST_CALLS, calls / limits)
}

const KEEP = 0.93
const MOST_CALLS = 4
const CHEAP = 1.2
const LEAST_MARGIN = 0.01
const MOST_MARGIN = 0.055
const MARGIN_A_CALL = 0.055
