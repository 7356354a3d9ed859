import { PageTokenError } from '../../core/errors/errors.ts'
import type { SliceReading } from '../run/slice-reading.ts'

/** The pages of a pass so far: how many records the largest has, and how many the last. */
export interface PagesSeen {
  largest: number
  last: number
}

/**
 * Some services give a page token with the last page, too, and refuse it. Where several pages have as many
 * records as the total there is nothing more; the total of one page may be that page's alone. Without a total
 * the token has to be refused at the same place in two passes, after a last page that is shorter than one
 * before it, which may be so by a filter too. So the second pass is asked with another size: the pages of a
 * list that goes on would end elsewhere. Two passes may be cut off at one place by refusals that pass, so
 * that such an end is `likely` until the token is refused again and again.
 */
export function endOf(
  error: unknown,
  reading: SliceReading,
  pages: PagesSeen,
): 'sure' | 'likely' | undefined {
  if (!isRefusedToken(error)) return undefined
  const { received, quarantined, serviceTotal } = reading
  // What is no record may stand in one pass and not in the next.
  const usable = received - quarantined
  if (serviceTotal !== undefined && received < serviceTotal) return undefined
  if (received === serviceTotal && received > pages.largest) return 'sure'
  // Pages of one record, or of none, cannot be cut otherwise.
  const least = pages.largest <= 1
  const last = pages.last - quarantined
  if (reading.refusedAt === usable && (least || last < pages.largest)) return 'likely'
  reading.refusedAt = usable
  const size = pages.last >= pages.largest ? last : pages.largest
  if (!least) reading.pageSize = Math.max(1, size - 1)
  return undefined
}

/** Whether a token that was refused is refused as often again. */
export async function staysRefused(again: () => Promise<unknown>): Promise<boolean> {
  for (let times = 0; times < TIMES_AGAIN; times++) {
    try {
      await again()
      return false
    } catch (error) {
      if (!isRefusedToken(error)) throw error
    }
  }
  return true
}

function isRefusedToken(error: unknown): error is PageTokenError {
  return error instanceof PageTokenError && error.code === 'page_token'
}

/** Of refusals that strike each sixth call as many in a row are one in ten thousand. */
const TIMES_AGAIN = 4
