import { type OpenAccount, openAccount } from '../../src/account/open-account.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { BusyError } from '../../src/core/errors.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { settingsFor } from './config.ts'
import { DatabaseLine } from './database-line.ts'
import type { DatabaseFault, DatabaseRequest } from './database-request.ts'
import { FaultDice } from './fault-dice.ts'
import type { HttpFault } from './http-faults.ts'
import { type HttpExchange, HttpLine } from './http-line.ts'
import { Oracle } from './oracle.ts'
import { type Place, Shown } from './place.ts'
import type { Plan } from './plan.ts'
import { jobsOf, streamsOf } from './planned-jobs.ts'
import { Politeness } from './politeness.ts'
import { Random } from './random.ts'
import { Running } from './running.ts'
import { START } from './seed-data.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { Source } from './source.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'
import type { WireAnswer } from './wire-answer.ts'

/** One seed's world: the service, the lines to it and to the database, the processes, the watchers. */
export class Simulation {
  readonly plan: Plan
  readonly time: VirtualTime
  readonly source: Source
  readonly oracle: Oracle
  readonly politeness: Politeness
  readonly dice: FaultDice
  readonly violations: string[] = []
  readonly trace: string[] = []
  readonly account: string
  readonly place: Place
  crashes = 0
  pauses = 0
  /** When the chain of unfinished runs began that the next run goes on with. */
  chainSinceMs = 0
  chainEnded = true
  /** Streams of which a run said that it could not read some lists. */
  readonly refused = new Set<string>()
  /** How often a run said of a stream that it may not read what it was not to read. */
  refusals = 0
  attempt = -1
  readonly #http: HttpLine
  readonly #line: DatabaseLine
  readonly #random: Random

  constructor(plan: Plan, time: VirtualTime, place: Place) {
    this.plan = plan
    this.time = time
    this.place = place
    this.account = place.account
    this.#random = new Random(plan.seed, 'latency')
    this.dice = new FaultDice(plan)
    const say = (text: string): void => this.say(text)
    this.source = new Source({ plan, time, say, edited: (kinds) => this.oracle.observe(kinds) })
    const { service } = this.source
    this.politeness = new Politeness(time)
    const { monitor } = place.database
    const streams = streamsOf(plan)
    const now = (): number => time.nowMs
    const watched = { service, streams, monitor, account: this.account, now }
    this.oracle = new Oracle(watched)
    const shared = { time, random: this.#random, trace: say }
    this.#http = new HttpLine({
      ...shared,
      service,
      latencyMs: () => this.#random.between(20, 150),
      fault: (exchange) => this.#befallsCall(exchange),
      sent: (exchange) => this.politeness.sent(exchange),
      arrived: (exchange, answer) => this.#arrived(exchange, answer),
      ended: (exchange) => this.politeness.ended(exchange),
    })
    this.#line = new DatabaseLine(place.database, {
      ...shared,
      latencyMs: () => this.#random.between(1, 6),
      fault: (request) => this.#befallsStatement(request),
      refusesConnection: () => this.dice.connection(),
      opened: (socket, owner) => void (owner as SimulatedProcess | undefined)?.sockets.add(socket),
      crash: (owner) => this.#crash(owner),
      committed: (touches) => this.oracle.committed(touches),
    })
    this.oracle.observe()
  }

  say(text: string): void {
    const at = (this.time.nowMs - Date.parse(START)).toFixed(0)
    this.trace.push(`${at} ${this.time.owner()?.name ?? '-'} ${text}`)
  }

  violated(text: string): void {
    this.violations.push(text)
    this.say(`VIOLATED ${text}`)
  }

  beginAttempt(attempt: number): void {
    this.attempt = attempt
    this.source.beginAttempt(attempt)
    this.oracle.sinceMs = this.time.nowMs
  }

  /** Starts a process that syncs the account. */
  spawn(
    name: string,
    options: { waits?: boolean; full?: boolean; mishap?: boolean } = {},
  ): Running {
    if (this.chainEnded) this.chainSinceMs = this.time.nowMs
    this.chainEnded = false
    const mishap = this.plan.mishaps.find(({ attempt }) => attempt === this.attempt)
    const process = new SimulatedProcess(
      name,
      this.time,
      options.mishap === true ? mishap : undefined,
    )
    const running = new Running(process, options.full === true)
    process
      .start(() => this.#work(process, options))
      .then(
        (results) => void (running.results = results),
        (error: unknown) => void (running.error = error),
      )
    return running
  }

  async #work(process: SimulatedProcess, { waits = false, full = false }) {
    const clock = this.time.clock(this.plan.skewMs)
    const random = new Random(this.plan.seed, process.name)
    const warehouse = connect({
      url: this.place.database.url,
      poolSize: 6,
      openSocket: () => this.#line.openSocket(),
    })
    const { config } = this.place
    const wiring = { config, clock, observer: silentObserver, random: () => random.unit() }
    const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
    const quotas = this.plan.quotas === 'learn' ? 'learn' : this.source.service.quotas
    const settings = settingsFor(config, { name: this.account, quotas })
    const order = {
      account: this.account,
      jobs: jobsOf(this.plan),
      full,
      signal: new AbortController().signal,
    }
    let account: OpenAccount | undefined
    try {
      account = await openAccount(frame, settings, { openPool: () => this.#http })
      const { batchRows } = this.plan
      const deps = batchRows === undefined ? account.deps : { ...account.deps, batchRows }
      for (;;) {
        try {
          return await syncAccount(deps, order)
        } catch (error) {
          if (!waits || !(error instanceof BusyError)) throw error
          await clock.sleep(7_000)
        }
      }
    } finally {
      await account?.close()
      await warehouse.close()
    }
  }

  /** Gives back what the processes left open. */
  close = (): Promise<void> => this.#line.close()

  /** Lets virtual time go on until then, within the bounds that every run must keep (I9). */
  async until(done: () => boolean): Promise<void> {
    const untilMs = this.time.nowMs + LONGEST_RUN_MS
    const shown = (): boolean => this.place.untilViolation && this.allViolations().length > 0
    await this.time.runUntil(() => done() || shown(), { untilMs, events: MOST_EVENTS })
    if (shown()) throw new Shown()
  }

  allViolations(): string[] {
    return [...this.violations, ...this.oracle.violations, ...this.politeness.violations]
  }

  async advance(ms: number): Promise<void> {
    const until = this.time.nowMs + ms
    let reached = false
    this.time.after(ms, () => void (reached = true), 'nobody')
    await this.time.runUntil(() => reached, { untilMs: until + 1, events: MOST_EVENTS })
    this.oracle.observe()
  }

  #arrived(exchange: HttpExchange, answer: WireAnswer): void {
    this.politeness.arrived(exchange, answer)
    const text = answer.body.length < 400 ? answer.body.toString() : ''
    if (/"next_page_token":"[^"]/.test(text) && text.includes(':[]')) this.dice.note('empty-page')
  }

  #befallsCall(exchange: HttpExchange): HttpFault | undefined {
    const process = exchange.owner as SimulatedProcess
    this.source.countRequest()
    const mishap = process.request()
    if (mishap === 'pause') this.pauses++
    else if (mishap !== undefined) {
      this.#crash(process)
      return undefined
    }
    const fault = this.dice.http(exchange)
    // What a spoilt record brought along goes again when it is read again: an edit in effect.
    if (fault === 'unknown-field') this.source.editedAtMs = this.time.nowMs
    return fault
  }

  #befallsStatement(request: DatabaseRequest): DatabaseFault | undefined {
    const process = request.owner as SimulatedProcess
    this.source.countRequest()
    const mishap = process.request()
    if (mishap === 'pause') this.pauses++
    if (mishap === 'crash') return { kind: 'crash-before' }
    if (mishap === 'crash-after') return { kind: 'crash-after' }
    return this.dice.database(request)
  }

  #crash(owner: Owner | undefined): void {
    this.crashes++
    this.say('CRASH')
    ;(owner as SimulatedProcess).crash()
    this.politeness.forget(owner?.name ?? '')
  }
}

const LONGEST_RUN_MS = 36 * 3_600_000
const MOST_EVENTS = 400_000
