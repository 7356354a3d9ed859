import type { Page } from '../../api/client.ts'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import { PageTokenError, ServiceError } from '../../core/errors.ts'
import { DAY_MS, instantMs, utcDay, utcInstant } from '../../core/time/time.ts'

/**
 * Compares the range that the service says it answered with the one that was asked: it narrows in silence.
 * A `to` that it reset to its own present is taken over for the next pages; any other difference fails the
 * slice.
 */
export function checkEcho(
  operation: Operation,
  { args, page, nowMs }: { args: CallArguments; page: Page; nowMs: number },
): CallArguments {
  const from = args.query?.from
  const to = args.query?.to
  if (typeof from !== 'string' || typeof to !== 'string') return args
  if (differs('from', from, page.echo.from))
    throw narrowed(operation, { asked: from, echoed: page.echo.from, name: 'from' })
  if (!differs('to', to, page.echo.to)) return args
  const echoedMs = instantMs(page.echo.to ?? '')
  const nearPresent = echoedMs !== undefined && Math.abs(echoedMs - nowMs) < DAY_MS
  if (!nearPresent || (instantMs(to) ?? 0) < nowMs - DAY_MS)
    throw narrowed(operation, { asked: to, echoed: page.echo.to, name: 'to' })
  return { ...args, query: { ...args.query, to: sendable(to, page.echo.to ?? '', echoedMs) } }
}

/** As it came where it is spelled as bounds are, a day or in UTC, else as the one that was sent. */
function sendable(asked: string, echoed: string, echoedMs: number): string {
  if (AS_SENT.test(echoed)) return echoed
  return asked.length === 10 ? utcDay(echoedMs) : utcInstant(echoedMs)
}

/** A later page that answers for another range is the answer to another request: the list is read anew. */
export function refuseStranger(operation: Operation, args: CallArguments, { echo }: Page): void {
  const from = args.query?.from
  if (typeof from !== 'string' || !differs('from', from, echo.from)) return
  throw new PageTokenError('other_answer', {
    tried: `reading the pages of ${operation.id}`,
    expected: `from=${from}, as on the first page`,
    came: `a page that answers for from=${echo.from ?? 'nothing'}`,
  })
}

/** A day is told as a day, or as the instant at which it begins; as an end also as that at which it ends. */
function differs(name: 'from' | 'to', asked: string, echoed: string | undefined): boolean {
  if (echoed === undefined) return false
  const sameDay = asked.slice(0, 10) === echoed.slice(0, 10)
  if (echoed.length === 10 && sameDay) return false
  const [askedMs, echoedMs] = [instantMs(asked), instantMs(echoed)]
  if (askedMs === undefined || echoedMs === undefined) return true
  if (asked.length > 10) return askedMs !== echoedMs
  const endMs = askedMs + (name === 'to' ? DAY_MS : DAY_MS - 1)
  return !sameDay && (echoedMs < askedMs || echoedMs > endMs)
}

function narrowed(
  operation: Operation,
  { asked, echoed, name }: { asked: string; echoed: string | undefined; name: string },
): ServiceError {
  return new ServiceError(
    {
      operation: operation.id,
      status: 200,
      serviceCode: NARROWED,
      verdict: { kind: 'never' },
    },
    {
      tried: `reading ${operation.id}`,
      expected: `${name}=${asked}, as asked`,
      came: `the service answered for ${name}=${echoed ?? 'nothing'}`,
      todo: 'look at the window bounds in the configuration; nothing of this slice was called missing',
    },
  )
}

/** What an answer for another range than was asked is called. */
export const NARROWED = 'window_narrowed'
/** A day, or an instant of UTC without a fraction that says nothing. */
const AS_SENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d*[1-9]\d*)?Z)?$/
