import type { PlanItem } from '../core/define/desired.ts'
import { isToDo, type KindPlan } from './plan.ts'
import type { SentPlan } from './send.ts'
import type { Sent } from './sent.ts'

/**
 * The final state of an item. `done`: the read-back shows the desired state, or the item waits for a person.
 * `not_seen`: the service accepted it but does not show it. `sent`: accepted, without a read-back.
 */
export interface SettledItem {
  item: PlanItem
  state: 'done' | 'not_seen' | Sent['state']
  reason?: string
}

/**
 * Compares the sent items with a second plan, made from a later read. An item that the second plan neither
 * sends nor refuses is done. Without a second plan, the responses decide.
 */
export function settle(
  plans: readonly KindPlan[],
  { outcomes }: Pick<SentPlan, 'outcomes'>,
  after: readonly KindPlan[] | undefined,
): SettledItem[] {
  return plans.flatMap(({ desired, items }, at) => {
    const still = stillToDo(after?.[at])
    return items.filter(isToDo).map((item): SettledItem => {
      const { state, reason } = outcomes.get(item) ?? { state: 'not_sent' }
      const told = reason === undefined ? {} : { reason }
      if (still === undefined) return { item, state, ...told }
      if (!still.has(item.key)) return { item, state: 'done' }
      if (state !== 'sent') return { item, state, ...told }
      const why = `the service took it, and ${desired.title.toLowerCase()} do not show it`
      return { item, state: 'not_seen', reason: why }
    })
  })
}

function stillToDo(after: KindPlan | undefined): Set<string> | undefined {
  const open = after?.items.filter((item) => isToDo(item) || item.action === 'refused')
  return open && new Set(open.map(({ key }) => key))
}
