import type { NextPage } from '../../api/answers/paging.ts'
import { idlePages, nameOf, withNext } from '../../api/answers/paging.ts'
import type { SliceRequest, Stream } from '../../core/define/stream.ts'
import { PageTokenError } from '../../core/errors.ts'
import { joinKey, keyOf } from '../../core/records/record-key.ts'
import type { WireRecord } from '../../core/values/json.ts'
import type { RunContext } from '../run/run-context.ts'

/**
 * Reads a list once more to check something; stores nothing. Calls `take` with each record that has a key.
 * Throws if the list ends before its total, or repeats a page token.
 */
export async function readOnce(
  run: RunContext,
  { stream, request }: { stream: Stream; request: SliceRequest },
  take: (key: string, record: WireRecord) => void,
): Promise<void> {
  const { arguments: args, filter } = request
  const { signal, words } = run
  const { operation } = stream
  const keys = new Set<string>()
  const tokens = new Set<string>()
  const note = idlePages(operation)
  let next: NextPage | undefined
  let total = 0
  do {
    const page = await run.client.fetchPage(operation, withNext(args, next), { signal })
    for (let at = 0; at < page.records.count; at++) {
      const record = page.records.recordAt(at)
      const found = record && keyOf(stream, record, { ordinal: 0, filter, words })
      if (found === undefined || !('key' in found)) continue
      const key = joinKey(found.key)
      keys.add(key)
      take(key, record as WireRecord)
    }
    total = page.total ?? total
    next = page.next
    page.records.release()
    note(keys.size)
    if (tokens.has(nameOf(next)))
      throw incompleteList(operation.id, 'the service sent the same page token twice')
    tokens.add(nameOf(next))
  } while (next !== undefined)
  if (keys.size < total)
    throw incompleteList(operation.id, `the list ended after ${keys.size} of ${total} records`)
}

/** The error of an incomplete list, which does not prove that a record is no longer listed. */
function incompleteList(operation: string, came: string): PageTokenError {
  return new PageTokenError('short_list', {
    tried: `Reading ${operation} again`,
    came,
    todo: 'run again; no row was marked as deleted',
  })
}
