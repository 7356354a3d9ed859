import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { DAY_MS } from '../src/core/time.ts'
import { serveOrder } from './child.ts'
import { sessionReport, startOf } from './session-rows.ts'

export interface PagesOrder {
  rows: number
}

/** All reports as the wire's bytes, each followed by a comma, so that any page is one slice of them. */
interface Rendered {
  count: number
  bytes: Buffer
  /** Where each report begins; one more than there are reports. */
  starts: Float64Array
}

/**
 * The service reduced to its bytes: everything is rendered before the first request, so that a slow server
 * flatters nobody. Pages of at most 100 along opaque tokens that stand for a position. It notes which
 * windows were asked, so that others can drain exactly the same.
 */
async function servePages({ rows }: PagesOrder): Promise<{ url: string }> {
  const rendered = render(rows)
  let asked: Window[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/oauth/token') void answerToken(request, response)
    else if (url.pathname === '/asked') {
      send(response, Buffer.from(JSON.stringify(asked)))
      asked = []
    } else {
      const query = readQuery(url.searchParams)
      if (query.position === undefined) asked.push({ from: query.from, to: query.to })
      send(response, pageOf(rendered, query))
    }
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}` }
}

/** What a request names: whole days, both included. */
export interface Window {
  from: string
  to: string
}

interface PageQuery extends Window {
  position: number | undefined
  size: number
}

function render(count: number): Rendered {
  const starts = new Float64Array(count + 1)
  const chunks: Buffer[] = []
  let length = 0
  for (let index = 0; index < count; index++) {
    starts[index] = length
    const chunk = Buffer.from(`${JSON.stringify(sessionReport(index, count))},`)
    chunks.push(chunk)
    length += chunk.length
  }
  starts[count] = length
  return { count, bytes: Buffer.concat(chunks, length), starts }
}

function readQuery(query: URLSearchParams): PageQuery {
  const token = query.get('next_page_token')
  const position = token === null ? undefined : Number(Buffer.from(token, 'base64url').toString())
  return {
    from: query.get('from') ?? '',
    to: query.get('to') ?? '',
    position,
    size: Math.min(PAGE_ROWS, Number(query.get('page_size') ?? 30)),
  }
}

function pageOf({ count, bytes, starts }: Rendered, query: PageQuery): Buffer {
  const { from, to, size } = query
  const first = query.position ?? firstFrom(Date.parse(from), count)
  const beyond = firstFrom(Date.parse(to) + DAY_MS, count)
  const next = Math.min(first + size, beyond)
  const token = next < beyond ? Buffer.from(String(next)).toString('base64url') : ''
  const head = { from, to, page_size: size, next_page_token: token }
  const from0 = starts[first] ?? 0
  const records = bytes.subarray(from0, Math.max(from0, (starts[next] ?? 0) - 1))
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"sessions":[`),
    records,
    Buffer.from(']}'),
  ])
}

/** The first report that starts at or after the instant. */
function firstFrom(epochMs: number, count: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (startOf(middle, count) < epochMs) low = middle + 1
    else high = middle
  }
  return low
}

async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await once(request.resume(), 'end')
  const token = { access_token: 'bench', token_type: 'bearer', expires_in: 3600, scope: '' }
  send(response, Buffer.from(JSON.stringify(token)))
}

function send(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
  })
  response.end(body)
}

const PAGE_ROWS = 100

await serveOrder(servePages, { stay: true })
