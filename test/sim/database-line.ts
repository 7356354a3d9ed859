import type { DatabaseLineOptions, Server, Waiting, Wire } from './database-request.ts'
import type { Backend } from './postgres-wire.ts'
import { SimulatedSocket } from './simulated-socket.ts'

/**
 * The network between simulated processes and one real Postgres. Requests are carried out one at a time in
 * the order of virtual time; one that waits for a lock lets the others go on, and is answered when they let
 * it.
 */
export class DatabaseLine implements Wire {
  readonly options: DatabaseLineOptions
  readonly #server: Server
  readonly #blocked = new Set<Waiting>()
  readonly #inUse = new Set<Backend>()

  constructor(server: Server, options: DatabaseLineOptions) {
    this.#server = server
    this.options = options
  }

  openSocket(): SimulatedSocket {
    return new SimulatedSocket(this)
  }

  async acquire(startup: Buffer): Promise<Backend> {
    const backend = await this.#server.take(startup)
    this.#inUse.add(backend)
    return backend
  }

  /** Gives a connection back; what it had open is rolled back, which may let others go on. */
  async release(backend: Backend): Promise<void> {
    this.#inUse.delete(backend)
    for (const waiting of this.#blocked)
      if (waiting.backend === backend) {
        await this.#server.terminate(backend)
        this.#blocked.delete(waiting)
      }
    await this.#server.giveBack(backend)
    await this.#look()
  }

  /** The world ends: whatever is still open is given back. */
  async close(): Promise<void> {
    for (const backend of this.#inUse) await this.release(backend)
  }

  async terminate(backend: Backend): Promise<void> {
    await this.#server.terminate(backend)
    await this.#look()
  }

  /** Carries a request out; calls back with its answer, now or when a lock lets it. */
  async carry(backend: Backend, bytes: Buffer, answered: (answer: Buffer) => void): Promise<void> {
    this.#server.moveClock(this.options.time.nowMs)
    backend.touches ||= TOUCHES.test(bytes.toString('latin1'))
    let done = false
    const finish = async (answer: Buffer): Promise<void> => {
      if (backend.tags.includes('COMMIT')) {
        const { touches } = backend
        backend.touches = false
        await this.options.committed(touches)
      }
      answered(answer)
    }
    const answer = backend.exchange(bytes).then((result) => {
      done = true
      return result
    })
    const waiting = {
      backend,
      answer,
      finish,
      isDone: () => done,
      sinceMs: this.options.time.nowMs,
    }
    if (await this.#server.waitsForLock(waiting)) {
      this.#blocked.add(waiting)
      this.options.trace(`waits for a lock`)
      this.options.time.after(LOCK_TIMEOUT_MS, () => this.#giveUp(waiting), 'nobody')
      return
    }
    await finish(await answer)
    if (backend.standing === 'I') await this.#look()
  }

  /** After whatever may have released a lock: those that were let go are answered, in the order of asking. */
  async #look(): Promise<void> {
    const freed = new Set<Waiting>()
    // One that goes on may let another go on, and which of them is seen first is the machine's choice: so no
    // one is answered before a whole round finds that the others wait for what none of these will give.
    for (let known = -1; known < freed.size; ) {
      known = freed.size
      for (const waiting of this.#blocked)
        if (!freed.has(waiting) && !(await this.#server.waitsForLock(waiting))) freed.add(waiting)
    }
    for (const waiting of this.#blocked) {
      if (!freed.has(waiting)) continue
      this.#blocked.delete(waiting)
      await waiting.finish(await waiting.answer)
    }
  }

  async #giveUp(waiting: Waiting): Promise<void> {
    if (!this.#blocked.has(waiting)) return
    await this.#server.cancel(waiting.backend)
    await this.#look()
  }
}

/** What writes rows that are watched, the ledger's and the streams', wherever it begins in a message. */
const TOUCHES = /(into|update|delete from|copy) ("?svc"?\.|"?callsheet"?\."?slices"?)/
const LOCK_TIMEOUT_MS = 15_000
