import { hash } from '../base/random.ts'
import type { SandboxCall } from '../protocol/call.ts'
import { SandboxRefusal } from '../protocol/refusal.ts'

export interface FailedItem {
  phoneNumber: string
  reason: string
}

/** Returns the refusal of these items; the others succeeded. Its message is a list or the list's JSON. */
export function failedItems(
  { seedData, serial }: SandboxCall,
  items: readonly FailedItem[],
): SandboxRefusal {
  const printed = hash(seedData.seed, 0x3e8, serial) % 3 === 0
  return new SandboxRefusal(400, { code: 1000, message: printed ? JSON.stringify(items) : items })
}
