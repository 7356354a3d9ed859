import { chunks } from '../core/chunks.ts'
import type { PlanItem, Send } from '../core/define/desired.ts'

/** Parts of items that go out in one call. */
export interface CallBatch {
  send: Send
  items: readonly PlanItem[]
  /** Which of an item's calls it is, from 0, and how many of its calls come after it. */
  step: number
  toFollow: number
  members: readonly string[]
}

/**
 * The calls of a plan's items, in order: all that come first for their item, then all that come second. Items
 * go together where the service takes them together and as many calls are left of each, and never more at
 * once than it takes.
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
