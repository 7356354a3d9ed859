import type { GroupRead } from '../read/read-group.ts'
import type { Keys } from './missing-rows.ts'

export interface Verdict {
  deleted: Keys
  /** Missed once; a later complete read decides. */
  candidates: Keys
  /** Their detail call shows them, and yet two reads of the list did not. */
  hidden: Keys
  /** Some could not be asked for, or may be among the quarantined records: nothing is known of them yet. */
  unasked?: true
  /** A person approved the drop. */
  approved: boolean
  /** A drop past the limit that nobody approved. */
  tripped?: { missing: number; owned: number }
}

/** The group as it was read in the end; no verdict if that was not whole. */
export interface Judged {
  groupRead: GroupRead
  verdict?: Verdict | undefined
}

export const NOTHING: Verdict = { deleted: [], candidates: [], hidden: [], approved: false }
