import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { itemsOf } from '../src/core/operation.ts'
import { serveOrder } from './child.ts'
import { type Source, sources } from './sources.ts'

export interface PagesOrder {
  source: string
  rows: number
}

/**
 * The service reduced to its bytes: everything is rendered before the first request, so that a slow server
 * flatters nobody. A page is a slice of these bytes, along opaque tokens that stand for a position. It notes
 * which chains were asked for, so that others can drain exactly the same.
 */
async function servePages({ source: name, rows }: PagesOrder): Promise<{ url: string }> {
  const source = sources[name] as Source
  const rendered = render(source, rows)
  let asked: string[] = []
  let generation = 0
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const { searchParams: query, pathname } = url
    if (pathname === '/oauth/token') void answerToken(request, response)
    else if (pathname === '/asked') {
      send(response, [Buffer.from(JSON.stringify(asked))])
      asked = []
    } else if (pathname === '/change') {
      generation++
      send(response, [Buffer.from(String(change(rendered, source, generation)))])
    } else {
      if (!query.has('next_page_token')) asked.push(request.url ?? '')
      send(response, pageOf(rendered, source, query))
    }
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}` }
}

/** All records as the wire's bytes, each followed by a comma, so that any page is one slice of them. */
interface Rendered {
  count: number
  bytes: Buffer
  /** Where each record begins; one more than there are records. */
  starts: Float64Array
}

function render({ recordAt }: Source, count: number): Rendered {
  const starts = new Float64Array(count + 1)
  let bytes = Buffer.alloc(count * 700)
  let length = 0
  for (let index = 0; index < count; index++) {
    starts[index] = length
    length += bytes.write(`${JSON.stringify(recordAt(index, count))},`, length)
  }
  starts[count] = length
  bytes = bytes.subarray(0, length)
  return { count, bytes, starts }
}

/** Makes every hundredth record another one, of the same length: its digits show the generation. */
function change({ count, bytes, starts }: Rendered, source: Source, generation: number): number {
  let changed = 0
  for (let index = generation % 100; index < count; index += 100) {
    // By itself: past 2 GiB a place in the whole is more than a search in it can begin at.
    const record = bytes.subarray(starts[index], starts[index + 1])
    const field = record.indexOf(`"${source.changing}":"`)
    const end = record.indexOf('"', field + source.changing.length + 4)
    record.write(String(generation % 1000).padStart(3, '0'), end - 3, 'latin1')
    changed++
  }
  return changed
}

function pageOf(rendered: Rendered, source: Source, query: URLSearchParams): Buffer[] {
  const { count, bytes, starts } = rendered
  const { first: beginning, beyond, echo } = source.range(query, count)
  const asked = query.get('next_page_token')
  const first = asked === null ? beginning : Number(Buffer.from(asked, 'base64url').toString())
  const size = Math.min(source.pageRows, Number(query.get('page_size') ?? 30))
  const next = Math.min(first + size, beyond)
  const token = next < beyond ? Buffer.from(String(next)).toString('base64url') : ''
  const head = JSON.stringify({ ...echo, page_size: size, next_page_token: token })
  const items = itemsOf(source.stream.operation) ?? ''
  const from = starts[first] ?? 0
  return [
    Buffer.from(`${head.slice(0, -1)},"${items}":[`),
    bytes.subarray(from, Math.max(from, (starts[next] ?? 0) - 1)),
    Buffer.from(']}'),
  ]
}

async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await once(request.resume(), 'end')
  const token = { access_token: 'bench', token_type: 'bearer', expires_in: 3600, scope: '' }
  send(response, [Buffer.from(JSON.stringify(token))])
}

/** One write of all pieces, none of them copied. */
function send(response: ServerResponse, pieces: readonly Buffer[]): void {
  response.cork()
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': pieces.reduce((length, piece) => length + piece.length, 0),
  })
  for (const piece of pieces) response.write(piece)
  response.end()
}

await serveOrder(servePages, { stay: true })
