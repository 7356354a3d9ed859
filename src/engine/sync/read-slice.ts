import type { CallArguments } from '../../core/declare/operation.ts'
import type { Stream } from '../../core/declare/stream.ts'
import {
  PageTokenError,
  ServiceError,
  TransportError,
  UnusableValueError,
} from '../../core/errors/errors.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { ShownKeys } from '../../core/records/shown-keys.ts'
import type { RunContext } from '../run/run-context.ts'
import type { SliceReading } from '../run/slice-reading.ts'
import { applyPage } from './apply-page.ts'
import type { BatchWriter } from './batch-writer.ts'
import { refuseOtherRange } from './check-asked.ts'
import { pageChain } from './page-chain.ts'
import type { TimelessRows } from './timeless-rows.ts'
import { unendedList, unusableList } from './unended-list.ts'

export interface SliceContext {
  stream: Stream
  table: FingerprintTable
  writer: BatchWriter
  timeless?: TimelessRows | undefined
}

/**
 * Reads a slice to its end, page after page along the token chain. The next page is requested while this
 * one is applied. The slice starts again at its first page if a page token is refused or repeats, if the
 * list ends before the service's own total, or if it moved meanwhile. After `MAX_PASSES` passes the slice
 * fails and is planned smaller.
 */
export async function readSlice(
  run: RunContext,
  sliceContext: SliceContext,
  reading: SliceReading,
): Promise<void> {
  if (reading.slice.boundless === true) throw withoutBounds(sliceContext.stream)
  const { otherWays, arguments: own } = reading.slice.request
  const readOne = (): Promise<void> => readList(run, sliceContext, reading)
  if (otherWays === undefined) await readOne()
  else await readWays([[own], ...otherWays], reading, readOne)
}

/** The service understood the request, and refuses it in this form. */
function isAskedWrongly(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 400 && error.retry.kind === 'never'
}

/**
 * Reads several lists as one; a record in two of them is no repeat. If the service answers some lists of a
 * way and refuses others, it knows that way, and the refused lists are missing.
 */
async function readWays(
  ways: readonly (readonly CallArguments[])[],
  reading: SliceReading,
  readOne: () => Promise<void>,
): Promise<void> {
  const sums = { pages: 0, received: 0, erased: 0, quarantined: 0, repeats: 0 }
  const names = Object.keys(sums) as (keyof typeof sums)[]
  const refusals: ServiceError[] = []
  for (const lists of ways) {
    const refused: ServiceError[] = []
    for (const asks of lists) {
      reading.asks = asks
      try {
        await readOne()
        for (const name of names) sums[name] += reading[name]
      } catch (error) {
        if (reading.pages > 0 || !isAskedWrongly(error)) throw error
        refused.push(error)
      }
    }
    const [first] = refused
    if (first === undefined) continue
    if (refused.length < lists.length) throw first
    refusals.push(first)
  }
  const [refusal] = refusals
  if (refusal !== undefined && refusals.length === ways.length) throw refusal
  Object.assign(reading, sums, { serviceTotal: undefined })
  noteIgnored(reading)
}

async function readList(
  run: RunContext,
  sliceContext: SliceContext,
  reading: SliceReading,
): Promise<void> {
  for (let pass = 1; ; pass++) {
    const failure = await readPass(run, sliceContext, reading)
    if (failure === undefined) return
    if (pass >= MAX_PASSES && failure.code !== 'body_too_large') throw failure
    run.observer.event('slice.restarted', {
      stream: sliceContext.stream.name,
      pass,
      code: failure.code,
    })
  }
}

async function readPass(
  run: RunContext,
  sliceContext: SliceContext,
  reading: SliceReading,
): Promise<PageTokenError | undefined> {
  // What an earlier pass counted as new, changed or unchanged stays so: this one sees it repeated.
  const anew = {
    pages: 0,
    received: 0,
    ignored: 0,
    erased: 0,
    quarantined: 0,
    outside: 0,
    elsewhere: 0,
  }
  Object.assign(reading, anew, { serviceTotal: undefined, atBound: false })
  const { stream, table, writer, timeless } = sliceContext
  const { suppression, words } = run
  const { slice, keepKnown = false } = reading.slice.request
  const nestedStreams = run.cutsOf(stream)
  const shown = new ShownKeys()
  try {
    for await (const { page, recognised, sequence } of pageChain(run, { stream, table, reading })) {
      const { batch } = writer
      const known = { stream, nestedStreams, table, suppression, words, timeless }
      applyPage({ ...known, batch, reading, shown, sequence }, recognised)
      reading.pages++
      reading.serviceTotal = page.total ?? reading.serviceTotal
      reading.atBound ||= page.atBound
      run.progress(stream, { rows: page.records.count })
      await writer.settle(slice, { keepKnown })
      await timeless?.writer.settle(slice)
    }
  } catch (error) {
    if (error instanceof PageTokenError) return error
    if (!(error instanceof TransportError) || error.code !== 'body_too_large') throw error
    if (!halvePages(sliceContext.stream, reading)) throw error
    return new PageTokenError(error.code, { ...error.facts, cause: error })
  }
  noteIgnored(reading)
  reading.repeats = shown.repeats
  refuseOtherRange(stream, reading)
  const unusable = unusableList(stream, reading)
  if (unusable !== undefined) throw unusable
  return unendedList(stream, reading)
}

/** Records that count as nothing else: shown before, or owned by another slice. */
function noteIgnored(reading: SliceReading): void {
  const { received, fresh, changed, unchanged, quarantined, refused, erased } = reading
  const judged = fresh + changed + unchanged + quarantined + refused + erased
  reading.ignored = Math.max(0, received - judged)
}

/** Without bounds the service may show only a part of the list, and not say so. */
function withoutBounds({ operation, sync }: Stream): UnusableValueError {
  const { from, to } = (sync.kind === 'fan-out' && sync.within) || { from: 'from', to: 'to' }
  return new UnusableValueError('no_bounds', {
    tried: `reading ${operation.id}`,
    expected: `a ${from} or ${to} of the parent, to ask between`,
    came: 'neither',
  })
}

/** A page that is too large in bytes is asked for again with half the records, down to a few. */
function halvePages(stream: Stream, reading: SliceReading): boolean {
  const { paging } = stream.operation
  const before = reading.pageSize ?? (paging?.style === 'token' ? paging.maxPageSize : 1)
  reading.pageSize = Math.ceil(before / 2)
  return reading.pageSize < before
}

const MAX_PASSES = 3
