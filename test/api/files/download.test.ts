import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { ClientOptions } from '../../../src/api/client.ts'
import { type CallsheetError, StoreError } from '../../../src/core/errors.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { downloadArchivedFile } from '../../../src/resources/whiteboard-archives.ts'
import { clientUnderTest } from '../client-under-test.ts'
import { type Answer, faultServer, JSON_TYPE, resetAtOnce, send } from '../fault-server.ts'
import { hastyClock } from '../hasty-clock.ts'
import { memorySinks } from '../memory-sink.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const FILE = Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7) & 255))
const file: Answer = send(200, FILE, { 'content-length': String(FILE.length) })

interface Order {
  bytes?: number
  sinks?: ReturnType<typeof memorySinks>
  options?: Partial<ClientOptions>
  signal?: AbortSignal
}

async function download(answers: Answer[], { bytes, sinks = memorySinks(), ...more }: Order = {}) {
  const server = await faultServer(...answers)
  const tested = clientUnderTest(server.url, more.options)
  closers.push(tested.close, server.close)
  const { receive, counts } = sinks
  const request = {
    url: `${server.url}/files/1?signature=canary`,
    receive,
    bytes,
    signal: more.signal,
  }
  const result = await tested.client.download(downloadArchivedFile, request).then(
    (came) => ({ bytes: came.sink.bytes(), size: came.bytes, error: undefined }),
    (error: unknown) => ({ bytes: undefined, size: 0, error: error as CallsheetError }),
  )
  return { ...tested, ...result, counts, server }
}

describe('a file download', () => {
  it('returns the bytes, with the bearer token and within its rate limit', async () => {
    const { bytes, size, server, governor, counts } = await download([file])
    expect(bytes?.equals(FILE)).toBe(true)
    expect(size).toBe(FILE.length)
    expect(server.requests).toMatchObject([
      { path: '/v2/files/1?signature=canary', bearer: 'Bearer token-1' },
    ])
    expect(governor.stats().MEDIUM.requests).toBe(1)
    expect(counts).toEqual({ made: 1, discarded: 0 })
  })

  it.each(['utf-8', 'aws-chunked', 'identity'])(
    'returns the bytes unchanged if the content-encoding is %s, which does not compress',
    async (name) => {
      const { bytes } = await download([send(200, FILE, { 'content-encoding': name })])
      expect(bytes?.equals(FILE)).toBe(true)
    },
  )

  const passing: [string, Answer][] = [
    ['a reset', resetAtOnce],
    ['a 500', send(500, '')],
    ['a 503', send(503, '', { 'retry-after': '1' })],
    ['a 429', send(429, { code: 429, message: 'maximum per-second rate limit' })],
    ['H12 a page of HTML', send(200, '<html>wait</html>', { 'content-type': 'text/html' })],
    ['H14 a 204', send(204)],
    ['N5 half of the body', halfOf({ 'content-length': '5000' })],
    ['N5 chunks without an end', chunksWithoutEnd],
    ['N6 an unannounced end', untilClosed(FILE.subarray(0, 2_500))],
    ['a 503 inside a 200', send(200, { code: 503, message: 'try later' })],
  ]
  it.each(passing)('is retried from its first byte after %s', async (_name, fault) => {
    const { bytes, counts } = await download([fault, file])
    expect(bytes?.equals(FILE)).toBe(true)
    // Bytes that a failed try has written are discarded.
    expect(counts.discarded).toBe(counts.made - 1)
    expect(counts.made).toBeGreaterThan(1)
  })

  const refused: [string, Answer, Partial<CallsheetError> & object, number][] = [
    ['H4 a 404', send(404, { code: 34000, message: 'expired' }), { status: 404 } as object, 1],
    ['H3 a 403', send(403, { code: 34009, message: 'no' }), { status: 403 } as object, 1],
    [
      'an error inside a 200',
      send(200, { code: 200, message: 'no right' }),
      { status: 200 } as object,
      1,
    ],
    ['H20 a 206', send(206, FILE), { code: 'unexpected_file' }, 1],
    ['H20 a 304', send(304), { code: 'unexpected_file' }, 1],
    [
      'gzip that was not requested',
      send(200, gzipSync(FILE), { 'content-encoding': 'gzip' }),
      { code: 'wrong_encoding' },
      1,
    ],
    ['an unannounced end', untilClosed(FILE), { code: 'length_unknown' }, 3],
    [
      'a missing scope',
      send(400, { code: 4711, message: 'does not contain scopes:[a]' }),
      { code: 'missing_scope' },
      1,
    ],
  ]
  it.each(refused)(
    'fails with the reason that the response gives: %s',
    async (_name, answer, expected, tries) => {
      const { error, server, counts } = await download([answer])
      expect(error).toMatchObject(expected)
      expect(server.requests).toHaveLength(tries)
      expect(counts.discarded).toBe(counts.made)
      expect(JSON.stringify([error?.message, error?.facts])).not.toContain('canary')
    },
  )

  it('renews a refused token once and repeats the request', async () => {
    const { bytes, server } = await download([send(401, { code: 124, message: 'x' }), file])
    expect(bytes?.equals(FILE)).toBe(true)
    expect(server.requests.map(({ bearer }) => bearer)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ])
  })

  it('is tried three times if its length differs from the listed one', async () => {
    expect((await download([file], { bytes: 5_000 })).error).toBeUndefined()
    expect((await download([untilClosed(FILE)], { bytes: 5_000 })).error).toBeUndefined()
    for (const bytes of [4_999, 5_001]) {
      const { error, server, counts } = await download([file], { bytes })
      expect(error?.code).toBe('wrong_length')
      expect(server.requests).toHaveLength(3)
      expect(counts.discarded).toBe(3)
    }
  })

  it('accepts a small JSON file that is not an error', async () => {
    for (const text of ['{"code":7}', '{"message":"hi","shapes":[]}', '[1]', '{"code":'])
      expect((await download([send(200, Buffer.from(text), JSON_TYPE)])).bytes?.toString()).toBe(
        text,
      )
  })

  it('N4 is aborted below one kilobyte per second for half a minute, and tried three times', async () => {
    const base = hastyClock()
    const clock = {
      ...base,
      alarm: (ms: number, ring: () => void) => systemClock.alarm(ms / 400, ring),
    }
    const { error, server } = await download([drip], { options: { clock } })
    expect(error?.code).toBe('too_slow')
    expect(server.requests).toHaveLength(3)
  })

  it('may start late like any response, and its speed is measured only from its start', async () => {
    let ring = (): void => {}
    const clock = {
      ...hastyClock(),
      alarm: (_ms: number, look: () => void) => ((ring = look), () => {}),
    }
    const late: Answer = (request, response) => {
      // The alarm for half a minute fires before the first byte arrives.
      ring()
      file(request, response)
    }
    const { bytes, server } = await download([late], { options: { clock } })
    expect(bytes?.equals(FILE)).toBe(true)
    expect(server.requests).toHaveLength(1)
  })

  it('makes the service wait while its sink is busy', async () => {
    const whole = 24 * 2 ** 20
    let sent = 0
    let mostAhead = 0
    let written = 0
    const large: Answer = (_request, response) => {
      response.writeHead(200, { 'content-length': String(whole) })
      const more = (): void => {
        while (sent < whole) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    }
    const sinks = memorySinks(async (piece) => {
      mostAhead = Math.max(mostAhead, sent - written)
      written += piece.length
      await new Promise(setImmediate)
    })
    const { size } = await download([large], { sinks })
    expect(size).toBe(whole)
    // Bytes sent ahead are in the buffers of the sockets, not in ours.
    expect(mostAhead).toBeLessThan(whole / 2)
  })

  it('ends at once if its sink fails, and reports that error', async () => {
    const full = new StoreError('store_full', { tried: 'x', came: 'the disk is full' })
    const sinks = memorySinks(() => Promise.reject(full))
    const { error, server, counts } = await download([file], { sinks })
    expect(error).toBe(full)
    expect(server.requests).toHaveLength(1)
    expect(counts).toEqual({ made: 1, discarded: 1 })
  })

  it('stops on an abort', async () => {
    const stop = new AbortController()
    const begun: Answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '5000' })
      response.write('x', () => stop.abort(new Error('stopped')))
    }
    const { error, counts } = await download([begun], { signal: stop.signal })
    expect(error?.message).toBe('stopped')
    expect(counts).toEqual({ made: 1, discarded: 1 })
  })
})

function halfOf(headers: Record<string, string>): Answer {
  return (_request, response) => {
    response.writeHead(200, headers)
    response.write(FILE.subarray(0, 2_500), () => response.destroy())
  }
}

function chunksWithoutEnd(...[request]: Parameters<Answer>): void {
  request.socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n', () =>
    request.socket.destroy(),
  )
}

function untilClosed(bytes: Buffer): Answer {
  return (request) => {
    request.socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n')
    request.socket.end(bytes)
  }
}

function drip(...[, response]: Parameters<Answer>): void {
  response.writeHead(200, { 'content-length': '5000' })
  const timer = setInterval(() => response.write('x'), 10)
  response.on('close', () => clearInterval(timer))
}
