import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exchange } from '../../src/api/client/exchange.ts'
import { openPool } from '../../src/api/client/origin-pool.ts'
import { systemClock } from '../../src/core/time/clock.ts'

const BODY = Buffer.alloc(300_000, 'a body of some length, ')
const SMALL = Buffer.from('a small body')
let server: Server
beforeAll(async () => {
  server = createServer(({ url }, response) => response.end(url === '/small' ? SMALL : BODY))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void server.close())

it('frees what a body came in once it is copied, and nothing that others have', async () => {
  const { port } = server.address() as AddressInfo
  const cameIn: ArrayBufferLike[] = []
  const options = { connectTimeoutMs: 5000, connections: 1 }
  const pool = openPool(`http://127.0.0.1:${port}`, options).compose(
    (dispatch) => (request, handler) =>
      dispatch(request, {
        onRequestStart: (...given) => handler.onRequestStart?.(...given),
        onResponseStart: (...given) => handler.onResponseStart?.(...given),
        onResponseData(controller, piece) {
          // As Node cuts small buffers: from memory that others lie in as well.
          const own = piece.length > 1000 ? piece : Buffer.from(piece)
          cameIn.push(own.buffer)
          return handler.onResponseData?.(controller, own)
        },
        onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
        onResponseError: (...given) => handler.onResponseError?.(...given),
      }),
  )
  const get = (path: string) =>
    exchange(
      { pool, clock: systemClock },
      { tried: 'reading a page', method: 'GET', path, headers: {} },
      { headersTimeoutMs: 5000, totalTimeoutMs: 5000, maxBodyBytes: 1_000_000 },
    )
  const beside = Buffer.from('beside it')
  // A connection goes on after its memory was freed.
  for (let time = 0; time < 3; time++) expect((await get('/large')).body.equals(BODY)).toBe(true)
  expect(cameIn.length).toBeGreaterThan(3)
  expect(cameIn.every((memory) => (memory as ArrayBuffer).detached)).toBe(true)
  cameIn.length = 0
  expect((await get('/small')).body.equals(SMALL)).toBe(true)
  expect(cameIn.map((memory) => (memory as ArrayBuffer).detached)).toEqual([false])
  expect(beside.toString()).toBe('beside it')
  await pool.close()
})
