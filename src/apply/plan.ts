import { type Desired, type Placed, type PlanItem, refusedItem } from '../core/define/desired.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import { liveAccount } from './account-rows.ts'

/** What is wanted of one kind of thing, as a file says it. */
export interface Wanted<Entry = unknown> {
  desired: Desired<Entry>
  entries: readonly Placed<Entry>[]
}

/** One kind's part of a plan. */
export interface KindPlan {
  desired: Pick<Desired<unknown>, 'name' | 'title' | 'writes'>
  items: readonly PlanItem[]
}

/** What is to be done so that the account is as it is wanted, by the tables as they are now. */
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

/** Whether anything would be sent. */
export function isToDo({ action }: PlanItem): boolean {
  return action === 'add' || action === 'change' || action === 'remove'
}

function namesMade({ sends }: PlanItem): string[] {
  return sends.flatMap(({ makes }) => (makes === undefined ? [] : [makes.name]))
}

/** What is wanted twice counts once; what is wanted in two ways is refused in both places. */
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
