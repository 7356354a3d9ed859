import type { Client } from '../api/client.ts'
import type { CallAnswer } from '../api/make-call.ts'
import { blankTransient } from '../core/blank-transient.ts'
import { checkCall } from '../core/check-call.ts'
import { CallsheetError, OutcomeUnknownError, ServiceError } from '../core/errors.ts'
import type { CallArguments, Operation } from '../core/operation.ts'
import { type CallEnd, endCall, enterCall } from '../warehouse/calls.ts'
import type { Warehouse } from '../warehouse/connect.ts'

export interface CallOptions {
  account: string
  operation: Operation
  args: CallArguments
  body: unknown
  /** Who asks for it, for the record. */
  askedBy: string
  signal: AbortSignal
}

/**
 * Calls any operation. What would change something is entered before it goes out, and what came of it after.
 * Throws before anything is sent when arguments or body are not what the operation takes.
 */
export async function makeCall(
  { warehouse, client }: { warehouse: Warehouse; client: Client },
  options: CallOptions,
): Promise<CallAnswer> {
  const { account, operation, args, body, askedBy, signal } = options
  checkCall(operation, args, body)
  if (operation.method === 'GET') return await client.call(operation, args, { signal })
  const id = await enterCall(warehouse, {
    account,
    operation: operation.id,
    askedBy,
    arguments: withoutSecrets(args),
    body: body === undefined ? undefined : withoutSecrets(body),
  })
  try {
    const answer = await client.call(operation, args, { body, signal })
    const { status, trackingId } = answer
    await endCall(warehouse, id, { state: 'done', status, trackingId })
    return answer
  } catch (error) {
    await endCall(warehouse, id, endOf(error))
    throw error
  }
}

/** JSON text with the values of secrets blanked: keys of storage, passwords. */
export function withoutSecrets(value: unknown): string {
  return blankTransient(JSON.stringify(value), [])
}

function endOf(error: unknown): CallEnd {
  const reason = error instanceof CallsheetError ? error.facts.came : (error as Error).name
  const cause = error instanceof OutcomeUnknownError ? error.cause : error
  const said =
    cause instanceof ServiceError
      ? { status: cause.status, code: cause.serviceCode, trackingId: cause.trackingId }
      : {}
  if (error instanceof OutcomeUnknownError) return { state: 'unknown', ...said, reason }
  return { state: error instanceof ServiceError ? 'refused' : 'not_sent', ...said, reason }
}
