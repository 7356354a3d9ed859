import type { Mishap } from './plan.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/** A process of Callsheet inside this one: what it runs, and what becomes of it. */
export class SimulatedProcess implements Owner {
  readonly name: string
  crashed = false
  pausedUntilMs = 0
  ended = false
  /** Requests that it has sent, to the service and to the database. */
  requests = 0
  readonly sockets = new Set<{ hangUp(): Promise<void> }>()
  readonly #time: VirtualTime
  readonly #mishap: Mishap | undefined

  constructor(name: string, time: VirtualTime, mishap: Mishap | undefined) {
    this.name = name
    this.#time = time
    this.#mishap = mishap
  }

  get over(): boolean {
    return this.ended || this.crashed
  }

  /** Begins the work; what it throws is the caller's to see. */
  start<T>(work: () => Promise<T>): Promise<T> {
    return this.#time.as(this, () =>
      work().finally(() => {
        this.ended = true
      }),
    )
  }

  /** Counts a request that is about to go out; says what befalls the process at it. */
  request(): Mishap['kind'] | undefined {
    this.requests++
    if (this.#mishap?.at !== this.requests) return undefined
    if (this.#mishap.kind === 'pause') this.pausedUntilMs = this.#time.nowMs + this.#mishap.lastsMs
    return this.#mishap.kind
  }

  /** Nothing of it runs from now on; the server sees its connections end. */
  crash(): void {
    this.crashed = true
    for (const socket of this.sockets) void socket.hangUp()
  }
}
