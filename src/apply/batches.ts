import { chunks } from '../core/chunks.ts'
import type { PlanItem, Send } from '../core/define/desired.ts'

/** The parts of items that one call sends. */
export interface CallBatch {
  send: Send
  items: readonly PlanItem[]
  /** The index of this call among an item's calls, from 0. */
  step: number
  /** The number of the item's later calls. */
  toFollow: number
  members: readonly string[]
}

/**
 * Returns the calls for a plan's items: the first call of each item, then the second calls. Groups items, up
 * to the request's limit, if the service accepts them in one request and they have equally many calls left.
 */
export function batchesOf(items: readonly PlanItem[]): CallBatch[] {
  const steps = Math.max(0, ...items.map(({ sends }) => sends.length))
  return Array.from({ length: steps }, (_, step) => stepOf(items, step)).flat()
}

function stepOf(items: readonly PlanItem[], step: number): CallBatch[] {
  const parts = items.flatMap((item) => {
    const send = item.sends[step]
    return send === undefined ? [] : [{ item, send, toFollow: item.sends.length - step - 1 }]
  })
  const alike = Map.groupBy(
    parts,
    ({ send, toFollow }) => `${toFollow} ${send.operation.id} ${send.together}`,
  )
  return [...alike.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    return chunks(group, first.send.most).map((some) => ({
      send: first.send,
      step,
      toFollow: first.toFollow,
      items: some.map(({ item }) => item),
      members: some.map(({ send }) => send.member),
    }))
  })
}
