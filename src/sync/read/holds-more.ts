import type { Page } from '../../api/answers/payload.ts'
import type { Stream } from '../../core/define/stream.ts'
import type { PlannedSlice } from '../plan/plan-stream.ts'
import type { RunContext } from '../run/run-context.ts'
import { newReading, type SliceReading } from '../run/slice-reading.ts'
import { isAskedWrongly } from './list-end.ts'

/**
 * Whether a slice must be read. An unfiltered list is read only if its total, requested with a page of one
 * record, is unknown, not credible, or exceeds the records of the filtered lists (`below`). If the service
 * refuses such a list, it is not read, and the run reports that.
 */
export async function holdsMore(
  run: RunContext,
  { stream, slice }: { stream: Stream; slice: PlannedSlice },
  below: readonly SliceReading[],
): Promise<{ more: boolean; reading: SliceReading }> {
  const unread = newReading(slice)
  if (slice.request.ifMore !== true) return { more: true, reading: unread }
  const page = await firstPage(run, stream, slice)
  if (page === undefined) return { more: false, reading: unread }
  const { records, total, next, requestedAtMs } = page
  const reading = { ...unread, requestedAtMs, pages: 1 }
  // A total that this page reaches, although a next page exists, counts something else.
  const disproved = next !== undefined && (total ?? 0) <= records.count
  // Unusable records do not count: each would hide one record that no filtered list shows.
  const shown = below.reduce((sum, one) => sum + one.received - one.ignored - one.quarantined, 0)
  records.release()
  if (total === undefined || disproved || total > shown) return { more: true, reading }
  return { more: false, reading: { ...reading, serviceTotal: total } }
}

/** The first page with one record, or of default size if the service refuses such a short page. */
async function firstPage(
  run: RunContext,
  stream: Stream,
  slice: PlannedSlice,
): Promise<Page | undefined> {
  const { operation } = stream
  const { arguments: args, slice: name } = slice.request
  let said = ''
  for (const asked of [{ ...args, query: { ...args.query, page_size: 1 } }, args])
    try {
      return await run.client.fetchPage(operation, asked, { signal: run.signal })
    } catch (error) {
      if (!isAskedWrongly(error)) throw error
      said = error.message
    }
  const why = `so it is unknown whether the other lists are complete. ${said}`
  run.problem(`${stream.name} ${name}: the service refuses this list, ${why}`, false)
  return undefined
}

/** The outcome of a filtered list that was not read to its end: then no unfiltered list can be compared. */
export function lackingBelow(
  below: readonly SliceReading[],
  { request }: PlannedSlice,
): Pick<SliceReading, 'state' | 'error'> | undefined {
  if (request.ifMore !== true) return undefined
  const lacking = below.find(({ state }) => state !== 'complete')
  return lacking && { state: lacking.state, error: lacking.error }
}
