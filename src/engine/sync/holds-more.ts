import type { Page } from '../../api/client.ts'
import type { Stream } from '../../core/declare/stream.ts'
import { ServiceError } from '../../core/errors/errors.ts'
import type { RunContext } from '../run/run-context.ts'
import type { SliceReading } from '../run/slice-reading.ts'

/**
 * Whether a list without a filter holds more than all that the filters showed: by its total, for which one
 * record is asked. Without a total that can be believed it is to be read. A service that shows no such list
 * leaves it open, and the run says so.
 */
export async function holdsMore(
  run: RunContext,
  { stream, readings }: { stream: Stream; readings: readonly SliceReading[] },
  reading: SliceReading,
): Promise<boolean> {
  const page = await firstPage(run, stream, reading)
  if (page === undefined) return false
  const { records, total, nextPageToken } = page
  Object.assign(reading, { requestedAtMs: page.requestedAtMs, pages: 1 })
  // Fewer than there are pages for: it counts something else.
  const disproved = nextPageToken !== undefined && (total ?? 0) <= records.count
  // An unusable record is no user. Counted as one, it would hide a user whom no list shows.
  const shown = readings.reduce((sum, one) => sum + one.received - one.ignored - one.quarantined, 0)
  records.release()
  if (total !== undefined && !disproved && total <= shown) {
    reading.serviceTotal = total
    return false
  }
  return true
}

/** The first page with one record; as it comes of itself, where a page may not be so short. */
async function firstPage(
  run: RunContext,
  stream: Stream,
  { slice }: SliceReading,
): Promise<Page | undefined> {
  const { operation } = stream
  const { arguments: args, slice: name } = slice.request
  const options = { signal: run.signal }
  try {
    const short = { ...args, query: { ...args.query, page_size: 1 } }
    return await run.client.fetchPage(operation, short, options)
  } catch (error) {
    if (!isRefused(error)) throw error
  }
  try {
    return await run.client.fetchPage(operation, args, options)
  } catch (error) {
    if (!isRefused(error)) throw error
    const why = `so whether the others show all is not known. ${error.message}`
    run.problem(`${stream.name} ${name}: the service shows no such list, ${why}`, false)
    return undefined
  }
}

function isRefused(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 400 && error.retry.kind === 'never'
}

/** What became of a slice of lower rank without which nothing can be held against this one. */
export function lackingBelow(
  readings: readonly SliceReading[],
  { slice: { request } }: SliceReading,
): Pick<SliceReading, 'state' | 'error'> | undefined {
  if (request.ifMore !== true) return undefined
  const lacking = readings.find(
    ({ slice, state }) => (slice.request.rank ?? 0) < (request.rank ?? 0) && state !== 'complete',
  )
  return lacking && { state: lacking.state, error: lacking.error }
}
