import type { PlanItem } from '../core/define/desired.ts'

/** The result of an item's calls. `unknown`: a response is lost or unclear. `not_sent`: not all went out. */
export interface Sent {
  state: 'sent' | 'failed' | 'unknown' | 'not_sent'
  /** The service's reason, or why the call was not sent. */
  reason?: string
}

/** Returns an item's state after a step: incomplete until its last call was sent. */
export function afterStep({ sends }: PlanItem, step: number): Sent {
  if (step === sends.length - 1) return { state: 'sent' }
  return { state: 'not_sent', reason: `only ${step + 1} of its ${sends.length} calls went out` }
}
