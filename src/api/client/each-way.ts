import { meansDeleted, meansWithheld } from '../../core/declare/means-deleted.ts'
import type { Operation } from '../../core/declare/operation.ts'
import { ServiceError } from '../../core/errors/errors.ts'
import type { PathIds } from './path-ids.ts'
import type { Call } from './send.ts'

/**
 * Sends a call with its IDs written in the likeliest way, and in the others where they are not found so: an
 * ID that was asked for in the wrong way must never be taken for gone. What is refused says of a write that
 * nothing was done.
 */
export async function inEachWay<T>(
  pathIds: PathIds,
  call: Call<T>,
  attempt: (call: Call<T>) => Promise<T>,
): Promise<T> {
  const { operation } = call
  const [first = {}, ...others] = pathIds.ways(call)
  // The first way has found IDs like this one before. Another way then counts only if it finds the ID.
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
      // What was called wrong may be another parameter: an ID that means nothing does not mend that.
      if (unfound.status === 404 && meansDeleted(operation, error)) unfound = error
      // An address that nobody knows says less than a parameter that is refused at another.
      else if (error.status === 400 && !meansDeleted(operation, unfound)) unfound = error
    }
  throw unfound

  async function found(ways: typeof first): Promise<T> {
    const answer = await attempt({ ...call, ways })
    await pathIds.shown(call, ways)
    return answer
  }
}

/** Whether it may be that the service did not see which ID was meant. */
function meansUnfound(operation: Operation, error: unknown): error is ServiceError {
  if (!isRefusal(error) || meansWithheld(operation, error)) return false
  const { status, serviceCode } = error
  if (meansDeleted(operation, error) || status === 404 || status === 410) return true
  // An ID that the service cannot read may be called wrong. Of a write that says too little.
  if (operation.method !== 'GET' || (status !== 400 && status !== 405)) return false
  const declared = operation.errors?.find(
    (one) => one.status === status && one.code === serviceCode,
  )
  return declared?.forbids !== true
}

function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.retry.kind === 'never'
}
