import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context as HonoContext } from 'hono'
import type { Observer } from '../../core/define/observer.ts'
import { fieldOf } from '../../core/notifications/event-time.ts'
import { CHALLENGE } from '../../core/notifications/events.ts'
import type { Clock } from '../../core/time/clock.ts'
import { type Address, type Listening, serveApp } from '../listen.ts'
import { answerChallenge, SIGNATURE_HEADER, TIMESTAMP_HEADER, verifySigned } from './signature.ts'

/** The endpoint of one account. */
export interface Endpoint {
  account: string
  /** The secrets. The sender may sign with any of them, so that they can be rotated without a gap. */
  secrets: readonly string[]
  /** Maps the default names of the signature headers to the service's own. */
  headerOf?(name: string): string
  /** Resolves once the notification is committed. */
  receive(body: Uint8Array): Promise<'stored' | 'repeated'>
}

export interface ReceiverOptions {
  /** The endpoint of an account is `<path>/<account>`. */
  path: string
  endpoints: readonly Endpoint[]
  maxBodyBytes: number
  clock: Clock
  observer: Observer
}

type Http = HonoContext<{ Bindings: HttpBindings }>

/** Starts an HTTP server that receives notifications. */
export async function listen(options: ReceiverOptions & Address): Promise<Listening> {
  return await serveApp(makeReceiver(options), options)
}

/**
 * Makes the receiver as an HTTP app. 200 means that the body is stored or a challenge answered; after another
 * status the sender may retry. The signature is checked before parsing; refusals give no reason.
 */
export function makeReceiver(options: ReceiverOptions): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  const log = refusalLog(options)
  const work = { underWay: 0 }
  for (const endpoint of options.endpoints)
    app.post(`${options.path}/${endpoint.account}`, (http) =>
      receive({ ...options, endpoint, log, work }, http),
    )
  app.notFound(() => unheard(404))
  app.onError((error, { req }) => {
    const { path, endpoints, observer } = options
    const account = endpoints.find((one) => req.path === `${path}/${one.account}`)?.account
    observer.event('notification failed', { account, code: error.name })
    return answer(500)
  })
  return app
}

interface Receiving extends ReceiverOptions {
  endpoint: Endpoint
  log(account: string, reason: string): void
  work: { underWay: number }
}

async function receive(receiving: Receiving, http: Http): Promise<Response> {
  const { endpoint, clock, maxBodyBytes, log } = receiving
  const { incoming } = http.env
  const unread = checkHeaders(incoming, maxBodyBytes)
  if (unread !== undefined) {
    log(endpoint.account, unread === 415 ? 'another content type' : 'too large')
    return unheard(unread)
  }
  const body = await readBounded(incoming, maxBodyBytes)
  if (typeof body === 'string') {
    log(endpoint.account, body)
    return unheard(body === 'too large' ? 413 : 400)
  }
  const named = (name: string): string => endpoint.headerOf?.(name) ?? name
  const header = (name: string): string | undefined => http.req.header(named(name))
  const verdict = verifySigned(
    {
      signature: header(SIGNATURE_HEADER),
      timestamp: header(TIMESTAMP_HEADER),
      body,
    },
    { secrets: endpoint.secrets, nowMs: clock.now() },
  )
  if ('refused' in verdict) {
    const absent = header(SIGNATURE_HEADER) === undefined
    log(endpoint.account, absent ? noHeader(named(SIGNATURE_HEADER)) : verdict.refused)
    return answer(401)
  }
  const challenge = challengeIn(body)
  if (challenge === undefined) return await keep(receiving, body)
  const answered = answerChallenge(challenge.token, verdict.secret)
  return answered === undefined ? answer(400) : Response.json(answered)
}

function noHeader(name: string): string {
  return `no header ${name}; accounts[].words may name another`
}

/** Returns 200 if the notification is stored in time, otherwise 503, after which the sender retries. */
async function keep(receiving: Receiving, body: Uint8Array): Promise<Response> {
  const { endpoint, clock, observer, work } = receiving
  const { account } = endpoint
  if (work.underWay >= MOST_UNDER_WAY) return answer(503)
  work.underWay++
  const kept = endpoint
    .receive(body)
    .then(
      (state) => {
        observer.event('notification', { account, state, level: 'debug' })
        return 200
      },
      (error: unknown) => {
        const { code = 'error' } = error as { code?: string }
        observer.event('notification failed', { account, code })
        return 503
      },
    )
    .finally(() => void work.underWay--)
  const late = new Promise<number>((resolve) => {
    const cancel = clock.alarm(ANSWER_WITHIN_MS, () => resolve(503))
    void kept.finally(cancel)
  })
  return answer(await Promise.race([kept, late]))
}

/** Returns a challenge in a body. Searches the raw bytes first, so that other events are not parsed here. */
function challengeIn(body: Uint8Array): { token: unknown } | undefined {
  if (!Buffer.from(body.buffer, body.byteOffset, body.length).includes(CHALLENGE)) return undefined
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    if (fieldOf(parsed, 'event') !== CHALLENGE) return undefined
    return { token: fieldOf(fieldOf(parsed, 'payload'), 'plainToken') }
  } catch {
    return undefined
  }
}

function answer(status: number): Response {
  return new Response(null, { status })
}

/**
 * Refuses a request and closes the connection. Otherwise the unread rest of the body would be read as another
 * request.
 */
function unheard(status: number): Response {
  return new Response(null, { status, headers: { connection: 'close' } })
}

/**
 * Logs the first refusal of each kind at once and then at most one line per minute with a count, so that
 * forgers cannot fill the disk.
 */
function refusalLog({ clock, observer }: ReceiverOptions): Receiving['log'] {
  const kinds = new Map<string, { untilMs: number; count: number }>()
  return (account, reason) => {
    const kind = `${account} ${reason}`
    const last = kinds.get(kind)
    const count = (last?.count ?? 0) + 1
    const nowMs = clock.elapsed()
    if (last !== undefined && nowMs < last.untilMs) {
      last.count = count
      return
    }
    kinds.set(kind, { untilMs: nowMs + REFUSALS_LOGGED_EVERY_MS, count: 0 })
    observer.event('notification refused', { account, reason, count, level: 'warn' })
  }
}

/** The status for a body that is not read. */
type Unread = 413 | 415

/** Checks the headers before anything is buffered. Returns undefined if the body may be read. */
function checkHeaders({ headers }: IncomingMessage, maxBytes: number): Unread | undefined {
  const encoding = headers['content-encoding'] ?? 'identity'
  const type = headers['content-type'] ?? 'application/json'
  if (encoding !== 'identity' || !/^application\/json\s*(;|$)/i.test(type)) return 415
  return Number(headers['content-length'] ?? 0) > maxBytes ? 413 : undefined
}

/** Why a body was not read: it exceeds the limit, or the sender disconnected before its end. */
type Cut = 'too large' | 'cut off'

/** Returns the raw bytes, or why the body was not read. */
async function readBounded(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array | Cut> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) return 'too large'
      chunks.push(chunk)
    }
  } catch (error) {
    if (!GONE_AWAY.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    return 'cut off'
  }
  return Buffer.concat(chunks)
}

/** How long storing may take: less than the three seconds that the sender waits. */
const ANSWER_WITHIN_MS = 2_500
const MOST_UNDER_WAY = 64
const REFUSALS_LOGGED_EVERY_MS = 60_000

/** Errors of a request whose connection the sender closed early. */
const GONE_AWAY = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'])
