import type { BoardPatch, LabelPatch, ToldSession } from './board-patches.ts'
/**
 * What mutations did to one kind of rows. Rows from the base size on are added ones; nothing is ever
 * changed in place.
 */
export interface Overlay<Patch> {
  readonly patches: ReadonlyMap<number, Patch>
  readonly gone: ReadonlySet<number>
  readonly added: number
}

/** The last one is in no document. */
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

/** A meeting of whoever owns the token. */
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
  /** Of added sessions; the base ones follow the curve. A created one has it once somebody has joined. */
  startMs?: number
  /** Of sessions that a caller created. */
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
  /** Files that were trashed singly, by ID, and when; `FOR_GOOD` for those that were deleted outright. */
  singly?: Readonly<Record<string, number>>
  /** Who held the session is not there any more, or is in another account. */
  host?: 'missing' | 'elsewhere'
  /** The caller may not take it out of the trash. */
  unrecoverable?: boolean
  moreFiles?: number
}

export interface WhiteboardPatch {
  startMs?: number
  moreActivities?: number
  told?: ToldSession
}

export interface NumberPatch {
  allocated_product?: string
  status?: string
  display_name?: string
  /** A user by the index; null: nobody has it any more. */
  assignee?: number | null | undefined
  addressMended?: boolean
  /** Of its assignments; the list does not tell it. */
  label?: string
  site_id?: string
  /** Nobody has it who had it before: its product was changed by a caller. */
  freed?: boolean
  supplied?: SuppliedNumber
}

/** A carrier's number that a caller brought to the account. */
export interface SuppliedNumber {
  number: string
  country?: string | undefined
  /** The SIP group by its index. */
  group?: number | undefined
  pci: boolean
}

export interface ConsentPatch {
  consent_name?: string | undefined
  description?: string | undefined
  status?: boolean | undefined
  in_out_bound?: Readonly<Record<string, unknown>>
  /** Of policies that a caller made; the base ones have theirs from the seed. */
  createdMs?: number
  modifiedMs?: number
  /** How many numbers are under it by themselves. */
  numbers?: number
  /** How many fit under it. */
  capacity?: number
  /** Numbers that callers put under it and took from it, by their index. */
  put?: readonly number[]
  taken?: readonly number[]
}

/** What a partner may say of a number that it supplies. */
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
  /** Of numbers that a caller added; the base ones have theirs from the seed. */
  added?: { phone_number: string; carrier_code: number; number_type: string }
}

export interface OrderPatch {
  status?: string
}

export interface SipPatch {
  name?: string
}

/** Rows of a list that has a file of its own in `lists/`. */
export type ListKind = `list:${string}`

/** The whole of a company's mutations at one moment; a page token may pin it. */
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

/** What mutations did to rows of a kind: nothing, as long as none of them touched it. */
export function overlayOf(state: SeedState, kind: Kind): Overlay<object> {
  return state[kind] ?? none
}

/** The same for each kind of rows. */
export function mapKinds<From, To>(
  record: Readonly<Record<Kind, From>>,
  change: (from: From) => To,
): Record<Kind, To> {
  const entries = Object.entries(record).map(([kind, from]) => [kind, change(from)])
  return Object.fromEntries(entries) as Record<Kind, To>
}
