import { afterEach } from 'vitest'
import { silentObserver } from '../../../src/core/define/observer.ts'
import type { Stream } from '../../../src/core/define/stream.ts'
import { FingerprintTable } from '../../../src/core/records/fingerprint-table.ts'
import { ShownKeys } from '../../../src/core/records/row-index.ts'
import { batchWriter } from '../../../src/sync/read/batch-writer.ts'
import { readSlice } from '../../../src/sync/read/read-slice.ts'
import type { RunContext } from '../../../src/sync/run/run-context.ts'
import { newReading } from '../../../src/sync/run/slice-reading.ts'
import { clientUnderTest } from '../../api/client-under-test.ts'
import { faultServer, send } from '../../api/fault-server.ts'
import { NOBODY } from '../../helpers/nobody.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A page request, and the number of requests so far. */
export interface AskedPage {
  number: number
  size: number
  token: string
  calls: number
}

/** Reads one list of a stream; `answer` makes each page from its request. */
export async function readListOf(stream: Stream, answer: (asked: AskedPage) => object) {
  const queries: URLSearchParams[] = []
  const server = await faultServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams
    const asked = {
      number: Number(query.get('page_number') ?? 1),
      size: Number(query.get('page_size')),
      token: query.get('next_page_token') ?? '',
      calls: queries.push(query),
    }
    send(200, answer(asked))(request, response)
  })
  const tested = clientUnderTest(server.url)
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
  const request = { slice: 'all', arguments: { query: {} }, filter: {} }
  const slice = { request, owned: undefined, parent: undefined, history: undefined }
  const writer = batchWriter(run, stream)
  const beside = { keys: new ShownKeys(), idle: false }
  const table = new FingerprintTable()
  const context = {
    stream,
    alone: true,
    beside,
    contents: new Map(),
    apart: new ShownKeys(),
    unread: [],
    table,
    writer,
  }
  const reading = await readSlice(run, context, newReading(slice))
  return { reading, queries, keys: writer.batch.fresh.map(({ key }) => key[0]) }
}
