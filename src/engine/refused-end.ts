import { PageTokenError } from '../core/errors.ts'
import type { SliceReading } from './slice-reading.ts'

/** The pages of a pass so far: how many records the largest has, and how many the last. */
export interface PagesSeen {
  largest: number
  last: number
}

/**
 * Some services give a page token with the last page, too, and refuse it. Where several pages have as many
 * records as the total there is nothing more; the total of one page may be that page's alone. Without a total
 * the token has to be refused at the same place in two passes, after a last page that is shorter than one
 * before it; where it was not, the second pass is asked with another size, so that the pages of a list that
 * goes on would end elsewhere.
 */
export function endsByRefusal(error: unknown, reading: SliceReading, pages: PagesSeen): boolean {
  if (!(error instanceof PageTokenError) || error.code !== 'page_token') return false
  const { received, serviceTotal } = reading
  if (serviceTotal !== undefined && received < serviceTotal) return false
  if (received === serviceTotal && received > pages.largest) return true
  // Pages of one record, or of none, cannot be cut otherwise.
  const least = pages.largest <= 1
  if (reading.refusedAt === received && (least || pages.last < pages.largest)) return true
  reading.refusedAt = received
  if (pages.last >= pages.largest && pages.last > 1) reading.pageSize = pages.last - 1
  return false
}
