import type { PlanItem } from '../core/define/desired.ts'
import { FencedError } from '../core/errors.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import { batchesOf, type CallBatch } from './batches.ts'
import { type HeldAccount, stoppedByLoss } from './hold-account.ts'
import { judgeBatch } from './judge-batch.ts'
import { makeRecordedCall } from './make-recorded-call.ts'
import { isToDo, type KindPlan } from './plan.ts'
import { afterStep, type Sent } from './sent.ts'

export interface SentPlan {
  outcomes: ReadonlyMap<PlanItem, Sent>
  calls: number
  /** The reason for stopping early, if any. */
  stoppedAt: unknown
}

export interface SendOptions {
  account: string
  plans: readonly KindPlan[]
  askedBy: () => string
  hold: HeldAccount
  onSent?: (progress: { done: number; of: number }) => void
}

/**
 * Sends a plan call by call, and stops at the first unexpected result. Each call is recorded. Nothing is sent
 * once the account's lease is lost, but the response to a call in progress is awaited.
 */
export async function sendPlan(deps: EngineDeps, options: SendOptions): Promise<SentPlan> {
  const { plans, onSent } = options
  const { signal } = options.hold
  const items = plans.flatMap((plan) => plan.items.filter(isToDo))
  const batches = plans.flatMap((plan) => batchesOf(plan.items.filter(isToDo)))
  const outcomes = new Map<PlanItem, Sent>(items.map((item) => [item, { state: 'not_sent' }]))
  const made = new Map<string, string>()
  let calls = 0
  for (const batch of batches) {
    if (signal.aborted) return { outcomes, calls, stoppedAt: reasonOf(signal.reason) }
    calls++
    try {
      await sendBatch(deps, { ...options, batch, made })
    } catch (error) {
      const stoppedAt = reasonOf(error)
      if (isStop(error, signal)) return { outcomes, calls: calls - 1, stoppedAt }
      for (const [item, sent] of judgeBatch(batch, error)) outcomes.set(item, sent)
      return { outcomes, calls, stoppedAt }
    }
    for (const item of batch.items) outcomes.set(item, afterStep(item, batch.step))
    onSent?.({ done: calls, of: batches.length })
  }
  return { outcomes, calls, stoppedAt: undefined }
}

/** Whether the stop came before the call was sent, so that its items are unchanged. */
function isStop(error: unknown, signal: AbortSignal): boolean {
  return error instanceof FencedError || (signal.aborted && error === signal.reason)
}

function reasonOf(stoppedAt: unknown): unknown {
  return stoppedAt instanceof FencedError ? stoppedByLoss(stoppedAt) : stoppedAt
}

async function sendBatch(
  deps: EngineDeps,
  options: SendOptions & { batch: CallBatch; made: Map<string, string> },
): Promise<void> {
  const { account, askedBy, hold, made } = options
  const { lease, signal } = hold
  const { send, members, toFollow } = options.batch
  const { operation, args, makes } = send
  const body = send.body?.(members, made)
  const call = { account, operation, args, body, askedBy, toFollow, lease, signal }
  const answer = await makeRecordedCall(deps, call)
  if (makes !== undefined) made.set(makes.name, makes.id(answer.body))
}
