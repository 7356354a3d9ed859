import { PageTokenError, ServiceError } from '../../core/errors.ts'
import type { SliceReading } from '../run/slice-reading.ts'

/**
 * The pages of a pass so far: how many records the largest has, and how many the last, which may say of how
 * many pages the list is.
 */
export interface PagesSeen {
  readonly largest: number
  readonly last: number
  readonly pageCount?: number | undefined
}

/** What one pass over a list tells the next. */
export interface Hint {
  /** Records in a page, if other pages than the largest are to be asked for. */
  readonly pageSize?: number | undefined
  /** After how many usable records a page token was refused. */
  readonly refusedAt?: number
  /** Which records came twice alike, and in how many passes in a row. */
  readonly twins?: Twins | undefined
}

/** The records that a pass showed twice with the same content. */
export interface Twins {
  readonly keys: string
  /** How many of them stood on two pages. */
  readonly apart: number
  /** How many records the largest page had. */
  readonly largest: number
  readonly passes: number
}

/**
 * The service has these records twice, if two passes show the same ones: one page cannot move while it is
 * read, and a list that moves shows another record twice where its pages end elsewhere.
 */
export function areTwins(before: Twins | undefined, { keys, apart, largest }: Twins): boolean {
  return before?.keys === keys && (apart === 0 || before.largest !== largest)
}

type Pass = Pick<SliceReading, 'received' | 'quarantined' | 'serviceTotal'>

/**
 * Some services give a page token with the last page, too, and refuse it. Where several pages have as many
 * records as the total there is nothing more; the total of one page may be that page's alone. Without a total
 * the token has to be refused at the same place in two passes, after a last page that is shorter than one
 * before it, which may be so by a filter too. So the second pass is asked with another size (`hint`): the
 * pages of a list that goes on would end elsewhere. Two passes may be cut off at one place by refusals that
 * pass, so that such an end is `likely` until the token is refused again and again.
 */
export function endOf(
  error: unknown,
  { received, quarantined, serviceTotal, seen }: Pass & { seen: PagesSeen },
  hint: Hint,
): { end?: 'sure' | 'likely'; hint: Hint } {
  if (!isRefusedToken(error)) return { hint }
  // What is no record may stand in one pass and not in the next.
  const usable = received - quarantined
  if (serviceTotal !== undefined && received < serviceTotal) return { hint }
  if (received === serviceTotal && received > seen.largest) return { end: 'sure', hint }
  // Pages of one record, or of none, cannot be cut otherwise.
  const least = seen.largest <= 1
  const last = seen.last - quarantined
  if (hint.refusedAt === usable && (least || last < seen.largest)) return { end: 'likely', hint }
  const size = seen.last >= seen.largest ? last : seen.largest
  const pageSize = least ? hint.pageSize : Math.max(1, size - 1)
  return { hint: { pageSize, refusedAt: usable } }
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

/** The service understood the request, and refuses it in this form. */
export function isAskedWrongly(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 400 && error.retry.kind === 'never'
}

/** Of refusals that strike each sixth call as many in a row are one in ten thousand. */
const TIMES_AGAIN = 4
