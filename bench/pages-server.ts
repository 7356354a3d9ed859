import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { itemsOf } from '../src/core/define/operation.ts'
import { serveOrder } from './child.ts'
import { type Source, sources } from './sources.ts'

export interface PagesOrder {
  source: string
  rows: number
}

/** What was asked for since this was last told. */
export interface Asked {
  /** The first request of each token chain. */
  paths: string[]
  /** All requests, but for tokens of access. */
  calls: number
}

/**
 * The service reduced to its bytes: everything is rendered before the first request, so that a slow server
 * flatters nobody. A page is a slice of these bytes, along opaque tokens that stand for a position. It notes
 * which chains were asked for, so that others can drain exactly the same.
 */
async function servePages({ source: name, rows }: PagesOrder): Promise<{ url: string }> {
  const source = sources[name] as Source
  const rendered = render(source, rows)
  let asked: Asked = { paths: [], calls: 0 }
  let generation = 0
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const { searchParams: query, pathname } = url
    if (pathname === '/oauth/token') void answerToken(request, response)
    else if (pathname === '/asked') {
      send(response, [Buffer.from(JSON.stringify(asked))])
      asked = { paths: [], calls: 0 }
    } else if (pathname === '/change') {
      generation++
      send(response, [Buffer.from(JSON.stringify(change(rendered, source, generation)))])
    } else if (pathname.startsWith(`${source.path}/`)) {
      // A detail is asked for only of what a list no longer shows.
      asked.calls++
      send(response, [Buffer.from('{"code":1001,"message":"No such user."}')], 404)
    } else {
      asked.calls++
      if (!query.has('next_page_token')) asked.paths.push(request.url ?? '')
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
  /** 1 for each record that was deleted: no page shows it. */
  deleted: Uint8Array
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
  return { count, bytes, starts, deleted: new Uint8Array(count) }
}

/**
 * Makes every hundredth record another one, of the same length: its digits show the generation. Every
 * hundredth of these is deleted instead, so that there is one in each window. Answers how many.
 */
function change(
  { count, bytes, starts, deleted }: Rendered,
  source: Source,
  generation: number,
): number {
  let fewer = 0
  for (let index = generation % 100; index < count; index += 100) {
    if (Math.floor(index / 100) % 100 === generation % 100) {
      fewer += 1 - (deleted[index] ?? 1)
      deleted[index] = 1
      continue
    }
    // By itself: past 2 GiB a place in the whole is more than a search in it can begin at.
    const record = bytes.subarray(starts[index], starts[index + 1])
    const field = record.indexOf(`"${source.changing}":"`)
    const end = record.indexOf('"', field + source.changing.length + 4)
    record.write(String(generation % 1000).padStart(3, '0'), end - 3, 'latin1')
  }
  return fewer
}

function pageOf(rendered: Rendered, source: Source, query: URLSearchParams): Buffer[] {
  const { count, bytes, starts, deleted } = rendered
  const { first: beginning, beyond, echo } = source.range(query, count)
  const asked = query.get('next_page_token')
  const first = asked === null ? beginning : Number(Buffer.from(asked, 'base64url').toString())
  const size = Math.min(source.pageRows, Number(query.get('page_size') ?? 30))
  // Records that stand side by side are one piece of the bytes.
  const pieces: Buffer[] = []
  let [at, shown] = [first, 0]
  while (at < beyond && shown < size) {
    const from = at
    while (at < beyond && shown < size && deleted[at] === 0) [at, shown] = [at + 1, shown + 1]
    if (at > from) pieces.push(bytes.subarray(starts[from], starts[at]))
    while (at < beyond && deleted[at] === 1) at++
  }
  const token = at < beyond ? Buffer.from(String(at)).toString('base64url') : ''
  const total = source.tellsTotal ? { total_records: shownBetween(deleted, beginning, beyond) } : {}
  const head = JSON.stringify({ ...echo, ...total, page_size: size, next_page_token: token })
  const items = itemsOf(source.stream.operation) ?? ''
  const last = pieces.pop()
  return [
    Buffer.from(`${head.slice(0, -1)},"${items}":[`),
    ...pieces,
    // Without the comma behind the last record.
    ...(last === undefined ? [] : [last.subarray(0, -1)]),
    Buffer.from(']}'),
  ]
}

function shownBetween(deleted: Uint8Array, first: number, beyond: number): number {
  let gone = 0
  for (let at = deleted.indexOf(1, first); at >= 0 && at < beyond; at = deleted.indexOf(1, at + 1))
    gone++
  return beyond - first - gone
}

async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await once(request.resume(), 'end')
  const token = { access_token: 'bench', token_type: 'bearer', expires_in: 3600, scope: '' }
  send(response, [Buffer.from(JSON.stringify(token))])
}

/** One write of all pieces, none of them copied. */
function send(response: ServerResponse, pieces: readonly Buffer[], status = 200): void {
  response.cork()
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': pieces.reduce((length, piece) => length + piece.length, 0),
  })
  for (const piece of pieces) response.write(piece)
  response.end()
}

await serveOrder(servePages, { stay: true })
