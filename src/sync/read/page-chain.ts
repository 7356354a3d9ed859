import { nameOf, refuseLoop, withNext } from '../../api/call/next-page.ts'
import type { NextPage, Page } from '../../api/client.ts'
import type { CallArguments } from '../../core/define/operation.ts'
import type { Stream } from '../../core/define/stream.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import type { PlannedSlice } from '../plan/plan-stream.ts'
import type { RunContext } from '../run/run-context.ts'
import { checkEcho, refuseStranger } from './check-echo.ts'
import { type RecognisedPage, recognise } from './recognise.ts'

export interface LinkedPage {
  page: Page
  /** The page's records against what the warehouse holds. */
  recognised: RecognisedPage
  /** The number of the page's request. */
  sequence: number
}

interface Asked {
  sequence: number
  page: Promise<Page>
  /** Resolves when the request is on its way, or will never be. */
  sent: Promise<void>
}

interface ChainOptions {
  stream: Stream
  slice: PlannedSlice
  table: FingerprintTable
  /** Of the first page. */
  args: CallArguments
  /** Hears when the first page was asked for, whatever comes of it. */
  onBegin(requestedAtMs: number): void
  /** Whether no further page could be had because there is none; `again` asks for it once more. */
  isEnd(error: unknown, again: () => Promise<Page>): Promise<boolean>
}

/** The pages of one pass, each good until the next is asked for, which is on its way before that. */
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
    const beside = run.tables.beside(stream, table)
    return recognise({ stream, table, beside, slice, words: run.words }, page.records)
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
  // The failure is thrown where the page is waited for.
  page.then(
    () => sent.resolve(),
    () => sent.resolve(),
  )
  return { sequence, page, sent: sent.promise }
}
