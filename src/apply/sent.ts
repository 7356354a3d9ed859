import type { PlanItem } from '../core/define/desired.ts'

/** What became of an item's calls. `unknown`: an answer was lost. `not_sent`: a call before it went wrong. */
export interface Sent {
  state: 'sent' | 'failed' | 'unknown' | 'not_sent'
  /** What the service says of it, or why it was not sent. */
  reason?: string
}

/** An item whose first call went out is halfway, until its last one did. */
export function afterStep({ sends }: PlanItem, step: number): Sent {
  if (step === sends.length - 1) return { state: 'sent' }
  return { state: 'not_sent', reason: `only ${step + 1} of its ${sends.length} calls went out` }
}
