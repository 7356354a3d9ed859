import { type Desired, type Placed, type PlanItem, refusedItem } from '../core/define/desired.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import { liveAccount } from './account-rows.ts'

/** The desired state of one kind of thing, from a file. */
export interface Wanted<Entry = unknown> {
  desired: Desired<Entry>
  entries: readonly Placed<Entry>[]
}

/** The part of a plan that concerns one kind of thing. */
export interface KindPlan {
  desired: Pick<Desired<unknown>, 'name' | 'title' | 'writes'>
  items: readonly PlanItem[]
}

/** Plans the changes that bring the account to the desired state, based on the current tables. */
export async function planWanted(
  deps: EngineDeps,
  account: string,
  wanted: readonly Wanted[],
): Promise<KindPlan[]> {
  const live = liveAccount(deps, account)
  const plans: KindPlan[] = []
  for (const { desired, entries } of wanted)
    plans.push({ desired, items: onceEach(await desired.plan(entries, live)) })
  const made = new Set(plans.flatMap(({ items }) => items.flatMap(namesMade)))
  return plans.map(({ desired, items }) => ({
    desired,
    items: items.map((item) =>
      item.needs === undefined || made.has(item.needs)
        ? item
        : refusedItem(item, `there is no ${item.needs}`),
    ),
  }))
}

/** Whether the item requires a call. */
export function isToDo({ action }: PlanItem): boolean {
  return action === 'add' || action === 'change' || action === 'remove'
}

function namesMade({ sends }: PlanItem): string[] {
  return sends.flatMap(({ makes }) => (makes === undefined ? [] : [makes.name]))
}

/** Merges identical wishes for one thing. Refuses contradictory wishes, naming all their places. */
function onceEach(items: readonly PlanItem[]): PlanItem[] {
  return [...Map.groupBy(items, ({ key }) => key).values()].flatMap((same) => {
    const [first, ...more] = same
    if (first === undefined || more.length === 0) return same
    const says = ({ action, details, why }: PlanItem) => JSON.stringify([action, details, why])
    if (more.every((item) => says(item) === says(first))) return [first]
    const places = same.map(({ place }) => place).join(' and ')
    return [refusedItem(first, `it is wanted in more than one way: ${places}`)]
  })
}
