import type { CallAnswer } from '../api/call/make-call.ts'
import { checkCall } from '../core/define/check-call.ts'
import type { CallArguments, Operation } from '../core/define/operation.ts'
import { CallsheetError, OutcomeUnknownError, ServiceError } from '../core/errors.ts'
import { blankTransient } from '../core/records/record-hash.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { type CallEnd, endCall, recordCall } from './write-log.ts'

export interface MakeCallOptions {
  account: string
  operation: Operation
  args: CallArguments
  body: unknown
  /** The user who requests the call, for the record of calls that change data. */
  askedBy: () => string
  /** The number of later calls in the plan for these things (default: 0). */
  toFollow?: number
  /** The lease of a call that changes data. Once the lease is lost, the call is not sent. */
  lease?: Lease
  signal: AbortSignal
  /** Called at the end, even after an error. */
  onEnd?: (ended: EndedCall) => void
}

export interface EndedCall {
  /** Whether the call was sent; `unknown` if it may have been carried out, or if a read got no response. */
  sent: boolean | 'unknown'
  /** The number of the call's record, if the call could change data. */
  call?: number
}

export interface MadeCall extends CallAnswer {
  /** Why the record of a successful call could not be completed. */
  notEntered?: string
}

/**
 * Calls any operation. If the call changes data, records it before sending, and its result afterwards. Throws
 * before sending if the operation does not accept the arguments or the body.
 */
export async function makeRecordedCall(
  deps: EngineDeps,
  options: MakeCallOptions,
): Promise<MadeCall> {
  const { operation, args, body } = options
  checkCall(operation, args, body)
  return operation.method === 'GET' ? await makeRead(deps, options) : await makeWrite(deps, options)
}

async function makeRead({ client }: EngineDeps, options: MakeCallOptions): Promise<MadeCall> {
  const { operation, args, signal, onEnd } = options
  let sent: EndedCall['sent'] = false
  try {
    return await client.call(operation, args, {
      signal,
      onSent: () => void (sent ||= 'unknown'),
      onAnswer: () => void (sent = true),
    })
  } finally {
    onEnd?.({ sent })
  }
}

async function makeWrite(deps: EngineDeps, options: MakeCallOptions): Promise<MadeCall> {
  const { warehouse, client } = deps
  const { account, operation, args, body, askedBy, toFollow = 0, lease, signal, onEnd } = options
  const entry = {
    account,
    operation: operation.id,
    askedBy: askedBy(),
    arguments: withoutSecrets(args),
    body: body === undefined ? undefined : withoutSecrets(body),
    toFollow,
  }
  const id = await recordCall(warehouse, entry, lease)
  const end = (what: CallEnd): Promise<string | undefined> => {
    onEnd?.({ sent: SENT[what.state], call: id })
    return retryDatabase(deps, () => endCall(warehouse, { account, id }, what)).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : 'for an unknown reason'),
    )
  }
  let last: Answered | undefined
  const onAnswer = (answer: Answered): void => void (last = answer)
  const answer = await client
    .call(operation, args, { body, signal, onAnswer })
    .catch(async (error: unknown) => {
      // Throws the call's own error even if the result cannot be recorded. The record then stays open.
      await end(endOf(operation, error, last))
      throw error
    })
  const { status, trackingId } = answer
  const label = operation.labels?.(args, body)
  const notEntered = await end({ state: 'done', status, trackingId, label })
  return { ...answer, ...(notEntered === undefined ? {} : { notEntered }) }
}

interface Answered {
  status: number
  trackingId: string | undefined
}

/** Returns JSON text with secret values (storage keys, passwords) masked. */
export function withoutSecrets(value: unknown): string {
  return blankTransient(JSON.stringify(value), [])
}

function endOf(operation: Operation, error: unknown, last: Answered | undefined): CallEnd {
  const reason = error instanceof CallsheetError ? error.facts.came : (error as Error).name
  const cause = error instanceof OutcomeUnknownError ? error.cause : error
  const code = cause instanceof ServiceError ? cause.serviceCode : undefined
  const end = { ...last, code, reason }
  if (error instanceof OutcomeUnknownError) return { state: 'unknown', ...end }
  if (last === undefined) return { state: 'not_sent', reason }
  const { status } = last
  const partly = operation.errors?.some(
    (one) => one.partly === true && one.status === status && one.code === code,
  )
  return { state: partly === true ? 'partly' : 'refused', ...end }
}

const SENT: Readonly<Record<CallEnd['state'], EndedCall['sent']>> = {
  done: true,
  partly: true,
  refused: true,
  unknown: 'unknown',
  not_sent: false,
}
