import { FAILURES_IN_A_ROW } from '../../core/circuit-breaker.ts'
import {
  mayMeanOne,
  meansDeleted,
  meansRefused,
  meansWithheld,
} from '../../core/define/answer-meaning.ts'
import type { Stream } from '../../core/define/stream.ts'
import {
  AuthenticationError,
  CallsheetError,
  ConfigurationError,
  FencedError,
  isDaySpent,
  LoadError,
  ServiceError,
  UnusableValueError,
} from '../../core/errors.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { ShownKeys } from '../../core/records/row-index.ts'
import { runLimited } from '../../core/run-limited.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import { loadFingerprints } from '../../warehouse/load/fingerprints.ts'
import type { PlannedGroup, PlannedSlice } from '../plan/plan-stream.ts'
import type { RunContext } from '../run/run-context.ts'
import { newReading, type SliceReading, withoutRefused } from '../run/slice-reading.ts'
import { type BatchWriter, batchWriter } from './batch-writer.ts'
import { holdsMore, lackingBelow } from './holds-more.ts'
import { type OnFirstPage, WindowsIgnored } from './ignored-windows.ts'
import { isAskedWrongly } from './list-end.ts'
import { NARROWED } from './page-chain.ts'
import { readSlice } from './read-slice.ts'
import type { TimelessContents, TimelessRows } from './timeless-rows.ts'

/** A group with the table that its slices are compared with, and their writer. */
export interface OpenGroup {
  readonly group: PlannedGroup
  readonly table: FingerprintTable
  readonly writer: BatchWriter
  readonly timeless?: TimelessRows | undefined
  readonly contents: TimelessContents
  /** Keys of records that the lists showed outside the part that the account keeps. */
  readonly apart: ShownKeys
  readonly onFirstPage?: OnFirstPage | undefined
}

export interface SlicesRead {
  readonly readings: readonly SliceReading[]
  /** The error that stops the whole run; rows received before it were still written. */
  readonly ended?: Error | undefined
}

export type GroupRead = OpenGroup & SlicesRead

/**
 * Reads all slices of a group; rows that they did not show still need a deletion check. If the run cannot
 * continue, writes all received rows and returns the error as `ended`; throws it if nothing was received.
 */
export async function readGroup(
  run: RunContext,
  group: PlannedGroup,
  { timeless, onFirstPage }: Pick<OpenGroup, 'timeless' | 'onFirstPage'> = {},
): Promise<GroupRead> {
  const { stream, owned } = group
  const table = await retryDatabase(run, () =>
    loadFingerprints(run.warehouse, { account: run.account, stream, owned }),
  )
  const contents: TimelessContents = timeless?.contents ?? new Map()
  const [writer, apart] = [batchWriter(run, stream), new ShownKeys()]
  const opened = { group, table, writer, timeless, contents, apart, onFirstPage }
  const { readings, ended } = await readSlices(run, opened)
  // If nothing was received, there is nothing to record.
  const isNothing = readings.every(({ state, received }) => state !== 'complete' && received === 0)
  if (ended !== undefined && isNothing) throw ended
  return { ...opened, readings, ended }
}

/** Reads all slices once, lower ranks first: a higher rank counts only for rows that no lower one showed. */
export async function readSlices(run: RunContext, opened: OpenGroup): Promise<SlicesRead> {
  const { group, writer, timeless } = opened
  const read = new Map(group.slices.map((slice) => [slice, newReading(slice)]))
  let ended: Error | undefined
  const ranks = Map.groupBy(group.slices, ({ request }) => request.rank ?? 0)
  for (const [rank, slices] of [...ranks].sort(([a], [b]) => a - b)) {
    const below = [...read.values()].filter(({ slice }) => (slice.request.rank ?? 0) < rank)
    await runLimited(slices, SLICES_AT_ONCE, async (slice) => {
      if (ended !== undefined) return
      const end = await readOne(run, opened, { slice, below })
      read.set(slice, end.reading)
      ended ??= end.ended
    })
    const names = slices.map(({ request }) => request.slice)
    const keepKnown = slices[0]?.request.keepKnown === true
    const refused = await writer.drain(names, { keepKnown })
    if (timeless !== undefined) refused.push(...(await timeless.writer.drain(names)))
    for (const [slice, reading] of read) read.set(slice, withoutRefused(reading, refused))
    if (ended !== undefined) break
  }
  return { readings: [...read.values()], ended }
}

interface Ranked {
  slice: PlannedSlice
  below: readonly SliceReading[]
}

interface SliceEnd {
  reading: SliceReading
  ended?: Error
}

async function readOne(run: RunContext, opened: OpenGroup, ranked: Ranked): Promise<SliceEnd> {
  const { slice, below } = ranked
  const error = run.breaker.tripped()
  const lacking =
    error === undefined ? lackingBelow(below, slice) : ({ state: 'failed', error } as const)
  if (lacking !== undefined) return { reading: { ...newReading(slice), ...lacking } }
  const reading = await readOrFail(run, opened, ranked)
  if (reading.error !== undefined) return failedEnd(run, opened.group.stream, reading)
  run.breaker.note(undefined)
  return { reading: { ...reading, state: 'complete' } }
}

async function readOrFail(
  run: RunContext,
  { group: { stream, slices, incremental }, ...opened }: OpenGroup,
  { slice, below }: Ranked,
): Promise<SliceReading> {
  const unread = below.flatMap(({ slice: { owned }, state }) =>
    state === 'complete' || owned === undefined ? [] : [owned],
  )
  const alone = slices.length === 1
  const beside = { keys: run.shownBeside(stream), idle: incremental === true }
  const sliceContext = { ...opened, stream, alone, beside, unread }
  try {
    const { more, reading } = await holdsMore(run, { stream, slice }, below)
    return more ? await readSlice(run, sliceContext, reading) : reading
  } catch (error) {
    return { ...newReading(slice), error }
  }
}

/** Decides what a failure means: it concerns its slice alone, unless the run cannot continue after it. */
export function failedEnd(run: RunContext, stream: Stream, reading: SliceReading): SliceEnd {
  const { error, slice } = reading
  const { operation, sync } = stream
  if (error instanceof FencedError || error instanceof LoadError) throw error
  // A slice in progress when the run stopped counts as not read; its rows received before are written.
  if (run.signal.aborted) {
    const ended = error instanceof Error ? error : new Error(String(error))
    return { reading: { ...reading, error: undefined }, ended }
  }
  // The whole list is read in place of the windows.
  if (error instanceof WindowsIgnored) return { reading: { ...reading, state: 'failed' } }
  if (!(error instanceof CallsheetError)) throw error
  if (isDaySpent(error)) return { reading }
  // Every other slice would meet the same refused login or missing setting.
  if (error instanceof AuthenticationError || error instanceof ConfigurationError)
    return { reading: { ...reading, state: 'failed' }, ended: error }
  if (sync.kind === 'fan-out') {
    // If a listed parent is deleted or denied when its list is read, the list counts as read and empty.
    const isGone = meansDeleted(operation, error) || meansWithheld(operation, error)
    if (isGone) return { reading: { ...reading, state: 'complete' } }
    // `reportRefusal` reports these refusals together.
    if (mayMeanOne(operation, error)) return { reading: { ...reading, state: 'failed' } }
  }
  const refused = meansRefused(operation, error)
  if (slice.monthEndMs !== undefined && !refused && isRefusedRange(error))
    return { reading: { ...reading, error: undefined, state: 'complete', refusedRange: true } }
  const state = refused ? 'not_allowed' : 'failed'
  // A denied access is reported once, for the stream.
  if (!refused) {
    const blocking = error instanceof UnusableValueError ? 'for a person' : true
    run.failed(error)
    run.problem(`${stream.name} ${slice.request.slice}: ${error.message}`, blocking, stream)
    if (run.breaker.note(error))
      run.problem(`${tripText(error)}, so the remaining slices were not read`, true, stream)
  }
  return { reading: { ...reading, state } }
}

/** Whether the service refused a range, or returned only a part of it. */
function isRefusedRange(error: CallsheetError): boolean {
  return isAskedWrongly(error) || (error instanceof ServiceError && error.serviceCode === NARROWED)
}

function tripText(error: unknown): string {
  const tls = error instanceof CallsheetError && error.code === 'tls'
  return tls
    ? 'the certificate of the service is not valid'
    : `the service failed ${FAILURES_IN_A_ROW} slices in a row`
}

/** Whether no other slice of the stream can be read either, so that none is tried. */
export function blocksStream({ error, state }: SliceReading): boolean {
  return isDaySpent(error) || state === 'not_allowed'
}

const SLICES_AT_ONCE = 8
