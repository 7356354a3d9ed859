import { withNext } from '../../api/answers/paging.ts'
import type { Page } from '../../api/answers/payload.ts'
import type { Stream } from '../../core/define/stream.ts'
import { TransportError } from '../../core/errors.ts'
import type { RunContext } from '../run/run-context.ts'
import { keysOn } from './ignored-windows.ts'
import { heldTotal, isAskedWrongly } from './list-end.ts'

/**
 * Requests page 2 by its number if the first page has records, but neither a next page, a mark of the end nor
 * a usable total. Refuses the list if page 2 shows a record that the first did not. If the service refuses
 * page numbers, or page 2 repeats a record of the first page, the run skips this check for the operation from
 * then on.
 */
export async function refuseUnmarkedPages(
  run: RunContext,
  stream: Stream,
  page: Page,
): Promise<void> {
  const { operation } = stream
  if (run.unnumbered.has(operation.id) || saysItsEnd(stream, page)) return
  const shown = keysOn(stream, page.records)
  const next = withNext(page.asked, { page_number: 2 })
  const second = await run.client
    .fetchPage(operation, next, { signal: run.signal })
    .catch((error: unknown) => {
      if (isAskedWrongly(error)) return undefined
      throw error
    })
  const keys = second === undefined ? [] : [...keysOn(stream, second.records)]
  if (second === undefined || keys.some((key) => shown.has(key))) run.unnumbered.add(operation.id)
  second?.records.release()
  if (keys.every((key) => shown.has(key))) return
  throw new TransportError('unmarked_pages', false, {
    tried: `Reading all of ${operation.id}`,
    expected: 'a next_page_token, a page_count or a total on the first page',
    came: 'the first page does not say that more pages follow, but page_number 2 returns other records',
    todo: "contact the service's support and ask how to page this list",
  })
}

function saysItsEnd(stream: Stream, page: Page): boolean {
  if (stream.operation.paging?.style !== 'token' || page.records.count === 0) return true
  return page.next !== undefined || page.saysEnd || heldTotal(stream, page) !== undefined
}
