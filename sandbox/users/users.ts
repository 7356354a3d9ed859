import { DAY_MS } from '../../src/core/time/time.ts'
import { addOddText, cleanText } from '../base/clean-text.ts'
import { hash, pick } from '../base/random.ts'
import { trueTime, wireTime } from '../base/wire-time.ts'
import { type Listing, rangeListing } from '../protocol/listing.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState, UserStatus } from '../seed-data/state.ts'
import { DEPARTMENTS, FIRST_NAMES, LAST_NAMES, SITES } from '../seed-data/words.ts'

/** A person in the company, from which both the response and the truth are made. */
export interface User {
  index: number
  h: number
  id: string
  email: string
  first_name: string
  last_name: string
  display_name: string
  status: UserStatus
  type: number
  /** The department; the service leaves a field empty in three ways: undefined, null and ''. */
  dept: string | null | undefined
  role_id: string
  timezone: string | null | undefined
  language: string
  /** The job title that the user set; otherwise the detail has a default. */
  job_title: string | undefined
  company: string | undefined
  location: string | undefined
  verified: number
  pmi: number
  createdMs: number
  lastLoginMs: number | undefined
  clientVersion: string
}

/** The index of the token's owner, in every account. */
export const CALLER = 0

/**
 * Returns a user's status before any change. Of the original users the first 80 % are active, the next 12 %
 * inactive, the others invited. Added users are active.
 */
export function baseStatus(seedData: SeedData, index: number): UserStatus {
  const { users } = seedData.sizes
  if (index >= users) return 'active'
  if (index < Math.floor(users * 0.8)) return 'active'
  return index < Math.floor(users * 0.92) ? 'inactive' : 'pending'
}

/** Suspends a few active and inactive users. */
export function suspendSome({ state, sizes }: SeedData): SeedState {
  const { users } = state
  const patches = new Map(users.patches)
  for (let index = 5; index < sizes.users * 0.9; index += 17)
    if (!patches.has(index)) patches.set(index, { status: 'suspended' })
  return { ...state, users: { ...users, patches } }
}

export function userCount(seedData: SeedData, state: SeedState): number {
  return seedData.sizes.users + state.users.added
}

export function userAt(seedData: SeedData, state: SeedState, index: number): User {
  const { seed, originMs } = seedData
  const h = hash(seed, 11, index)
  const more = hash(seed, 12, index)
  const patch = state.users.patches.get(index)
  const first_name = patch?.first_name ?? pick(FIRST_NAMES, h >>> 4)
  const last_name = patch?.last_name ?? pick(LAST_NAMES, more >>> 4)
  const status = patch?.status ?? baseStatus(seedData, index)
  const createdMs = originMs - (2 + ((more >>> 8) % 2200)) * DAY_MS - (h % 86_400) * 1000
  return {
    index,
    h,
    id: seedData.ids.users.of(index),
    email: emailOf(seedData, index),
    first_name,
    last_name,
    display_name: patch?.display_name ?? addOddText(`${first_name} ${last_name}`, more),
    status,
    type: h % 7 === 0 ? 1 : h % 101 === 0 ? 99 : 2,
    dept: patch?.dept ?? empty(pick(DEPARTMENTS, h >>> 9), h),
    role_id: h % 90 === 0 ? '1' : h % 400 === 1 ? '0' : '2',
    timezone: patch?.timezone ?? empty(siteOf(seedData, index).timezone, more),
    language: patch?.language ?? (h % 3 === 0 ? 'en-US' : 'nl-NL'),
    job_title: patch?.job_title,
    company: patch?.company,
    location: patch?.location,
    verified: h % 6 === 0 ? 0 : 1,
    pmi: 3_000_000_000 + (more % 900_000_000),
    createdMs: Math.floor(createdMs / 1000) * 1000,
    lastLoginMs:
      patch?.lastLoginMs ??
      (h % 8 === 0 ? undefined : Math.floor((originMs - (more % 5_000_000) * 1000) / 1000) * 1000),
    clientVersion: `6.${String(h % 9)}.${String(more % 40)}.${String(h % 7000)}`,
  }
}

/** Returns an address that contains the index, which leads back to the row; some have capitals. */
export function emailOf(seedData: SeedData, index: number): string {
  const h = hash(seedData.seed, 13, index)
  const text = `person.${index.toString(36)}@${h % 9 === 0 ? 'branch' : 'corp'}.example`
  return h % 11 === 0 ? `P${text.slice(1)}` : text
}

export function userIndexOfEmail(seedData: SeedData, email: string): number | undefined {
  const found = /^person\.([0-9a-z]{1,6})@/i.exec(email)?.[1]
  if (found === undefined) return undefined
  const index = Number.parseInt(found, 36)
  return emailOf(seedData, index).toLowerCase() === email.toLowerCase() ? index : undefined
}

export function siteOf(seedData: SeedData, index: number): (typeof SITES)[number] {
  return pick(SITES, hash(seedData.seed, 14, index))
}

/**
 * Lists the users of one status: its share of the base rows, without users who left the status, and with
 * users who joined it.
 */
export function usersOfStatus(seedData: SeedData, state: SeedState, status: UserStatus): Listing {
  const { users } = seedData.sizes
  const bounds = [0, Math.floor(users * 0.8), Math.floor(users * 0.92), users]
  const place = ['active', 'inactive', 'pending'].indexOf(status)
  const [from = 0, until = 0] = [bounds[place], bounds[place + 1]]
  const without = [...state.users.gone]
  const extras: { index: number; before: number }[] = []
  for (const [index, patch] of state.users.patches) {
    if (patch.status === undefined || state.users.gone.has(index) || index >= users) continue
    if (baseStatus(seedData, index) === status && patch.status !== status) without.push(index)
    if (baseStatus(seedData, index) !== status && patch.status === status)
      extras.push({ index, before: until })
  }
  for (let index = users; index < users + state.users.added; index++) {
    const now = state.users.patches.get(index)?.status ?? 'active'
    if (now === status && !state.users.gone.has(index)) extras.push({ index, before: until })
  }
  return rangeListing({ from, until, without, extras })
}

export function userListItem(user: User): Record<string, unknown> {
  const { h } = user
  if (user.status === 'pending') return pendingItem(user)
  return {
    id: user.id,
    first_name: user.first_name,
    last_name: user.last_name,
    display_name: user.display_name,
    email: user.email,
    type: user.type,
    pmi: user.pmi,
    timezone: user.timezone,
    verified: user.verified,
    dept: user.dept,
    created_at: h % 13 === 0 ? createdDay(user) : wireTime(user.createdMs, 15),
    user_created_at: wireTime(user.createdMs, h),
    ...(user.lastLoginMs === undefined ? {} : { last_login_time: wireTime(user.lastLoginMs, 15) }),
    last_client_version: user.clientVersion,
    role_id: user.role_id,
    // These fields are undocumented and must be stored as received.
    language: user.language,
    group_ids: h % 4 === 0 ? [`group-${String(h % 40)}`] : [],
    status: user.status,
  }
}

/** Returns an invited person, who has no ID; only the address and the type are certain. */
function pendingItem(user: User): Record<string, unknown> {
  const { h } = user
  return {
    ...(h % 3 === 0 ? { id: '' } : {}),
    email: user.email,
    type: user.type,
    ...(h % 5 === 0 ? { dept: user.dept, role_id: user.role_id, timezone: user.timezone } : {}),
    ...(h % 7 === 0 ? {} : { status: 'pending' }),
  }
}

export function userTruth(user: User): Record<string, unknown> {
  const { h } = user
  const pending = user.status === 'pending'
  const some = !pending || h % 5 === 0
  return {
    id: pending ? `pending:${user.email.normalize('NFC').toLowerCase()}` : user.id,
    email: user.email,
    first_name: pending ? null : user.first_name,
    last_name: pending ? null : user.last_name,
    display_name: pending ? null : cleanText(user.display_name),
    type: String(user.type),
    status: user.status,
    role_id: some ? user.role_id : null,
    dept: some ? (user.dept ?? null) : null,
    timezone: some ? (user.timezone ?? null) : null,
    location: null,
    job_title: null,
    verified: pending ? null : String(user.verified),
    pmi: pending ? null : String(user.pmi),
    use_pmi: null,
    user_created_at: pending ? null : trueTime(user.createdMs, h),
    created_at: pending ? null : trueCreation(user),
    last_login_time:
      pending || user.lastLoginMs === undefined ? null : trueTime(user.lastLoginMs, 15),
    last_client_version: pending ? null : user.clientVersion,
  }
}

/** Returns the day of creation. For some users the list has only the day, which means its first instant. */
function createdDay(user: User): string {
  return new Date(user.createdMs).toISOString().slice(0, 10)
}

function trueCreation(user: User): string {
  return user.h % 13 === 0 ? `${createdDay(user)}T00:00:00Z` : trueTime(user.createdMs, 15)
}

/** Returns the value or, for some hashes, one of three empty values. */
export function empty(value: string, h: number): string | null | undefined {
  const way = (h >>> 20) % 40
  return way === 0 ? undefined : way === 1 ? '' : way === 2 ? null : value
}
