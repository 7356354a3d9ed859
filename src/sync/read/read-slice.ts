import type { CallArguments } from '../../core/define/operation.ts'
import type { Stream } from '../../core/define/stream.ts'
import { type ServiceError, UnusableValueError } from '../../core/errors.ts'
import type { RunContext } from '../run/run-context.ts'
import { type SliceReading, withIgnored } from '../run/slice-reading.ts'
import { isAskedWrongly } from './list-end.ts'
import { type ListContext, type Pass, readList } from './read-list.ts'

/**
 * Reads a slice to its end, by all lists that its request names. The error that stopped it is the reading's
 * `error`, beside everything received before.
 */
export async function readSlice(
  run: RunContext,
  sliceContext: Omit<ListContext, 'asks'>,
  begun: SliceReading,
): Promise<SliceReading> {
  const { boundless, request } = begun.slice
  if (boundless === true) return { ...begun, error: parentWithoutDates(sliceContext.stream) }
  const { otherWays, arguments: asks } = request
  const start = { reading: begun, hint: {} }
  const readOne = (list: CallArguments, before: Pass): Promise<Pass> =>
    readList(run, { ...sliceContext, asks: list }, before)
  if (otherWays === undefined) return (await readOne(asks, start)).reading
  return await readWays([[asks], ...otherWays], start, readOne)
}

/**
 * Reads the lists of every way to request a slice; a record in two lists is no repeat. A way whose lists are
 * all refused is skipped as unsupported. The slice fails if all ways, or some lists of a way, are refused.
 */
async function readWays(
  ways: readonly (readonly CallArguments[])[],
  start: Pass,
  readOne: (asks: CallArguments, before: Pass) => Promise<Pass>,
): Promise<SliceReading> {
  const sums = { pages: 0, received: 0, erased: 0, quarantined: 0, hollow: 0, repeats: 0, twins: 0 }
  const names = Object.keys(sums) as (keyof typeof sums)[]
  const refusals: ServiceError[] = []
  let pass = start
  for (const lists of ways) {
    const refused: ServiceError[] = []
    for (const asks of lists) {
      pass = await readOne(asks, pass)
      const { error, pages } = pass.reading
      if (error === undefined) for (const name of names) sums[name] += pass.reading[name]
      else if (pages > 0 || !isAskedWrongly(error)) return pass.reading
      else refused.push(error)
    }
    const [first] = refused
    if (first === undefined) continue
    if (refused.length < lists.length) return { ...pass.reading, error: first }
    refusals.push(first)
  }
  const [refusal] = refusals
  if (refusal !== undefined && refusals.length === ways.length)
    return { ...pass.reading, error: refusal }
  return withIgnored({ ...pass.reading, ...sums, serviceTotal: undefined, error: undefined })
}

/** The error of a parent without dates: without bounds the service may silently show a part of the list. */
function parentWithoutDates({ operation, sync }: Stream): UnusableValueError {
  const { from, to } = (sync.kind === 'fan-out' && sync.within) || { from: 'from', to: 'to' }
  return new UnusableValueError('parent_without_dates', {
    tried: `Reading ${operation.id}`,
    came: `the parent record has neither ${from} nor ${to}, so no range can be requested`,
    todo: "contact the service's support and ask why a record of the parent list has no dates",
  })
}
