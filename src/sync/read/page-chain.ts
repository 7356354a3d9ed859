import type { NextPage } from '../../api/answers/paging.ts'
import { nameOf, refuseLoop, withNext } from '../../api/answers/paging.ts'
import type { Page } from '../../api/answers/payload.ts'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import type { Stream } from '../../core/define/stream.ts'
import { PageTokenError, ServiceError } from '../../core/errors.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { instantMs } from '../../core/time/instant.ts'
import { DAY_MS, utcDay, utcInstant } from '../../core/time/time.ts'
import type { PlannedSlice } from '../plan/plan-stream.ts'
import type { RunContext } from '../run/run-context.ts'
import { type RecognisedPage, recognise } from './recognise.ts'

interface LinkedPage {
  page: Page
  /** The page's records, compared with the warehouse. */
  recognised: RecognisedPage
  /** The number of the page's request. */
  sequence: number
}

interface Asked {
  sequence: number
  page: Promise<Page>
  /** Resolves when the request has been sent, or never will be. */
  sent: Promise<void>
}

interface ChainOptions {
  stream: Stream
  slice: PlannedSlice
  table: FingerprintTable
  /** The arguments of the first page. */
  args: CallArguments
  /** Called with the time of the first page's request, once that page is received. */
  onBegin(requestedAtMs: number): void
  /** Whether the next page failed because there is none; `again` requests it once more. */
  isEnd(error: unknown, again: () => Promise<Page>): Promise<boolean>
}

/** Yields the pages of one pass. A page is valid until the next one, already requested, is taken. */
export async function* pageChain(
  run: RunContext,
  { stream, slice, table, args: first, onBegin, isEnd }: ChainOptions,
): AsyncGenerator<LinkedPage> {
  const tokens = new Set<string>()
  let args = first
  const ask = (page: NextPage | undefined, unproven = true): Asked =>
    askFor(run, stream, { args, page, unproven })
  const askNext = (page: Page): Asked | undefined => {
    const { next } = page
    if (next === undefined) return undefined
    refuseLoop(stream, next, tokens)
    return ask(next)
  }
  const recognised = (page: Page): RecognisedPage | undefined => {
    const policy = run.columns?.of(stream)
    return recognise({ stream, table, slice, words: run.words, policy }, page.records)
  }
  let asked: NextPage | undefined
  let next: Asked | undefined = ask(undefined)
  for (let isFirst = true; next !== undefined; isFirst = false) {
    let { sequence } = next
    const answer = await next.page.catch(async (error: unknown) => {
      if (!isFirst && (await isEnd(error, () => ask(asked).page))) return undefined
      throw error
    })
    if (answer === undefined) return
    let page: Page = answer
    if (isFirst) {
      onBegin(page.requestedAtMs)
      args = checkEcho(stream.operation, { args: page.asked, page, nowMs: run.clock.now() })
    } else refuseStranger(stream.operation, args, page)
    next = askNext(page)
    await next?.sent
    let known = recognised(page)
    if (known === undefined) {
      const again = ask(asked, false)
      const followed = page.next
      page = await again.page
      sequence = again.sequence
      refuseStranger(stream.operation, args, page)
      if (nameOf(page.next) !== nameOf(followed)) next = askNext(page)
      known = recognised(page)
    }
    if (known === undefined) throw new Error('A proven page has a record that is no JSON')
    asked = page.next
    yield { page, recognised: known, sequence }
    page.records.release()
  }
}

function askFor(
  run: RunContext,
  { operation }: Stream,
  {
    args,
    page: of,
    unproven,
  }: { args: CallArguments; page: NextPage | undefined; unproven: boolean },
): Asked {
  const sequence = run.nextSequence()
  const sent = Promise.withResolvers<void>()
  const page = run.client.fetchPage(operation, withNext(args, of), {
    signal: run.signal,
    unproven,
    onSent: sent.resolve,
  })
  // Whoever awaits the page receives the failure.
  page.then(
    () => sent.resolve(),
    () => sent.resolve(),
  )
  return { sequence, page, sent: sent.promise }
}

/**
 * Compares the range that the service echoes with the requested one, since it narrows ranges silently. A `to`
 * that it reset to its own present is used for the next pages; any other difference fails the slice.
 */
export function checkEcho(
  operation: Operation,
  { args, page, nowMs }: { args: CallArguments; page: Page; nowMs: number },
): CallArguments {
  const from = args.query?.from
  const to = args.query?.to
  if (typeof from !== 'string' || typeof to !== 'string') return args
  if (differs('from', from, page.echo.from))
    throw narrowed(operation, { asked: from, echoed: page.echo.from, name: 'from' })
  if (!differs('to', to, page.echo.to)) return args
  const echoedMs = instantMs(page.echo.to ?? '')
  const nearPresent = echoedMs !== undefined && Math.abs(echoedMs - nowMs) < DAY_MS
  if (!nearPresent || (instantMs(to) ?? 0) < nowMs - DAY_MS)
    throw narrowed(operation, { asked: to, echoed: page.echo.to, name: 'to' })
  return { ...args, query: { ...args.query, to: sendable(to, page.echo.to ?? '', echoedMs) } }
}

/** The echoed bound, if it is spelled as a day or in UTC; otherwise its instant, spelled like `asked`. */
function sendable(asked: string, echoed: string, echoedMs: number): string {
  if (AS_SENT.test(echoed)) return echoed
  return asked.length === 10 ? utcDay(echoedMs) : utcInstant(echoedMs)
}

/** A later page with another `from` is the response to another request: the list is read again. */
export function refuseStranger(operation: Operation, args: CallArguments, { echo }: Page): void {
  const from = args.query?.from
  if (typeof from !== 'string' || !differs('from', from, echo.from)) return
  throw new PageTokenError('other_answer', {
    tried: `Reading the pages of ${operation.id}`,
    came: `a later page is for from=${echo.from ?? 'none'}, the first page for from=${from}`,
    todo: "run again; if it repeats, contact the service's support and quote this message",
  })
}

/** Whether an echoed bound differs. A day may be echoed as an instant within it, or for `to` as its end. */
function differs(name: 'from' | 'to', asked: string, echoed: string | undefined): boolean {
  if (echoed === undefined) return false
  const sameDay = asked.slice(0, 10) === echoed.slice(0, 10)
  if (echoed.length === 10 && sameDay) return false
  const [askedMs, echoedMs] = [instantMs(asked), instantMs(echoed)]
  if (askedMs === undefined || echoedMs === undefined) return true
  if (asked.length > 10) return askedMs !== echoedMs
  const endMs = askedMs + (name === 'to' ? DAY_MS : DAY_MS - 1)
  return !sameDay && (echoedMs < askedMs || echoedMs > endMs)
}

function narrowed(
  operation: Operation,
  { asked, echoed, name }: { asked: string; echoed: string | undefined; name: string },
): ServiceError {
  return new ServiceError(
    {
      operation: operation.id,
      status: 200,
      serviceCode: NARROWED,
      verdict: { kind: 'never' },
    },
    {
      tried: `Reading ${operation.id}`,
      came: `the service answered for ${name}=${echoed ?? 'none'} instead of ${name}=${asked}`,
      todo:
        "contact the service's support and ask which ranges this list accepts; no row was " +
        'counted as missing',
    },
  )
}

/** The error code of a response for another range than requested. */
export const NARROWED = 'window_narrowed'
/** A day, or a UTC instant without a fraction of zeros. */
const AS_SENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d*[1-9]\d*)?Z)?$/
