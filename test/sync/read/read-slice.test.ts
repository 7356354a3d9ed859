import { afterEach, expect, test } from 'vitest'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { FingerprintTable } from '../../../src/core/records/fingerprint-table.ts'
import { ShownKeys } from '../../../src/core/records/row-index.ts'
import { users } from '../../../src/resources/users.ts'
import { batchWriter } from '../../../src/sync/read/batch-writer.ts'
import { readSlice } from '../../../src/sync/read/read-slice.ts'
import type { RunContext } from '../../../src/sync/run/run-context.ts'
import { newReading } from '../../../src/sync/run/slice-reading.ts'
import { clientUnderTest } from '../../api/client-under-test.ts'
import { type Answer, faultServer, send } from '../../api/fault-server.ts'
import { NOBODY } from '../../helpers/nobody.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A list of 1 KB records, with as many on a page as requested. */
function largeRecords(count: number): Answer {
  return (request, response) => {
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams
    const size = Number(query.get('page_size'))
    const first = Number(query.get('next_page_token') ?? 0)
    const last = Math.min(count, first + size)
    const records = Array.from({ length: last - first }, (_, at) => {
      return { id: `u${first + at}`, dept: 'x'.repeat(1_000) }
    })
    const token = last < count ? String(last) : ''
    send(200, { users: records, next_page_token: token })(request, response)
  }
}

async function read(answer: Answer) {
  const server = await faultServer(answer)
  const limits = { totalTimeoutMs: 2_000, headersTimeoutMs: 1_000, maxBodyBytes: 100_000 }
  const tested = clientUnderTest(server.url, { limits })
  closers.push(tested.close, server.close)
  let sequence = 0
  const run = {
    client: tested.client,
    clock: tested.clock,
    observer: silentObserver,
    signal: new AbortController().signal,
    unnumbered: new Set(),
    nextSequence: () => ++sequence,
    cutsOf: () => [],
    suppression: NOBODY,
    progress: () => {},
    // No batch is sent: the received rows stay in it.
    batchRows: Number.MAX_SAFE_INTEGER,
  } as unknown as RunContext
  const request = { slice: 'all', arguments: { query: { status: 'active' } }, filter: {} }
  const slice = { request, owned: undefined, parent: undefined, history: undefined }
  const writer = batchWriter(run, users)
  const beside = { keys: new ShownKeys(), idle: false }
  const table = new FingerprintTable()
  const context = {
    stream: users,
    alone: true,
    beside,
    contents: new Map(),
    apart: new ShownKeys(),
    unread: [],
    table,
    writer,
  }
  const reading = await readSlice(run, context, newReading(slice))
  const sizes = server.requests.map(({ path }) =>
    Number(new URL(path, 'http://localhost').searchParams.get('page_size')),
  )
  return {
    failure: reading.error,
    reading,
    keys: writer.batch.fresh.map(({ key }) => key[0]),
    sizes,
  }
}

test('H16 oversized pages are requested with half the records until all are read', async () => {
  const { failure, reading, keys, sizes } = await read(largeRecords(200))
  expect(failure).toBeUndefined()
  expect(keys).toEqual(Array.from({ length: 200 }, (_, at) => `u${at}`))
  expect(reading).toMatchObject({ pages: 3, received: 200, fresh: 200, quarantined: 0 })
  expect(sizes).toEqual([300, 150, 75, 75, 75])
})

test('H16 a record that is too large makes its slice fail without endless requests', async () => {
  const huge = send(200, { users: [{ id: 'u', dept: 'x'.repeat(200_000) }], next_page_token: '' })
  const { failure, sizes } = await read(huge)
  expect(failure).toMatchObject({ code: 'body_too_large' })
  expect(sizes).toEqual([300, 150, 75, 38, 19, 10, 5, 3, 2, 1])
})
