import { historyLimitOf } from '../../core/define/history-limit.ts'
import type { CallArguments } from '../../core/define/operation.ts'
import type { Stream } from '../../core/define/stream.ts'
import { isOfOneCall, PageTokenError } from '../../core/errors.ts'
import type { PageRecords } from '../../core/records/page-records.ts'
import { joinKey, keyOf } from '../../core/records/record-key.ts'
import { DAY_MS } from '../../core/time/time.ts'
import type { PlannedGroup, PlannedSlice } from '../plan/plan-stream.ts'
import type { RunContext } from '../run/run-context.ts'
import { newReading, type SliceReading } from '../run/slice-reading.ts'

/** Stops the reading of a window when the service shows the whole list whatever window is requested. */
export class WindowsIgnored extends Error {}

/** Receives a window's first page: its number of records more than a day outside the window, and its keys. */
export type OnFirstPage = (page: {
  elsewhere: number
  keys: () => ReadonlySet<string>
}) => Promise<void>

/** Detects whether the service supports windows for a stream whose documentation mentions none. */
export interface IgnoredWindows {
  /** Set if support is uncertain. Throws `WindowsIgnored` once the service is known to ignore windows. */
  onFirstPage: OnFirstPage | undefined
  areIgnored(): boolean
  /** Plans the whole list, which is read in place of the windows of these slices. */
  wholeList(serves: readonly PlannedSlice[]): PlannedGroup[]
}

/**
 * A window that shows a record from more than a day outside starts the test, at most once a run. The service
 * ignores windows if its responses for this window, for a day long ago and without a window are alike. A
 * service that supports windows shows other records, or none, for that day.
 */
export function ignoredWindows(run: RunContext, stream: Stream): IgnoredWindows {
  const { sync } = stream
  if (sync.kind !== 'windows' || sync.whole === undefined)
    return { onFirstPage: undefined, areIgnored: () => false, wholeList: () => [] }
  const request = sync.whole()
  const fromMs = run.clock.now() - historyLimitOf(sync, run.historyDays) * DAY_MS
  const longAgo = sync.request({ fromMs, toMs: fromMs + DAY_MS }).arguments
  let found = false
  let question: Promise<void> | undefined
  const ask = async (shown: ReadonlySet<string>): Promise<void> => {
    for (const args of [longAgo, request.arguments])
      if (!areAlike(shown, await firstKeys(run, stream, args))) return
    found = true
  }
  return {
    async onFirstPage({ elsewhere, keys }) {
      if (elsewhere === 0) return
      question ??= ask(keys())
      await question
      if (found) throw new WindowsIgnored(`${stream.name}: the service ignores windows`)
    },
    areIgnored: () => found,
    wholeList(serves) {
      const slice = { request, owned: undefined, parent: undefined, history: undefined }
      run.progress(stream, { planned: 1 })
      return [{ stream, owned: { kind: 'all' }, slices: [slice], serves }]
    },
  }
}

/** The keys of a first page; empty if the call fails. */
async function firstKeys(
  run: RunContext,
  stream: Stream,
  args: CallArguments,
): Promise<ReadonlySet<string>> {
  try {
    const page = await run.client.fetchPage(stream.operation, args, { signal: run.signal })
    const keys = keysOn(stream, page.records)
    page.records.release()
    return keys
  } catch (error) {
    if (run.signal.aborted || !(isOfOneCall(error) || error instanceof PageTokenError)) throw error
    return new Set()
  }
}

/** Whether most keys are in both sets: a list may change between two calls. */
function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const common = [...one].filter((key) => other.has(key)).length
  return common * 2 > Math.max(one.size, other.size)
}

/** The readings of a group and of the slices that its list serves, which are as complete as the list. */
export function withServed(
  { serves = [] }: PlannedGroup,
  readings: readonly SliceReading[],
): readonly SliceReading[] {
  const [whole] = readings
  if (whole === undefined || serves.length === 0) return readings
  const { state, requestedAtMs, error } = whole
  return [
    ...readings,
    ...serves.map((slice) => ({ ...newReading(slice), state, requestedAtMs, error })),
  ]
}

/** The keys of a page's usable records. */
export function keysOn(stream: Stream, records: PageRecords): ReadonlySet<string> {
  const keys = new Set<string>()
  for (let at = 0; at < records.count; at++) {
    const record = records.recordAt(at)
    const found = record && keyOf(stream, record, { ordinal: 0, filter: {} })
    if (found !== undefined && 'key' in found) keys.add(joinKey(found.key))
  }
  return keys
}
