import { hash, pick } from '../base/random.ts'
import { HOUR_MS } from '../base/wire-time.ts'
import type { Op } from '../protocol/apply-ops.ts'
import type { Day } from '../seed-data/draw-rows.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { ORDER_STATES } from './number-settings.ts'

/**
 * Plans one day of changes: edits a policy and its numbers, sets an order's status and adds an order, renames
 * a group, and adds a trunk. Every third seed also removes a trunk.
 */
export function planNumberSettings(seedData: SeedData, day: Day): Op[] {
  const { seed, nowMs } = day
  const word = (n: number): number => hash(seed, 171, n)
  const one = (
    kind: 'consents' | 'orders' | 'groups' | 'trunks',
    n: number,
  ): number | undefined => {
    const index = word(n) % seedData.sizes[kind]
    return seedData.state[kind].gone.has(index) ? undefined : index
  }
  const modifiedMs = Math.floor((nowMs - HOUR_MS) / 1000) * 1000
  const consent = one('consents', 1)
  const order = one('orders', 2)
  const group = one('groups', 3)
  const trunk = one('trunks', 4)
  const name = `Renamed ${String(seed)}`
  const numbers = word(5) % 60
  return [
    ...opOf(consent, (index) => ({
      kind: 'consents',
      action: 'change',
      index,
      patch: { numbers, description: `Reworded ${String(seed)}`, modifiedMs },
    })),
    ...opOf(order, (index) => {
      const status = pick(ORDER_STATES, word(6))
      return { kind: 'orders', action: 'change', index, patch: { status } }
    }),
    { kind: 'orders', action: 'add' },
    ...opOf(group, (index) => ({ kind: 'groups', action: 'change', index, patch: { name } })),
    ...opOf(seed % 3 === 0 ? trunk : undefined, (index) => ({
      kind: 'trunks',
      action: 'remove',
      index,
    })),
    { kind: 'trunks', action: 'add' },
  ]
}

function opOf(index: number | undefined, make: (index: number) => Op): Op[] {
  return index === undefined ? [] : [make(index)]
}
