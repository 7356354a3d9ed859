import { Dispatcher } from 'undici'
import type { SimulatedService } from '../../sandbox/server/service.ts'
import { type HttpFault, spoil } from './http-faults.ts'
import type { Random } from './random.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'
import type { WireAnswer } from './wire-answer.ts'

export interface HttpExchange {
  owner: Owner | undefined
  method: string
  path: string
  authorization: string
}

export interface HttpLineOptions {
  time: VirtualTime
  service: SimulatedService
  random: Random
  /** Virtual milliseconds of one way. */
  latencyMs(): number
  fault(exchange: HttpExchange): HttpFault | undefined
  sent(exchange: HttpExchange): void
  arrived(exchange: HttpExchange, answer: WireAnswer): void
  /** The caller waits no longer, whatever came. */
  ended(exchange: HttpExchange): void
  trace(text: string): void
}

/** The network between simulated processes and the simulated service, as undici's callers see it. */
export class HttpLine extends Dispatcher {
  readonly #options: HttpLineOptions

  constructor(options: HttpLineOptions) {
    super()
    this.#options = options
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { time, latencyMs, trace } = this.#options
    const headers = new Headers(options.headers as Record<string, string>)
    const exchange: HttpExchange = {
      owner: time.owner(),
      method: options.method,
      path: options.path,
      authorization: headers.get('authorization') ?? '',
    }
    const call = new LiveCall(handler, () => this.#options.ended(exchange))
    time.after(0, () => {
      if (call.ended) return
      handler.onRequestStart?.(call, {})
      if (call.ended) return
      this.#options.sent(exchange)
      const fault = this.#options.fault(exchange)
      if (exchange.owner?.crashed === true) return
      trace(`http ${options.method} ${options.path}${fault === undefined ? '' : ` !${fault}`}`)
      if (fault === 'refused') {
        time.after(latencyMs(), () => call.fail('ECONNREFUSED'))
        return
      }
      // What is on its way arrives, whatever becomes of the one who sent it.
      time.after(
        latencyMs(),
        () => this.#serve(call, { exchange, headers, body: options.body, fault }),
        'nobody',
      )
    })
    return true
  }

  async #serve(
    call: LiveCall,
    request: {
      exchange: HttpExchange
      headers: Headers
      body: unknown
      fault: HttpFault | undefined
    },
  ): Promise<void> {
    const { time, latencyMs, random, service } = this.#options
    const { exchange, fault } = request
    const answer = await this.#ask(request)
    const arrive = (run: () => void, delayMs = 0): void =>
      void time.after(latencyMs() + delayMs, run, exchange.owner)
    const deliver = (arriving: WireAnswer): void => {
      // Whoever gave it up meanwhile, as a process does that woke up past its time limit, hears nothing.
      if (!call.ended) this.#options.arrived(exchange, arriving)
      call.answer(arriving)
    }
    if (fault === undefined) return arrive(() => deliver(answer))
    const spoilt = spoil(fault, answer, {
      random,
      nowMs: service.clock.now(),
      path: exchange.path,
    })
    arrive(
      () => {
        if ('code' in spoilt) return call.fail(spoilt.code, spoilt.part)
        deliver(spoilt)
      },
      'delayMs' in spoilt ? spoilt.delayMs : 0,
    )
  }

  async #ask({
    exchange,
    headers,
    body,
  }: {
    exchange: HttpExchange
    headers: Headers
    body: unknown
  }): Promise<WireAnswer> {
    const { service } = this.#options
    const url = new URL(exchange.path, service.authUrl)
    const init = { method: exchange.method, headers }
    const request = new Request(
      url,
      exchange.method === 'GET' ? init : { ...init, body: String(body) },
    )
    const response = await service.respond(request, { incoming: { url: exchange.path } })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    }
  }

  override close(): Promise<void> & void {
    return Promise.resolve() as Promise<void> & void
  }
  override destroy(): Promise<void> & void {
    return Promise.resolve() as Promise<void> & void
  }
}

class LiveCall implements Dispatcher.DispatchController {
  ended = false
  aborted = false
  paused = false
  reason: Error | null = null
  readonly #handler: Dispatcher.DispatchHandler
  readonly #onEnd: () => void

  constructor(handler: Dispatcher.DispatchHandler, onEnd: () => void) {
    this.#handler = handler
    this.#onEnd = onEnd
  }

  abort(reason: Error): void {
    if (this.ended) return
    this.#end()
    this.aborted = true
    this.reason = reason
    this.#handler.onResponseError?.(this, reason)
  }
  #end(): void {
    this.ended = true
    this.#onEnd()
  }
  pause(): void {
    this.paused = true
  }
  resume(): void {
    this.paused = false
  }

  answer({ status, headers, body }: WireAnswer): void {
    if (this.ended) return
    this.#handler.onResponseStart?.(this, status, headers, '')
    const middle = Math.floor(body.length / 2)
    for (const part of [body.subarray(0, middle), body.subarray(middle)])
      if (!this.ended && part.length > 0) this.#handler.onResponseData?.(this, part)
    if (this.ended) return
    this.#end()
    this.#handler.onResponseEnd?.(this, {})
  }

  /** The connection breaks, before the answer or in the middle of it. */
  fail(code: string, part?: WireAnswer): void {
    if (this.ended) return
    if (part !== undefined) {
      this.#handler.onResponseStart?.(this, part.status, part.headers, '')
      if (!this.ended) this.#handler.onResponseData?.(this, part.body)
    }
    if (this.ended) return
    this.#end()
    this.#handler.onResponseError?.(this, Object.assign(new Error(`simulated ${code}`), { code }))
  }
}
