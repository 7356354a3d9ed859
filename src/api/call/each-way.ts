import { meansDeleted, meansWithheld } from '../../core/define/answer-meaning.ts'
import type { Operation } from '../../core/define/operation.ts'
import { ServiceError } from '../../core/errors.ts'
import { type PathWays, waysOf } from './path-ids.ts'
import type { Call } from './send.ts'

/**
 * Sends a call with its IDs encoded as documented, and in the other ways if they are not found: a wrong
 * encoding must never make a record look deleted. A refused write has changed nothing.
 */
export async function inEachWay<T>(
  call: Call<T>,
  attempt: (call: Call<T>) => Promise<T>,
): Promise<T> {
  const { operation } = call
  const ways = waysOf(call)
  const vague: PathWays[] = []
  let unfound: ServiceError | undefined
  for (const way of ways)
    try {
      return await attempt({ ...call, ways: way })
    } catch (error) {
      if (ways.length === 1 || !meansUnfound(operation, error)) throw error
      if (error.status !== 400 && !meansDeleted(operation, error)) vague.push(way)
      unfound = unfound === undefined ? error : weightier(operation, unfound, error)
    }
  // Something before the service may have made the one answer, and the other one be about another ID.
  const isDoubtful = operation.method === 'GET' && meansDeleted(operation, unfound)
  for (const way of isDoubtful ? vague : [])
    for (let times = 0; times < TIMES_AGAIN; times++)
      try {
        return await attempt({ ...call, ways: way })
      } catch (error) {
        if (!meansUnfound(operation, error)) throw error
      }
  // There is one way at least.
  throw unfound as ServiceError
}

function weightier(operation: Operation, one: ServiceError, other: ServiceError): ServiceError {
  // Another parameter may be the invalid one; the answer that an ID is unknown does not outweigh that.
  if (one.status === 404 && meansDeleted(operation, other)) return other
  // An unknown address says less than a refused parameter at another address.
  return other.status === 400 && !meansDeleted(operation, one) ? other : one
}

/** Whether the service may have failed to recognize the ID. */
function meansUnfound(operation: Operation, error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || error.retry.kind !== 'never') return false
  if (meansWithheld(operation, error)) return false
  const { status, serviceCode } = error
  if (meansDeleted(operation, error) || status === 404 || status === 410) return true
  // A service may call an ID that it cannot read invalid. For a write, that is not clear enough.
  if (operation.method !== 'GET' || (status !== 400 && status !== 405)) return false
  const declared = operation.errors?.find(
    (one) => one.status === status && one.code === serviceCode,
  )
  return declared?.forbids !== true
}

/** Of pages that strike each twentieth call as many in a row are one in ten thousand. */
const TIMES_AGAIN = 2
