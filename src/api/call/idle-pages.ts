import type { Operation } from '../../core/define/operation.ts'
import { TransportError } from '../../core/errors.ts'

/**
 * Ends a list whose pages go on without end and show nothing new: empty ones, a last page that repeats under
 * new tokens, tokens that lead back to the first page. It is called after each page with the number of
 * different records shown so far. Reading such a list again would cost as much and show no more.
 */
export function idlePages({ id }: Operation): (shown: number) => void {
  let most = 0
  let idle = 0
  return (shown) => {
    idle = shown > most ? 0 : idle + 1
    most = Math.max(most, shown)
    if (idle < MOST_IDLE) return
    throw new TransportError('nothing_new', false, {
      tried: `reading the pages of ${id}`,
      expected: 'more records, or the last page',
      came: `${idle} pages in a row that show no record that was not shown before`,
      todo: 'ask the service why this list does not end',
    })
  }
}

const MOST_IDLE = 10
