import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../src/core/time/clock.ts'

/** Whose code is running: timers and connections belong to it. */
export interface Owner {
  name: string
  /** Nothing of a crashed process ever runs again: a coroutine that is not resumed. */
  crashed: boolean
  /** A paused process goes on at this instant with all that became due meanwhile. */
  pausedUntilMs: number
}

interface Event {
  atMs: number
  order: number
  owner: Owner | undefined
  run: () => void | Promise<void>
  cancelled: boolean
}

/**
 * Time that moves only when everything that is to happen at an instant has happened. All that is waited
 * for, timers, answers of the service and of the database, is an event in one queue; ties go by the order
 * of asking. So a run depends on nothing but its seed.
 */
export class VirtualTime {
  nowMs: number
  events = 0
  #queue: Event[] = []
  #order = 0
  #startMs: number
  readonly #owners = new AsyncLocalStorage<Owner>()

  constructor(startMs: number) {
    this.nowMs = startMs
    this.#startMs = startMs
  }

  /** A new world begins: nothing of the one before is left to happen. */
  restart(startMs: number): void {
    this.#queue = []
    this.nowMs = startMs
    this.#startMs = startMs
  }

  owner(): Owner | undefined {
    return this.#owners.getStore()
  }

  as<T>(owner: Owner | undefined, work: () => T): T {
    return owner === undefined ? this.#owners.exit(work) : this.#owners.run(owner, work)
  }

  /** The event is the running process's own unless another owner is named, or that it is nobody's. */
  after(
    delayMs: number,
    run: Event['run'],
    whose: Owner | 'nobody' | undefined = this.owner(),
  ): () => void {
    const owner = whose === 'nobody' ? undefined : whose
    const event = {
      atMs: this.nowMs + Math.max(0, delayMs),
      order: this.#order++,
      owner,
      run,
      cancelled: false,
    }
    push(this.#queue, event)
    return () => {
      event.cancelled = true
    }
  }

  /** Runs events until the work is done. Fails when nothing is left that could end it, or at a limit. */
  async runUntil(done: () => boolean, limits: { untilMs: number; events: number }): Promise<void> {
    const stopAt = this.events + limits.events
    await settle()
    while (!done()) {
      const event = pop(this.#queue)
      if (event === undefined) throw new Stuck('nothing is left to happen')
      if (event.cancelled || event.owner?.crashed === true) continue
      const pausedUntilMs = event.owner?.pausedUntilMs ?? 0
      if (pausedUntilMs > event.atMs) {
        push(this.#queue, { ...event, atMs: pausedUntilMs })
        continue
      }
      if (event.atMs > limits.untilMs) throw new Stuck(`no end by ${iso(limits.untilMs)}`)
      if (++this.events > stopAt) throw new Stuck(`no end after ${limits.events} events`)
      this.nowMs = event.atMs
      await this.as(event.owner, event.run)
      await settle()
    }
  }

  clock(skewMs = 0): Clock {
    return {
      now: () => Math.floor(this.nowMs) + skewMs,
      elapsed: () => this.nowMs - this.#startMs,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          signal?.throwIfAborted()
          const abort = (): void => {
            cancel()
            reject(signal?.reason as Error)
          }
          // As with real timers, no wait is shorter than a millisecond.
          const cancel = this.after(Math.ceil(ms), () => {
            signal?.removeEventListener('abort', abort)
            resolve()
          })
          signal?.addEventListener('abort', abort, { once: true })
        }),
      alarm: (ms, ring) => this.after(ms, ring),
    }
  }

  /** Replaces the timers and the wall time of this process, for the libraries that ask them directly. */
  install(): void {
    const time = (): number => Math.floor(this.nowMs)
    const RealDate = Date
    globalThis.Date = class extends RealDate {
      constructor(...given: unknown[]) {
        if (given.length === 0) super(time())
        else super(...(given as [number]))
      }
      static override now(): number {
        return time()
      }
    } as DateConstructor
    const timers = {
      setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
        new Timer(this.after(Math.max(1, ms), () => run(...args))),
      setInterval: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
        const again = (): void => {
          timer.cancel = this.after(Math.max(1, ms), again)
          run(...args)
        }
        const timer = new Timer(this.after(Math.max(1, ms), again))
        return timer
      },
      clearTimeout: (timer?: Timer) => timer?.cancel(),
      clearInterval: (timer?: Timer) => timer?.cancel(),
    }
    Object.assign(globalThis, timers)
    countCrypto()
  }
}

/** The run did not come to an end by itself (invariant I9). */
export class Stuck extends Error {}

class Timer {
  cancel: () => void
  constructor(cancel: () => void) {
    this.cancel = cancel
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return true
  }
}

const realImmediate = setImmediate
let underWay = 0

/** Until nothing moves by itself: microtasks and ticks end within a turn, thread-pool work is counted. */
async function settle(): Promise<void> {
  do {
    await new Promise((resolve) => realImmediate(resolve))
    await new Promise((resolve) => realImmediate(resolve))
  } while (underWay > 0)
}

/**
 * Signing runs on other threads: time stands still until it is done, and one is done after the other, in the
 * order of asking.
 */
function countCrypto(): void {
  const subtle = SubtleCrypto.prototype as unknown as Record<string, Signing>
  let last: Promise<unknown> = Promise.resolve()
  for (const name of [
    'sign',
    'verify',
    'digest',
    'importKey',
    'deriveBits',
    'encrypt',
    'decrypt',
  ]) {
    const real = subtle[name] as Signing
    subtle[name] = function counted(this: unknown, ...args: unknown[]) {
      underWay++
      const result = last.then(() => real.apply(this, args))
      last = result.catch(() => {})
      return result.finally(() => underWay--)
    }
  }
}

type Signing = (...args: unknown[]) => Promise<unknown>

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

function before(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!before(event, heap[parent] as Event)) break
    heap[at] = heap[parent] as Event
    at = parent
  }
  heap[at] = event
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (first === undefined || last === undefined || first === last) return first
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && before(heap[child + 1] as Event, heap[child] as Event)) child++
    if (!before(heap[child] as Event, last)) break
    heap[at] = heap[child] as Event
    at = child
  }
  heap[at] = last
  return first
}
