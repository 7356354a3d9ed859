import { Duplex } from 'node:stream'
import type { DatabaseFault, Wire } from './database-request.ts'
import { answersDue, type Backend, isStartup, message, statementOf } from './postgres-wire.ts'
import type { Owner } from './virtual-time.ts'

/** What the driver takes for a socket. */
export class SimulatedSocket extends Duplex {
  readonly #line: Wire
  #backend: Backend | undefined
  #outgoing: Buffer[] = []
  #sending = false
  #dead = false
  #served = 0
  readonly #owner: Owner | undefined

  constructor(line: Wire) {
    super()
    this.#line = line
    this.#owner = line.options.time.owner()
    line.options.opened(this, this.#owner)
  }

  connect(): this {
    this.#later(() => {
      this.emit('connect')
    })
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#outgoing.push(Buffer.from(chunk))
    done()
    if (this.#sending || this.#dead) return
    this.#sending = true
    this.#later(() => this.#send())
  }

  override _final(done: () => void): void {
    done()
    void this.hangUp()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    done(error)
    void this.hangUp()
  }

  /** The connection ends on our side, as by a crash: the server rolls back what was open. */
  async hangUp(): Promise<void> {
    if (this.#dead) return
    this.#dead = true
    const backend = this.#backend
    this.#backend = undefined
    if (backend !== undefined) {
      this.#line.options.time.after(0, () => this.#line.release(backend), 'nobody')
    }
    if (this.#owner?.crashed !== true) this.push(null)
  }

  #later(run: () => void | Promise<void>): void {
    const { time, latencyMs } = this.#line.options
    time.after(latencyMs(), run, this.#owner)
  }

  async #send(): Promise<void> {
    this.#sending = false
    if (this.#dead) return
    const bytes = Buffer.concat(this.#outgoing)
    if (bytes[0] === TERMINATE) return await this.hangUp()
    if (answersDue(bytes) === 0) return
    this.#outgoing = []
    if (isStartup(bytes)) {
      if (this.#line.options.refusesConnection()) return this.#answer(TOO_MANY)
      this.#backend = await this.#line.acquire(bytes)
      this.#answer(this.#backend.greeting)
      return
    }
    const backend = this.#backend
    if (backend === undefined || backend.lost) return this.#lose()
    const statement = statementOf(bytes)
    const inTransaction = backend.standing !== 'I'
    const fault = this.#line.options.fault({ statement, inTransaction, owner: this.#owner })
    this.#line.options.trace(
      `db ${statement.slice(0, 60).replaceAll(/\s+/g, ' ')}${fault === undefined ? '' : ` !${fault.kind}`}`,
    )
    await this.#carry(backend, bytes, fault)
  }

  async #carry(backend: Backend, bytes: Buffer, fault: DatabaseFault | undefined): Promise<void> {
    if (fault?.kind === 'crash-before') return this.#line.options.crash(this.#owner)
    if (fault?.kind === 'lost-before') return this.#lose()
    if (fault?.kind === 'terminated') {
      await this.#line.terminate(backend)
      return this.#lose()
    }
    const sent = fault?.kind === 'refused' ? refusing(backend, fault.sqlstate) : bytes
    await this.#line.carry(backend, sent, (answer) => {
      if (this.#dead) return
      if (fault?.kind === 'crash-after') this.#line.options.crash(this.#owner)
      else if (fault?.kind === 'lost-after' || backend.lost) this.#lose()
      else this.#answer(answer)
    })
  }

  #answer(bytes: Buffer): void {
    const served = ++this.#served
    const backend = this.#backend
    this.#later(() => {
      if (!this.#dead) this.push(bytes)
    })
    if (backend === undefined || backend.standing === 'I') return
    // The server's own limit on a transaction that nobody goes on with.
    const { time } = this.#line.options
    const expire = async (): Promise<void> => {
      if (this.#served !== served || this.#dead || this.#backend !== backend) return
      await this.#line.terminate(backend)
    }
    time.after(IDLE_TRANSACTION_MS, expire, 'nobody')
  }

  #lose(): void {
    this.#later(() => {
      if (this.#dead) return
      const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
      this.destroy(error)
    })
  }
}

/** The statement is not carried out: the server refuses, as it would have, and a transaction has failed. */
function refusing(backend: Backend, sqlstate: string): Buffer {
  const raise = `do $$ begin raise exception 'injected' using errcode = '${sqlstate}'; end $$`
  if (backend.standing === 'copy') return message('f', 'injected\0')
  return message('Q', `${raise}\0`)
}

/** What a server says that has no place left, before anybody has logged in. */
const TOO_MANY = message('E', 'SFATAL\0VFATAL\0C53300\0Mtoo many clients already\0\0')
const TERMINATE = 'X'.charCodeAt(0)
const IDLE_TRANSACTION_MS = 60_000
