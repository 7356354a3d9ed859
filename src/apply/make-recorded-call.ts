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
  /** Who asks for it, for the record of what changes something. */
  askedBy: () => string
  /** How many calls of the same plan are to come after it for the same things; none if not given. */
  toFollow?: number
  /** What it is done under: once that is lost, nothing goes out. */
  lease?: Lease
  signal: AbortSignal
  /** Called at the end, also of a call that throws then. */
  onEnd?: (ended: EndedCall) => void
}

export interface EndedCall {
  /** Whether it went out; `unknown` where nobody can say whether it was done, or a read got no answer. */
  sent: boolean | 'unknown'
  /** Under which number it is entered, if it would change something. */
  call?: number
}

export interface MadeCall extends CallAnswer {
  /** It was done, and the record of it could not be completed: why. */
  notEntered?: string
}

/**
 * Calls any operation. What would change something is entered before it goes out, and what came of it after.
 * Throws before anything is sent when arguments or body are not what the operation takes.
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
    return retryDatabase(deps, () => endCall(warehouse, id, what)).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : 'for an unknown reason'),
    )
  }
  let last: Answered | undefined
  const onAnswer = (answer: Answered): void => void (last = answer)
  const answer = await client
    .call(operation, args, { body, signal, onAnswer })
    .catch(async (error: unknown) => {
      // The call's own error is what matters, also where this cannot be entered: it stays open then.
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

/** JSON text with the values of secrets blanked: keys of storage, passwords. */
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
