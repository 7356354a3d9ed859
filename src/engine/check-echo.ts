import type { Page } from '../api/client.ts'
import { PageTokenError, ServiceError } from '../core/errors.ts'
import type { CallArguments, Operation } from '../core/operation.ts'
import { DAY_MS, parseInstant } from '../core/time.ts'

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
  if (differs(from, page.echo.from))
    throw narrowed(operation, { asked: from, echoed: page.echo.from, name: 'from' })
  if (!differs(to, page.echo.to)) return args
  const echoedMs = instantOf(page.echo.to ?? '')
  const nearPresent = echoedMs !== undefined && Math.abs(echoedMs - nowMs) < DAY_MS
  if (!nearPresent || (instantOf(to) ?? 0) < nowMs - DAY_MS)
    throw narrowed(operation, { asked: to, echoed: page.echo.to, name: 'to' })
  return { ...args, query: { ...args.query, to: page.echo.to } }
}

/** A later page that answers for another range is the answer to another request: the list is read anew. */
export function refuseStranger(operation: Operation, args: CallArguments, { echo }: Page): void {
  const from = args.query?.from
  if (typeof from !== 'string' || !differs(from, echo.from)) return
  throw new PageTokenError('other_answer', {
    tried: `reading the pages of ${operation.id}`,
    expected: `from=${from}, as on the first page`,
    came: `a page that answers for from=${echo.from ?? 'nothing'}`,
  })
}

function differs(asked: string, echoed: string | undefined): boolean {
  if (echoed === undefined) return false
  // A date-only answer to a date-time, and the other way round, is compared by its day.
  if (asked.length === 10 || echoed.length === 10) return asked.slice(0, 10) !== echoed.slice(0, 10)
  return instantOf(asked) !== instantOf(echoed)
}

function instantOf(value: string): number | undefined {
  const instant = parseInstant(value)
  return instant === undefined ? undefined : Date.parse(instant)
}

function narrowed(
  operation: Operation,
  { asked, echoed, name }: { asked: string; echoed: string | undefined; name: string },
): ServiceError {
  return new ServiceError(
    {
      operation: operation.id,
      status: 200,
      serviceCode: 'window_narrowed',
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
