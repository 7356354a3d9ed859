import { meansDeleted, meansWithheld } from '../../core/define/answer-meaning.ts'
import type { Operation } from '../../core/define/operation.ts'
import { ServiceError } from '../../core/errors.ts'
import type { PathIds } from './path-ids.ts'
import type { Call } from './send.ts'

/**
 * Sends a call with its IDs encoded in the likeliest way, and in the other ways if they are not found: a
 * wrong encoding must never make a record look deleted. A refused write has changed nothing.
 */
export async function inEachWay<T>(
  pathIds: PathIds,
  call: Call<T>,
  attempt: (call: Call<T>) => Promise<T>,
): Promise<T> {
  const { operation } = call
  const [first = {}, ...others] = pathIds.ways(call)
  // The first way has found such IDs before. Another way then counts only if it finds the ID.
  const isKnown = pathIds.isShown(call, first)
  let unfound: ServiceError
  try {
    return await found(first)
  } catch (error) {
    if (others.length === 0 || !meansUnfound(operation, error)) throw error
    unfound = error
  }
  for (const ways of others)
    try {
      return await found(ways)
    } catch (error) {
      if (!meansUnfound(operation, error)) throw isKnown && isRefusal(error) ? unfound : error
      if (isKnown) continue
      // Another parameter may be the invalid one; the answer that an ID is unknown does not outweigh that.
      if (unfound.status === 404 && meansDeleted(operation, error)) unfound = error
      // An unknown address says less than a refused parameter at another address.
      else if (error.status === 400 && !meansDeleted(operation, unfound)) unfound = error
    }
  throw unfound

  async function found(ways: typeof first): Promise<T> {
    const answer = await attempt({ ...call, ways })
    await pathIds.shown(call, ways)
    return answer
  }
}

/** Whether the service may have failed to recognize the ID. */
function meansUnfound(operation: Operation, error: unknown): error is ServiceError {
  if (!isRefusal(error) || meansWithheld(operation, error)) return false
  const { status, serviceCode } = error
  if (meansDeleted(operation, error) || status === 404 || status === 410) return true
  // A service may call an ID that it cannot read invalid. For a write, that is not clear enough.
  if (operation.method !== 'GET' || (status !== 400 && status !== 405)) return false
  const declared = operation.errors?.find(
    (one) => one.status === status && one.code === serviceCode,
  )
  return declared?.forbids !== true
}

function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.retry.kind === 'never'
}
