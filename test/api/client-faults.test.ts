import { type AddressInfo, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { retryRemark } from '../../src/cli/sync.ts'
import type { Observer } from '../../src/core/define/observer.ts'
import { CallsheetError, ServiceError, TransportError } from '../../src/core/errors.ts'
import { listUsers } from '../../src/resources/users.ts'
import { clientUnderTest, type ReadPage, readPage } from './client-under-test.ts'
import {
  type Answer,
  cutShort,
  faultServer,
  JSON_TYPE,
  page,
  resetAtOnce,
  send,
} from './fault-server.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const limits = { totalTimeoutMs: 400, headersTimeoutMs: 200, maxBodyBytes: 100_000 }

async function fetchUsers(...answers: Answer[]) {
  const server = await faultServer(...answers)
  const tested = clientUnderTest(server.url, { limits })
  closers.push(tested.close, server.close)
  const result = await readPage(
    tested.client
      .fetchPage(listUsers, { query: { status: 'active' } })
      .catch((error: unknown) => error as CallsheetError),
  )
  return { ...tested, server, result }
}

const GOOD = page({ id: 'u1' })
const JSON_200 = (body: string | Buffer, headers = {}): Answer =>
  send(200, body, { ...JSON_TYPE, ...headers })

const passing: [string, Answer][] = [
  ['N1 a reset before the headers', resetAtOnce],
  ['N2, N5 a body that is cut short', cutShort],
  ['N3 a stall before the headers', () => {}],
  ['N4 a stall in the body', (_q, r) => void r.writeHead(200, JSON_TYPE).write('{"users":[')],
  ['N4 a body that arrives byte by byte', drip],
  ['N5 chunks without an end', chunksWithoutEnd],
  [
    'N6 a body that ends with the connection, too early',
    (q) => rawAnswer(q.socket, 'Connection: close', '{"users":[{"id"'),
  ],
  [
    'N6 half a gzip body',
    JSON_200(gzipSync('{"users":[]}').subarray(0, 20), { 'content-encoding': 'gzip' }),
  ],
  ['N9 garbage after the JSON', JSON_200('{"users":[]}garbage')],
  ['H10 a 500', send(500, '')],
  ['a 408', send(408, '')],
  ['a 425 that is too early', send(425, { code: 425, message: 'Too early.' })],
  ['a 425 inside a 200', send(200, { code: 425, message: 'Too early.', users: [] })],
  [
    'H10, N11 a 502 in HTML',
    send(502, '<html>bad gateway</html>', { 'content-type': 'text/html' }),
  ],
  [
    'N11 a 403 in HTML',
    send(403, '<html>The network says no</html>', { 'content-type': 'text/html' }),
  ],
  ['N11 a 407', send(407, '')],
  ['N11 a 511', send(511, '')],
  ['H10 a 503', send(503, { code: 503, message: 'busy' })],
  ['H10 a 504 that is almost JSON', send(504, '{"code":504,"message":"the "gateway" slept"}')],
  [
    'H12 HTML in a 200',
    send(200, '<html>{"users":[]}</html>', { 'content-type': 'text/html; charset=utf-8' }),
  ],
  ['H14 an empty 200', JSON_200('')],
  ['H15 broken JSON', JSON_200('{"users":[{"id":"a"},]}')],
  ['H15 NaN', JSON_200('{"users":[{"id":NaN}]}')],
  ['H15 records named twice', JSON_200('{"users":[{"id":"a"}],"users":[]}')],
  [
    'H15 a next page named twice',
    JSON_200('{"users":[],"next_page_token":"x","next_page_token":""}'),
  ],
  ['H19 a flood of interim answers', floodOfHints],
  ['bytes that are not UTF-8', JSON_200(Buffer.from('{"users":[{"id":"\xff"}]}', 'latin1'))],
]

describe('a temporary fault', () => {
  it.each(passing)('(%s) is retried, and the page is then complete', async (_name, fault) => {
    const { result, server, clock } = await fetchUsers(fault, GOOD)
    expect((result as ReadPage).records).toEqual([{ id: 'u1' }])
    expect(server.requests).toHaveLength(2)
    expect(clock.sleeps).toContain(500)
  })

  it('N1 is reported after eight tries with growing waits', async () => {
    const { result, server, clock, governor } = await fetchUsers(resetAtOnce)
    expect(governor.stats().MEDIUM).toMatchObject({ requests: 8, spentToday: 8 })
    expect(result).toBeInstanceOf(TransportError)
    expect(server.requests).toHaveLength(8)
    expect(clock.sleeps).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000])
  })

  it('of a refused connection (N1) counts no call against the quota', async () => {
    const probe = createServer().listen(0)
    const { port } = probe.address() as AddressInfo
    await new Promise((resolve) => probe.close(resolve))
    const tested = clientUnderTest(`http://127.0.0.1:${port}/v2`)
    closers.push(tested.close)
    await expect(
      tested.client.fetchPage(listUsers, { query: { status: 'active' } }),
    ).rejects.toThrow('ECONNREFUSED')
    // None of the eight tries left this machine, so none counts against the quota.
    expect(tested.governor.stats().MEDIUM).toMatchObject({ requests: 0, spentToday: 0 })
    await tested.close()
    expect([...tested.ledger.booked.values()]).toEqual([0])
  })

  it('in resolving a host name (N7) is retried twice, and the log names the host', async () => {
    const events: object[] = []
    const remarks: (string | undefined)[] = []
    const observer: Observer = {
      event(name, fields) {
        events.push({ name, ...fields })
        remarks.push(retryRemark(name, fields))
      },
    }
    const tested = clientUnderTest('https://no-such-host.invalid/v2', { observer })
    closers.push(tested.close)
    const call = tested.client.fetchPage(listUsers, {})
    await expect(call).rejects.toMatchObject({ code: 'no_such_host' })
    expect(tested.clock.sleeps).toEqual([500, 1_000])
    const reason = 'the connection failed (ENOTFOUND no-such-host.invalid)'
    expect(events.at(-1)).toMatchObject({ name: 'api.failed', tries: 3, again: false, reason })
    const remark = (tries: number, next: string) =>
      `users.list: ${reason}. Try ${tries + 1} of 3 is at ${next} UTC. Ctrl-C stops; nothing is lost.`
    const [first, second] = events.map((event) => (event as { until?: string }).until ?? '')
    expect(remarks).toEqual([
      remark(1, first?.slice(11, 19) ?? ''),
      remark(2, second?.slice(11, 19) ?? ''),
      undefined,
    ])
    expect(events[0]).toMatchObject({ tries: 1, limit: 3, again: true, wait_ms: 500 })
  })
})

it('an invalid element does not make its page fail', async () => {
  const { result, server } = await fetchUsers(JSON_200('{"users":[{"id":"a"},1,null,[2]]}'))
  expect((result as ReadPage).records).toEqual([{ id: 'a' }, 1, null, [2]])
  expect(server.requests).toHaveLength(1)
})

it('N9 a body in single bytes, and with a byte-order mark, is read exactly', async () => {
  const { result } = await fetchUsers((_request, response) => {
    response.writeHead(200, JSON_TYPE)
    const bytes = Buffer.from('\uFEFF{"users":[{"id":"Zoë \u{1F600}"}],"next_page_token":null}')
    for (const byte of bytes) response.write(Buffer.of(byte))
    response.end()
  })
  expect((result as ReadPage).records).toEqual([{ id: 'Zoë \u{1F600}' }])
  expect((result as ReadPage).next).toBeUndefined()
})

describe('a response that a retry cannot fix', () => {
  it.each([
    ['H20 an unrequested 304', send(304), 'HTTP 304'],
    ['H20 an unrequested 206', send(206, { users: [] }), 'HTTP 206'],
    ['H17 a redirect', send(302, '', { location: 'http://127.0.0.1:1/' }), 'HTTP 302'],
    [
      'H16 a body above the limit',
      JSON_200(`{"users":[],"pad":"${'x'.repeat(100_000)}"}`),
      '100000 bytes',
    ],
    [
      'H16 a gzip bomb',
      JSON_200(gzipSync(Buffer.alloc(5_000_000)), { 'content-encoding': 'gzip' }),
      '100000 bytes',
    ],
    ['an encoding that was not requested', JSON_200('x', { 'content-encoding': 'br' }), 'encoding'],
    ['H3 a 403', send(403, { code: 3, message: 'Feature is off' }), 'code 3, "Feature is off"'],
    ['H5 a 422 without a body', send(422), 'HTTP 422'],
    [
      'H13 an error inside a 200',
      JSON_200('{"code":200,"message":"No permission"}'),
      'code 200, "No permission"',
    ],
  ])('(%s) is an error at once', async (_name, fault, said) => {
    const { result, server } = await fetchUsers(fault, GOOD)
    expect(result).toBeInstanceOf(CallsheetError)
    expect((result as CallsheetError).message).toContain(said)
    expect((result as CallsheetError).message).toContain('users.list')
    expect(server.requests).toHaveLength(1)
  })

  it('is reported with the tracking ID, and with its code as text', async () => {
    const { result } = await fetchUsers(send(400, { code: '1003_001', message: 'Too many' }))
    expect(result).toBeInstanceOf(ServiceError)
    expect(result).toMatchObject({ status: 400, serviceCode: '1003_001', trackingId: 'T-1' })
    expect((result as ServiceError).message).toContain('x-svc-trackingid T-1')
  })

  it('is reported without personal data from the service’s message', async () => {
    const message =
      'User zoe@example.com with +1 415 555 0100 and id aBcDeF123456789 is \u001b[31mgone\nnow.'
    const { result } = await fetchUsers(send(404, { code: 1001, message }))
    const said = (result as CallsheetError).message
    expect(said).toContain('User <address> with <number> and id <id> is  [31mgone now')
  })
})

describe('a gzip response', () => {
  it('is decoded, with integers above 2^53 unchanged', async () => {
    const body = gzipSync('{"users":[{"id":"a","n":12345678901234567890}],"total_records":7}')
    const { result } = await fetchUsers(JSON_200(body, { 'content-encoding': 'gzip' }))
    expect(JSON.stringify((result as ReadPage).records[0])).toBe(
      '{"id":"a","n":12345678901234567890}',
    )
    expect((result as ReadPage).total).toBe(7)
  })
})

function drip(...[, response]: Parameters<Answer>): void {
  response.writeHead(200, JSON_TYPE)
  const timer = setInterval(() => response.write(' '), 50)
  response.on('close', () => clearInterval(timer))
}

function chunksWithoutEnd(...[request]: Parameters<Answer>): void {
  rawAnswer(request.socket, 'Transfer-Encoding: chunked', '5\r\n{"use\r\n')
}

/** Sends hints that an answer will follow, which never does. */
function floodOfHints(request: Parameters<Answer>[0]): void {
  const { socket } = request
  const flood = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 2)
  socket.on('close', () => clearInterval(flood))
  socket.on('error', () => {})
}

function rawAnswer(socket: NodeJS.WritableStream, header: string, body: string): void {
  socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${header}\r\n\r\n${body}`)
}
