import { expect } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { holdAccount } from '../../src/apply/hold-account.ts'
import { makeRecordedCall } from '../../src/apply/make-recorded-call.ts'
import { isToDo, type KindPlan, planWanted, type Wanted } from '../../src/apply/plan.ts'
import { readAccount } from '../../src/apply/read-account.ts'
import { type SentPlan, sendPlan } from '../../src/apply/send.ts'
import { type SettledItem, settle } from '../../src/apply/settle.ts'
import type { Desired, PlanItem } from '../../src/core/define/desired.ts'
import type { Operation } from '../../src/core/define/operation.ts'
import type { World } from '../helpers/world.ts'

/** The result of an apply. */
export interface Applied {
  plans: KindPlan[]
  sending: SentPlan
  settled: SettledItem[]
  after: KindPlan[]
}

export interface ApplyBench {
  /** Reads the account, and makes the plans. */
  plan(...wishes: Wanted[]): Promise<KindPlan[]>
  /** Also sends the plans and reads the account back; runs `meanwhile` between planning and sending. */
  apply(wishes: Wanted[], meanwhile?: () => Promise<unknown>): Promise<Applied>
  /** Makes a recorded call outside a plan. */
  call(operation: Operation, path: Record<string, string>, body?: object): Promise<unknown>
}

export function applyBench(world: World): ApplyBench {
  const account = 'account-0'
  const { signal } = new AbortController()
  const askedBy = () => 'test@here'
  const { deps } = world.account
  const plan = async (...wishes: Wanted[]): Promise<KindPlan[]> => {
    await readAccount(deps, { account, jobs, wanted: wishes, signal })
    const plans = await planWanted(deps, account, wishes)
    expectDeclared(plans)
    return plans
  }
  return {
    plan,
    async apply(wishes, meanwhile) {
      const plans = await plan(...wishes)
      await meanwhile?.()
      return await holdAccount(deps, { account, signal }, async (hold) => {
        const sending = await sendPlan(deps, { account, plans, askedBy, hold })
        const taken = plans.flatMap(({ items }) => items.filter(isToDo)).length
        await readAccount(deps, { account, jobs, wanted: wishes, taken, ...hold })
        const after = await planWanted(deps, account, wishes)
        return { plans, sending, settled: settle(plans, sending, after), after }
      })
    },
    call: (operation, path, body) =>
      makeRecordedCall(deps, { account, operation, args: { path }, body, askedBy, signal }),
  }
}

/** The wishes for one kind, as read from a file. */
export function wanted<Entry>(desired: Desired<Entry>, ...entries: NoInfer<Entry>[]): Wanted {
  const placed = entries.map((entry, index) => ({ place: `entry ${index}`, entry }))
  return { desired, entries: placed }
}

/** The items of all plans as short texts. */
export function brief(plans: readonly KindPlan[]): string[] {
  return plans.flatMap(({ items }) => items.map(inBrief))
}

function inBrief({ action, details, why }: PlanItem): string {
  return [action, details, why].filter((text) => text !== undefined).join(': ')
}

/** The settled items' states, with their reasons. */
export function states(settled: readonly SettledItem[]): string[] {
  return settled.map(({ state, reason }) => (reason === undefined ? state : `${state}: ${reason}`))
}

/** Expects each kind to send only the operations that it declares. */
function expectDeclared(plans: readonly KindPlan[]): void {
  for (const { desired: kind, items } of plans)
    for (const { operation } of items.flatMap(({ sends }) => sends))
      expect(kind.writes).toContain(operation)
}
