import { idlePages } from '../../api/answers/paging.ts'
import type { Page } from '../../api/answers/payload.ts'
import type { CallArguments } from '../../core/define/operation.ts'
import type { Stream } from '../../core/define/stream.ts'
import { PageTokenError, TransportError } from '../../core/errors.ts'
import { ShownKeys } from '../../core/records/row-index.ts'
import type { RunContext } from '../run/run-context.ts'
import { addPageCounts, newReading, type SliceReading, withIgnored } from '../run/slice-reading.ts'
import { applyPage, type SliceContext } from './apply-page.ts'
import type { BatchWriter } from './batch-writer.ts'
import { otherAnswer, otherFilter, otherRange } from './check-asked.ts'
import { keysOn, type OnFirstPage } from './ignored-windows.ts'
import {
  areTwins,
  endOf,
  type Hint,
  heldTotal,
  type PagesSeen,
  provesEnd,
  refuseShifted,
  staysRefused,
  unendedList,
  unusableList,
} from './list-end.ts'
import { pageChain } from './page-chain.ts'
import { refuseUnmarkedPages } from './refuse-unmarked-pages.ts'

export interface ListContext extends SliceContext {
  writer: BatchWriter
  onFirstPage?: OnFirstPage | undefined
  /** The list's arguments, which need not be the slice's own. */
  asks: CallArguments
}

/** The result of reading a list, in this pass and earlier ones. */
export interface Pass {
  readonly reading: SliceReading
  /** For the next pass, of this list or of another list of the slice. */
  readonly hint: Hint
  /** Why the list must be read again. */
  readonly again?: PageTokenError | undefined
}

/**
 * Reads a list page after page along the token chain. The next page is requested while this one is applied.
 * The list is read again from its first page if a page token is refused or repeats, if it ends before the
 * service's own total, or if it moved meanwhile. After `MAX_PASSES` passes it fails, unless another page size
 * is left to try. The error that stopped it is the reading's `error`, beside everything received before.
 */
export async function readList(run: RunContext, list: ListContext, before: Pass): Promise<Pass> {
  let pass = before
  let smaller: { moved: PageTokenError; hint: Hint } | undefined
  for (let count = 1; ; count++) {
    pass = await readPass(run, list, pass)
    const { reading, hint, again } = pass
    // Another page size only serves to detect twins. Without twins, the earlier pass's error stays.
    const error = reading.twins === 0 ? smaller?.moved : undefined
    // The slice's next list begins with pages of the usual size.
    if (again === undefined)
      return { reading: { ...reading, error: reading.error ?? error }, hint: smaller?.hint ?? hint }
    const { passes = 0, largest = 0 } = hint.twins ?? {}
    // If passes keep showing the same records on two pages, one more pass uses another page size.
    if (count === MAX_PASSES && passes > 1) {
      smaller = { moved: again, hint: { ...hint, twins: undefined } }
      pass = { ...pass, hint: { ...hint, pageSize: Math.max(1, Math.floor((largest * 2) / 3)) } }
    } else if (count >= MAX_PASSES && again.code !== 'body_too_large')
      return { ...pass, reading: { ...reading, error: again } }
    run.observer.event('slice.restarted', {
      stream: list.stream.name,
      pass: count,
      code: again.code,
    })
  }
}

async function readPass(run: RunContext, list: ListContext, before: Pass): Promise<Pass> {
  const { stream, table, writer, timeless } = list
  const { slice } = before.reading
  const { slice: name, keepKnown = false } = slice.request
  const { suppression, words } = run
  const [policy, part] = [run.columns?.of(stream), run.rows?.[stream.name]]
  const [shown, nameless] = [new ShownKeys(), new ShownKeys()]
  const nestedStreams = run.cutsOf(stream)
  const said = new Set<string>()
  const lists = { shown, nameless, said }
  const given = { ...list, ...lists, slice, nestedStreams, suppression, policy, part, words }
  const noteShown = idlePages(stream.operation)
  let reading = begunAnew(before.reading)
  let { hint } = before
  let seen: PagesSeen = { largest: 0, last: 0 }
  const chain = pageChain(run, {
    stream,
    slice,
    table,
    args: withPageSize(list.asks, hint),
    onBegin: (requestedAtMs) => {
      reading = { ...reading, requestedAtMs }
    },
    isEnd: async (error, again) => {
      const found = endOf(error, { ...reading, seen }, hint)
      hint = found.hint
      return found.end === 'sure' || (found.end === 'likely' && (await staysRefused(again)))
    },
  })
  try {
    for await (const { page, recognised, sequence } of chain) {
      const { batch } = writer
      shown.page++
      const { counts, other } = applyPage(
        { ...given, batch, before: reading, sequence },
        recognised,
      )
      reading = { ...reading, ...addPageCounts(reading, counts) }
      if (other !== undefined) throw otherAnswer(stream, slice, other)
      refuseShifted(stream, page, { reading, seen })
      if (reading.pages === 0) {
        await refuseUnmarkedPages(run, stream, page)
        await list.onFirstPage?.({
          elsewhere: counts.elsewhere,
          keys: () => keysOn(stream, page.records),
        })
      }
      const { count } = page.records
      seen = { largest: Math.max(seen.largest, count), last: count, pageCount: page.pageCount }
      reading = withPage(stream, reading, page)
      run.progress(stream, { rows: count })
      await writer.settle(name, { keepKnown })
      await timeless?.writer.settle(name)
      noteShown(shown.size + nameless.size)
    }
  } catch (error) {
    return brokenOff(stream, { reading, hint }, error)
  }
  return judgePass(stream, { reading, hint }, { shown, seen, said })
}

function judgePass(
  stream: Stream,
  { reading, hint }: Pass,
  { shown, seen, said }: { shown: ShownKeys; seen: PagesSeen; said: ReadonlySet<string> },
): Pass {
  const read = withIgnored({ ...reading, repeats: shown.repeats })
  const error =
    otherRange(stream, read) ?? unusableList(stream, read) ?? otherFilter(stream, read, said)
  if (error !== undefined) return { reading: { ...read, error }, hint }
  const pass = passEnd(stream, { reading: read, hint }, seen)
  if (pass.again?.code !== 'list_moved' || shown.twins < shown.repeats)
    return { ...pass, hint: { ...hint, twins: undefined } }
  return withTwins(stream, pass, { shown, seen })
}

function passEnd(stream: Stream, { reading, hint }: Pass, seen: PagesSeen): Pass {
  const again = unendedList(stream, reading, seen)
  const endProven = again === undefined && provesEnd(stream, reading, seen)
  return { reading: { ...reading, endProven }, hint, again }
}

/** Records that came twice with equal content count as one row each if the next pass repeats them. */
function withTwins(
  stream: Stream,
  { reading, hint, again }: Pass,
  { shown, seen }: { shown: ShownKeys; seen: PagesSeen },
): Pass {
  const { apart, twinKeys: keys } = shown
  const passes = hint.twins?.keys === keys ? hint.twins.passes + 1 : 1
  const twins = { keys, apart, largest: seen.largest, passes }
  if (!areTwins(hint.twins, twins)) return { reading, hint: { ...hint, twins }, again }
  return passEnd(stream, { reading: { ...reading, repeats: 0, twins: shown.twins }, hint }, seen)
}

function withPage(stream: Stream, reading: SliceReading, page: Page): SliceReading {
  return {
    ...reading,
    pages: reading.pages + 1,
    serviceTotal: heldTotal(stream, page) ?? reading.serviceTotal,
    atBound: reading.atBound || page.atBound,
    saysEnd: page.saysEnd,
  }
}

/** Keeps the counts of new, changed and unchanged rows: a later pass sees these rows as repeated. */
function begunAnew(before: SliceReading): SliceReading {
  const { slice, requestedAtMs, repeats, fresh, changed, unchanged, nested } = before
  return { ...newReading(slice), requestedAtMs, repeats, fresh, changed, unchanged, nested }
}

/**
 * A `PageTokenError` restarts the list; a page that is too large restarts it with smaller pages. Twins count
 * only after two passes in a row, since a list that moves may repeat the same records by chance.
 */
function brokenOff({ operation }: Stream, { reading, ...pass }: Pass, error: unknown): Pass {
  const hint = { ...pass.hint, twins: undefined }
  if (error instanceof PageTokenError) return { reading, hint, again: error }
  const failed = { reading: { ...reading, error }, hint }
  if (!(error instanceof TransportError) || error.code !== 'body_too_large') return failed
  const { paging } = operation
  const size = hint.pageSize ?? (paging?.style === 'token' ? paging.maxPageSize : 1)
  // Requests half as many records in a page, down to one.
  const pageSize = Math.ceil(size / 2)
  if (pageSize === size) return failed
  const again = new PageTokenError(error.code, { ...error.facts, cause: error })
  return { reading, hint: { ...hint, pageSize }, again }
}

function withPageSize(args: CallArguments, { pageSize }: Hint): CallArguments {
  return pageSize === undefined ? args : { ...args, query: { ...args.query, page_size: pageSize } }
}

const MAX_PASSES = 3
