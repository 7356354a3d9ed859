import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { FaultPlan, HttpFault } from './fault-plan.ts'

export interface FaultProxy {
  url: string
  /** Undefined: everything passes. */
  use(plan: FaultPlan | undefined): void
  /** How often each fault struck. */
  struck: Map<HttpFault, number>
  close(): Promise<void>
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Stands between the client and the sandbox, on real sockets, and spoils what passes by the plan. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let plan: FaultPlan | undefined
  const struck = new Map<HttpFault, number>()
  const server = createServer((incoming, outgoing) => {
    const fault = plan === undefined ? undefined : drawFault(plan, incoming.url ?? '')
    if (fault !== undefined) struck.set(fault, (struck.get(fault) ?? 0) + 1)
    // Whoever is cut off in the middle, on either side, is what this is for.
    pass(target, { incoming, outgoing, fault }).catch(() => outgoing.destroy())
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use: (next) => (plan = next),
    struck,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function drawFault({ random, http }: FaultPlan, url: string): HttpFault | undefined {
  const draw = random()
  let sum = 0
  for (const [fault, rate] of http) {
    if (!fits(fault, url)) continue
    sum += rate
    if (draw < sum) return fault
  }
  return undefined
}

function fits(fault: HttpFault, url: string): boolean {
  if (url.startsWith('/oauth/')) return fault === 'token server fails' || PASSIVE.has(fault)
  if (fault === 'page token refused') return url.includes('next_page_token=')
  return fault !== 'token server fails'
}

interface Passing {
  incoming: IncomingMessage
  outgoing: ServerResponse
  fault: HttpFault | undefined
}

async function pass(target: string, { incoming, outgoing, fault }: Passing): Promise<void> {
  const body = await collect(incoming)
  if (fault === 'reset before headers') return void incoming.socket.resetAndDestroy()
  if (fault === 'stall before headers') await sleep(SHORT_STALL_MS)
  if (fault === 'stall past the limit') await sleep(LONG_STALL_MS)
  const canned = fault === undefined ? undefined : CANNED[fault]
  if (canned !== undefined) {
    const { status, headers, text } = canned()
    outgoing.writeHead(status, headers).end(text)
    return
  }
  const spoilt = fault === 'page token refused' ? spoilToken(incoming.url) : incoming.url
  const answer = await forward(`${target}${spoilt}`, incoming, body)
  await reply(outgoing, answer, fault)
}

async function reply(outgoing: ServerResponse, answer: Answer, fault: HttpFault | undefined) {
  const { status, headers, body } = answer
  const { 'content-length': _length, 'transfer-encoding': _coding, ...rest } = headers
  const half = body.subarray(0, Math.floor(body.length / 2))
  switch (fault) {
    case 'reset in the body':
      outgoing.writeHead(status, { ...rest, 'content-length': body.length })
      outgoing.write(half, () => outgoing.socket?.resetAndDestroy())
      return
    case 'cut off, no length':
      outgoing.shouldKeepAlive = false
      outgoing.writeHead(status, { ...rest, connection: 'close' }).end(half)
      return
    case 'cut off, gzip': {
      const packed = gzipSync(body)
      const cut = packed.subarray(0, Math.floor(packed.length * 0.7))
      outgoing.writeHead(status, { ...rest, 'content-encoding': 'gzip' }).end(cut)
      return
    }
    case 'drip':
      outgoing.writeHead(status, { ...rest, 'content-length': body.length })
      for (let part = 0; part < DRIPS; part++) {
        const from = Math.floor((body.length * part) / DRIPS)
        outgoing.write(body.subarray(from, Math.floor((body.length * (part + 1)) / DRIPS)))
        await sleep(5)
      }
      outgoing.end()
      return
    case 'garbage after JSON':
      outgoing.writeHead(status, rest).end(`${body.toString()}}{"next_page_token":""}`)
      return
    default:
      outgoing.writeHead(status, { ...rest, 'content-length': body.length }).end(body)
  }
}

async function forward(url: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const onward = request(url, { method: incoming.method ?? 'GET', headers: incoming.headers })
  onward.end(body)
  const [response] = (await once(onward, 'response')) as [IncomingMessage]
  const { statusCode = 502, headers } = response
  return { status: statusCode, headers, body: await collect(response) }
}

async function collect(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** As one that is older than fifteen minutes: the service no longer knows it. */
function spoilToken(url = ''): string {
  return url.replace(/(next_page_token=)[^&]+/, '$1b2xkLXRva2Vu')
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

interface Canned {
  status: number
  headers: Record<string, string>
  text: string
}

const json = (status: number, body: object, headers: Record<string, string> = {}): Canned => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  text: JSON.stringify(body),
})
const tooMany = (retryAfter: string): Canned =>
  json(429, { code: 429, message: 'Too many requests.' }, { 'retry-after': retryAfter })

const CANNED: Readonly<Partial<Record<HttpFault, () => Canned>>> = {
  'not JSON': () => ({ ...json(200, {}), text: '{"users":[{"id":NaN' }),
  HTML: () => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    text: '<html>Wait</html>',
  }),
  '204': () => ({ status: 204, headers: {}, text: '' }),
  'empty body': () => ({ ...json(200, {}), text: '' }),
  'error in a 200': () => json(200, { code: 500, message: 'Something went wrong.' }),
  '500': () => json(500, { code: 500, message: 'Internal error.' }),
  '503 with Retry-After': () => json(503, { code: 503, message: 'Busy.' }, { 'retry-after': '1' }),
  '429 in seconds': () => tooMany('1'),
  '429 as a date': () => tooMany('Wed, 08 Jul 2026 02:29:59 GMT'),
  '429 with nonsense': () => tooMany('-1e12 soon'),
  'invalid token': () => json(401, { code: 124, message: 'Invalid access token.' }),
  'token server fails': () => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    text: 'Bad',
  }),
}

/** What can befall the token server as well, being of the network. */
const PASSIVE = new Set<HttpFault>([
  'reset before headers',
  'reset in the body',
  'stall before headers',
])
const SHORT_STALL_MS = 40
export const LONG_STALL_MS = 2_600
const DRIPS = 8
