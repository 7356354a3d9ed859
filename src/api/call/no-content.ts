import { createHash } from 'node:crypto'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import type { FoundReadings } from '../../core/define/ports.ts'
import { TransportError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { utcInstant } from '../../core/time/time.ts'
import { isLaterPage } from '../answers/paging.ts'
import { EmptyAnswerError, type Page } from '../answers/payload.ts'

/** Waits for a page of a list, whose answer may be a 204 without a body. */
export type OrEmpty = (asked: Asked, reading: Promise<Page>) => Promise<Page>

interface Asked {
  operation: Operation
  args: CallArguments
}

/**
 * A 204 in place of a list is an empty list for some services, and a passing fault for others. Mistaking a
 * fault for an empty list loses all of its records. So an operation's 204s count as empty lists only if two
 * come at least `LONG_ENOUGH_MS` apart, the first list had no other answer between them, and no empty list of
 * the operation is known to have come in a body. Until then the list fails.
 */
export function createOrEmpty(clock: Clock, found: FoundReadings | undefined): OrEmpty {
  /** Operations whose empty lists came in a body. */
  const written = new Set<string>()
  const known = (id: string): string | undefined => found?.get(`${READING}${id}`)
  const remember = async (id: string, variant: string): Promise<void> =>
    await found?.remember(`${READING}${id}`, variant)
  const judge = async ({ operation: { id }, args }: Asked, error: EmptyAnswerError) => {
    if (written.has(id)) await remember(id, WRITTEN)
    const reading = known(id)
    if (reading === CONFIRMED) return error.page
    if (reading === WRITTEN) throw emptyAnswerError(error, REPORT_FAULT)
    const nowMs = clock.now()
    const sinceMs = doubtOf(reading)?.sinceMs ?? Number.NEGATIVE_INFINITY
    const isOld = nowMs - sinceMs >= FORGOTTEN_MS
    if (isOld) await remember(id, `${DOUBT}${utcInstant(nowMs)} ${nameOf(args)}`)
    const untilMs = (isOld ? nowMs : sinceMs) + LONG_ENOUGH_MS
    if (nowMs < untilMs)
      throw emptyAnswerError(error, `run again after ${utcInstant(untilMs)}; ${IF_AGAIN}`)
    await remember(id, CONFIRMED)
    return error.page
  }
  const note = async ({ operation: { id }, args }: Asked, page: Page): Promise<void> => {
    if (isLaterPage(args)) return
    const isEmpty = page.records.count === 0 && page.next === undefined
    if (isEmpty) written.add(id)
    const reading = known(id)
    if (reading === undefined || reading === WRITTEN) return
    if (isEmpty) await remember(id, WRITTEN)
    else if (doubtOf(reading)?.list === nameOf(args)) await remember(id, PASSED)
  }
  return async (asked, reading) => {
    try {
      const page = await reading
      await note(asked, page)
      return page
    } catch (error) {
      if (!(error instanceof EmptyAnswerError)) throw error
      return error.isNoContent ? await judge(asked, error) : error.page
    }
  }
}

/** A short hash that names a list; `to` is left out, because it changes with each run. */
function nameOf({ path, query = {} }: CallArguments): string {
  const { to: _to, ...lasting } = query
  return createHash('sha256')
    .update(JSON.stringify([path, lasting]))
    .digest('hex')
    .slice(0, 12)
}

/** Reads from a stored finding the list with an unconfirmed 204, and when it first came. */
function doubtOf(variant = ''): { sinceMs: number; list: string } | undefined {
  if (!variant.startsWith(DOUBT)) return undefined
  const [since = '', list = ''] = variant.slice(DOUBT.length).split(' ')
  return { sinceMs: Date.parse(since), list }
}

function emptyAnswerError(error: EmptyAnswerError, todo: string): TransportError {
  const { tried, came } = error.facts
  const expected = 'a list, which may be empty'
  return new TransportError(error.code, false, { tried, expected, came, todo, cause: error })
}

const READING = 'empty_list:'
const WRITTEN = 'in a body'
const CONFIRMED = '204'
const PASSED = 'a 204 passed'
const DOUBT = '204 since '
const IF_AGAIN = 'if the answer is 204 again, the list counts as empty'
const REPORT_FAULT =
  "run again; if it repeats, contact the service's support: it sends empty lists in a body, so 204 is a fault"
const LONG_ENOUGH_MS = 900_000
/** A 204 older than this is forgotten, because its list may never be requested again. */
const FORGOTTEN_MS = 2 * 86_400_000
