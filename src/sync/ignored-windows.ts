import { historyLimitOf } from '../core/define/history-limit.ts'
import type { CallArguments } from '../core/define/operation.ts'
import type { Stream } from '../core/define/stream.ts'
import { PageTokenError } from '../core/errors.ts'
import { DAY_MS } from '../core/time/time.ts'
import { isOfOneCall } from './deletions/ask-details.ts'
import type { PlannedGroup, PlannedSlice } from './plan/plan-stream.ts'
import { keysOn, type OnFirstPage, WindowsIgnored } from './read/windows-ignored.ts'
import type { RunContext } from './run/run-context.ts'

/** Whether the service knows the windows of a stream whose documents name none. */
export interface IgnoredWindows {
  /** Given where that is not sure: stops the reading of a window once it knows that there are none. */
  onFirstPage: OnFirstPage | undefined
  areIgnored(): boolean
  /** The list that is then read in place of all windows, for these slices. */
  wholeList(serves: readonly PlannedSlice[]): PlannedGroup[]
}

/**
 * A window that shows a record from elsewhere raises the question, at most once a run. The service ignores
 * windows if it answers alike for this one, for a day long ago and for no window at all. One that heeds them
 * shows nothing, or something else, of that day, whatever odd record stands in a window.
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

/** None where the service does not answer such a call. */
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

/** Most of what either shows is in both: a list may change between two calls. */
function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const common = [...one].filter((key) => other.has(key)).length
  return common * 2 > Math.max(one.size, other.size)
}
