import type { GroupRead } from '../read/read-group.ts'
import type { Keys } from './missing-rows.ts'

export interface Verdict {
  deleted: Keys
  /** Missed once; a later complete read decides. */
  candidates: Keys
  /** Their detail call shows them, but two reads of the list did not. */
  hidden: Keys
  /** Some could not be requested, or may be among the quarantined records: their state is unknown. */
  unasked?: true
  /** A person approved the drop. */
  approved: boolean
  /** A drop past the limit that nobody approved. */
  tripped?: { missing: number; owned: number }
}

/** The group as of its last read; no verdict if that was not whole. */
export interface Judged {
  groupRead: GroupRead
  verdict?: Verdict | undefined
}

export const NOTHING: Verdict = { deleted: [], candidates: [], hidden: [], approved: false }
