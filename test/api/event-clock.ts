import type { Clock } from '../../src/core/time/clock.ts'

export interface EventClock extends Clock {
  /** Advances time from event to event until the work is done. */
  until<T>(work: Promise<T>): Promise<T>
}

/** A clock on which hours pass in seconds. Its events are in a heap, because there are many. */
export function eventClock(epochMs: number): EventClock {
  let nowMs = 0
  let made = 0
  const events: Event[] = []
  const add = (ms: number, ring: () => void): Event => {
    const event = { at: nowMs + Math.max(0, ms), order: made++, ring }
    push(events, event)
    return event
  }
  return {
    now: () => Math.floor(epochMs + nowMs),
    elapsed: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const abort = (): void => {
          event.ring = undefined
          reject(signal?.reason as Error)
        }
        const event = add(ms, () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        })
        signal?.addEventListener('abort', abort, { once: true })
      }),
    alarm(ms, ring) {
      const event = add(ms, ring)
      return () => {
        event.ring = undefined
      }
    },
    async until(work) {
      const state = { done: false }
      const settled = work.finally(() => {
        state.done = true
      })
      settled.catch(() => {})
      for (;;) {
        // Everything that the last event started runs before the next one.
        await new Promise(setImmediate)
        if (state.done) return settled
        const next = pop(events)
        if (next === undefined) throw new Error('the work waits for nothing that will happen')
        nowMs = next.at
        next.ring?.()
      }
    },
  }
}

interface Event {
  at: number
  order: number
  ring: (() => void) | undefined
}

function push(heap: Event[], event: Event): void {
  let at = heap.length
  heap.push(event)
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent] as Event
    if (!isBefore(event, above)) break
    heap[at] = above
    at = parent
  }
  heap[at] = event
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (first === undefined || last === undefined || heap.length === 0) return first
  let at = 0
  for (;;) {
    const left = heap[2 * at + 1]
    const right = heap[2 * at + 2]
    const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left
    if (child === undefined || !isBefore(child, last)) break
    heap[at] = child
    at = child === left ? 2 * at + 1 : 2 * at + 2
  }
  heap[at] = last
  return first
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
