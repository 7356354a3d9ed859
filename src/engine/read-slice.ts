import type { Page } from '../api/client.ts'
import { PageTokenError, TransportError } from '../core/errors.ts'
import type { FingerprintTable } from '../core/fingerprint-table.ts'
import type { CallArguments } from '../core/operation.ts'
import type { Stream } from '../core/stream.ts'
import type { BatchWriter } from './batch-writer.ts'
import { checkEcho } from './check-echo.ts'
import type { RunContext } from './run-context.ts'
import type { SliceReading } from './slice-reading.ts'
import { takePage } from './take-page.ts'

export interface SliceTaking {
  stream: Stream
  table: FingerprintTable
  writer: BatchWriter
}

/**
 * Reads a slice to its end: page after page along the token chain, the next page under way while this one
 * is judged. A page token that is refused, repeats, or ends before the service's own total starts the slice
 * again at its first page, `MAX_PASSES` times at most; then the slice fails and is planned smaller.
 */
export async function readSlice(
  run: RunContext,
  taking: SliceTaking,
  reading: SliceReading,
): Promise<void> {
  for (let pass = 1; ; pass++) {
    const failure = await readPass(run, taking, reading)
    if (failure === undefined) return
    if (pass >= MAX_PASSES && failure.code !== 'body_too_large') throw failure
    run.observer.event('slice.restarted', { stream: taking.stream.name, pass, code: failure.code })
  }
}

async function readPass(
  run: RunContext,
  taking: SliceTaking,
  reading: SliceReading,
): Promise<PageTokenError | undefined> {
  // What an earlier pass judged new, changed or unchanged stays so: this one sees it repeated.
  const anew = { pages: 0, received: 0, ignored: 0, quarantined: 0, serviceTotal: undefined }
  Object.assign(reading, anew)
  const chain = pageChain(run, taking.stream, reading)
  try {
    for await (const { page, sequence } of chain) {
      const { stream, table, writer } = taking
      takePage(
        { stream, cuts: run.cutsOf(stream), table, batch: writer.batch, reading, sequence },
        page,
      )
      reading.pages++
      reading.serviceTotal = page.total ?? reading.serviceTotal
      run.progress(stream, { rows: page.records.length })
      await writer.settle(reading.slice.request.slice, {
        keepKnown: reading.slice.request.keepKnown === true,
      })
    }
  } catch (error) {
    if (error instanceof PageTokenError) return error
    if (!(error instanceof TransportError) || error.code !== 'body_too_large') throw error
    if (!halvePages(taking.stream, reading)) throw error
    return new PageTokenError(error.code, { ...error.facts, cause: error })
  }
  const { received, fresh, changed, unchanged, quarantined } = reading
  reading.ignored = Math.max(0, received - fresh - changed - unchanged - quarantined)
  return shortList(taking.stream, reading)
}

/**
 * The pages of one pass, each with the number of its request. The next one is asked for before this one is
 * judged.
 */
async function* pageChain(
  run: RunContext,
  stream: Stream,
  reading: SliceReading,
): AsyncGenerator<{ page: Page; sequence: number }> {
  const tokens = new Set<string>()
  let args = withPageSize(reading)
  let emptyPages = 0
  const ask = (token: string | undefined): { sequence: number; page: Promise<Page> } => {
    const sequence = run.nextSequence()
    const page = run.client.fetchPage(stream.operation, withToken(args, token), {
      signal: run.signal,
    })
    page.catch(() => {})
    return { sequence, page }
  }
  let next: ReturnType<typeof ask> | undefined = ask(undefined)
  for (let first = true; next !== undefined; first = false) {
    const { sequence } = next
    const page: Page = await next.page
    if (first) {
      reading.requestedAtMs = page.requestedAtMs
      args = checkEcho(stream.operation, { args, page, nowMs: run.clock.now() })
    }
    emptyPages = page.records.length === 0 ? emptyPages + 1 : 0
    const token: string | undefined = page.nextPageToken
    if (token !== undefined) refuseLoop(stream, { token, tokens, emptyPages })
    next = token === undefined ? undefined : ask(token)
    yield { page, sequence }
  }
}

/** A page that is too large in bytes is asked for again with half the records, down to a few. */
function halvePages(stream: Stream, reading: SliceReading): boolean {
  const before = reading.pageSize ?? stream.operation.paging?.maxPageSize ?? 1
  reading.pageSize = Math.ceil(before / 2)
  return reading.pageSize < before
}

function refuseLoop(
  stream: Stream,
  { token, tokens, emptyPages }: { token: string; tokens: Set<string>; emptyPages: number },
): void {
  const tried = `reading the pages of ${stream.operation.id}`
  if (tokens.has(token))
    throw new PageTokenError('page_loop', { tried, came: 'a page token came a second time' })
  if (tokens.size >= MAX_PAGES)
    throw new TransportError('too_many_pages', false, {
      tried,
      came: `more than ${MAX_PAGES} pages`,
    })
  if (emptyPages >= MAX_EMPTY_PAGES)
    throw new PageTokenError('empty_pages', {
      tried,
      came: `${emptyPages} empty pages in a row, each with a token`,
    })
  tokens.add(token)
}

/**
 * An end before the service's own total is no end. More than the total is: rows shift while they are paged.
 */
function shortList(
  stream: Stream,
  { received, serviceTotal }: SliceReading,
): PageTokenError | undefined {
  if (serviceTotal === undefined || received >= serviceTotal) return undefined
  return new PageTokenError('short_list', {
    tried: `reading ${stream.operation.id} to its end`,
    expected: `${serviceTotal} records, the service's own total`,
    came: `the last page after ${received}`,
  })
}

function withPageSize({ slice, pageSize }: SliceReading): CallArguments {
  const args = slice.request.arguments
  return pageSize === undefined ? args : { ...args, query: { ...args.query, page_size: pageSize } }
}

function withToken(args: CallArguments, token: string | undefined): CallArguments {
  return token === undefined ? args : { ...args, query: { ...args.query, next_page_token: token } }
}

const MAX_PASSES = 3
const MAX_EMPTY_PAGES = 10
const MAX_PAGES = 100_000
