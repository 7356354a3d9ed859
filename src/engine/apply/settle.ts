import type { PlanItem } from '../../core/desired.ts'
import { isToDo, type KindPlan } from './plan.ts'
import type { Sending, Sent } from './send.ts'

/**
 * What an item came to, by what was read back. `done`: it is as wanted, or waits for a person.
 * `not_seen`: the service took it, and does not show it.
 */
export interface Settled {
  item: PlanItem
  state: 'done' | 'not_seen' | Exclude<Sent['state'], 'sent'>
  reason?: string
}

/** Compares what was sent with a second plan, made from what was read after: done is what is not in it. */
export function settle(
  plans: readonly KindPlan[],
  { outcomes }: Pick<Sending, 'outcomes'>,
  after: readonly KindPlan[],
): Settled[] {
  return plans.flatMap(({ desired, items }, at) => {
    const still = new Set(
      (after[at]?.items ?? [])
        .filter((item) => isToDo(item) || item.action === 'refused')
        .map(({ key }) => key),
    )
    return items.filter(isToDo).map((item): Settled => {
      const { state, reason } = outcomes.get(item) ?? { state: 'not_sent' }
      if (!still.has(item.key)) return { item, state: 'done' }
      const told = reason === undefined ? {} : { reason }
      if (state !== 'sent') return { item, state, ...told }
      const why = `the service took it, and ${desired.title.toLowerCase()} do not show it`
      return { item, state: 'not_seen', reason: why }
    })
  })
}
