import type { BoardPatch, LabelPatch, ScenarioSession } from './board-patches.ts'
/**
 * The mutations of one kind of rows. Rows beyond the base size were added; base rows are never changed in
 * place.
 */
export interface Overlay<Patch> {
  readonly patches: ReadonlyMap<number, Patch>
  readonly gone: ReadonlySet<number>
  readonly added: number
}

/** The status of a user. The documents do not mention `suspended`. */
export type UserStatus = 'active' | 'inactive' | 'pending' | 'suspended'

export interface UserPatch {
  first_name?: string | undefined
  last_name?: string | undefined
  display_name?: string | undefined
  status?: UserStatus
  dept?: string | undefined
  job_title?: string | undefined
  company?: string | undefined
  location?: string | undefined
  language?: string | undefined
  timezone?: string | undefined
  lastLoginMs?: number
}

/** A meeting of the token's owner. */
export interface MeetingPatch {
  topic?: string
  start_time?: string | undefined
  duration?: number | undefined
  timezone?: string | undefined
  agenda?: string | undefined
  createdMs?: number
}

export type Quality = 'good' | 'fair' | 'poor' | 'bad'

export interface SessionPatch {
  /**
   * The start of an added session; base sessions follow the curve. A created session starts when somebody
   * joins.
   */
  startMs?: number
  /** When a caller created the session. */
  createdMs?: number
  session_name?: string
  lateQuality?: boolean
  has_recording?: boolean
  has_session_summary?: boolean
}

export interface RecordingPatch {
  /** The session of an added recording. */
  session?: number
  trash?: 'none' | 'session' | 'file' | 'every-file'
  deletedMs?: number
  /** When single files were trashed, by file ID; `FOR_GOOD` for permanently deleted files. */
  singly?: Readonly<Record<string, number>>
  /** Whether the host no longer exists, or is in another account. */
  host?: 'missing' | 'elsewhere'
  /** Whether the caller may not recover the recording. */
  unrecoverable?: boolean
  moreFiles?: number
}

export interface WhiteboardPatch {
  startMs?: number
  moreActivities?: number
  told?: ScenarioSession
}

export interface NumberPatch {
  allocated_product?: string
  status?: string
  display_name?: string
  /** The index of the assigned user; null: unassigned. */
  assignee?: number | null | undefined
  addressMended?: boolean
  /** The label of its assignments, which the list does not show. */
  label?: string
  site_id?: string
  /** Whether it lost its drawn assignment, because a caller added it or changed its product. */
  freed?: boolean
  supplied?: SuppliedNumber
}

/** A carrier's number that a caller added. */
export interface SuppliedNumber {
  number: string
  country?: string | undefined
  /** The index of the SIP group. */
  group?: number | undefined
  pci: boolean
}

export interface ConsentPatch {
  consent_name?: string | undefined
  description?: string | undefined
  status?: boolean | undefined
  in_out_bound?: Readonly<Record<string, unknown>>
  /** When a caller made the policy; base policies come from the seed. */
  createdMs?: number
  modifiedMs?: number
  /** How many numbers the policy has, before callers add or remove some. */
  numbers?: number
  /** The policy's capacity. */
  capacity?: number
  /** The indexes of numbers that callers added. */
  put?: readonly number[]
  /** The indexes of numbers that callers removed. */
  taken?: readonly number[]
}

/** The fields that a partner can set for a number. */
export interface PeeringFields {
  sip_trunk_name?: string | undefined
  status?: boolean | undefined
  billing_ref_id?: string | undefined
  message_capability?: string | undefined
  outbound_cli_share_not_supported?: boolean | undefined
  outbound_dialer_not_supported?: boolean | undefined
  service_info?: string | undefined
  voice_direction?: string | undefined
  voice_msg_capacity?: string | undefined
}

export interface PeeringPatch extends PeeringFields {
  allocated_product?: string
  /** The fields of a number that a caller added; base numbers come from the seed. */
  added?: { phone_number: string; carrier_code: number; number_type: string }
}

export interface OrderPatch {
  status?: string
}

export interface SipPatch {
  name?: string
}

/** Rows of a list with its own file in `lists/`. */
export type ListKind = `list:${string}`

/** All mutations of a company at one moment. A page token may refer to an older state. */
export interface SeedState {
  readonly users: Overlay<UserPatch>
  readonly sessions: Overlay<SessionPatch>
  readonly recordings: Overlay<RecordingPatch>
  readonly whiteboards: Overlay<WhiteboardPatch>
  readonly numbers: Overlay<NumberPatch>
  readonly boards: Overlay<BoardPatch>
  readonly labels: Overlay<LabelPatch>
  readonly consents: Overlay<ConsentPatch>
  readonly orders: Overlay<OrderPatch>
  readonly groups: Overlay<SipPatch>
  readonly trunks: Overlay<SipPatch>
  readonly peering: Overlay<PeeringPatch>
  readonly meetings: Overlay<MeetingPatch>
  readonly [kind: ListKind]: Overlay<object>
}

export type Kind = keyof SeedState
export type PatchOf<K extends Kind> = SeedState[K] extends Overlay<infer Patch> ? Patch : never

const none = { patches: new Map<number, never>(), gone: new Set<number>(), added: 0 }

export function emptyState(): SeedState {
  return {
    users: none,
    sessions: none,
    recordings: none,
    whiteboards: none,
    numbers: none,
    boards: none,
    labels: none,
    consents: none,
    orders: none,
    groups: none,
    trunks: none,
    peering: none,
    meetings: none,
  }
}

/** Returns the mutations of a kind of rows; empty if there are none. */
export function overlayOf(state: SeedState, kind: Kind): Overlay<object> {
  return state[kind] ?? none
}

/** Maps each kind of rows. */
export function mapKinds<From, To>(
  record: Readonly<Record<Kind, From>>,
  change: (from: From) => To,
): Record<Kind, To> {
  const entries = Object.entries(record).map(([kind, from]) => [kind, change(from)])
  return Object.fromEntries(entries) as Record<Kind, To>
}
