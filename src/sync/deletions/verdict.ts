import type { GroupRead } from '../read/read-group.ts'
import type { Keys } from './missing-rows.ts'

export interface Verdict {
  deleted: Keys
  /** Rows whose records a list showed outside the part that the account keeps: they still exist. */
  left: Keys
  /** Rows missing from one read; a later complete read decides. */
  candidates: Keys
  /** Rows that their detail call shows, but two reads of the lists did not. */
  hidden: Keys
  /** The state of some rows is unknown: not requested, or possibly among the quarantined records. */
  unasked?: true
  /** A person approved the drop. */
  approved: boolean
  /** A drop past the limit that no person approved. */
  tripped?: { missing: number; owned: number }
}

/** The group as of its last read; no verdict if that read was not complete. */
export interface Judged {
  groupRead: GroupRead
  verdict?: Verdict | undefined
}

export const NOTHING: Verdict = {
  deleted: [],
  left: [],
  candidates: [],
  hidden: [],
  approved: false,
}
