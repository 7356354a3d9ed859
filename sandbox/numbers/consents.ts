import { DAY_MS } from '../../src/core/time/time.ts'
import { hash } from '../base/random.ts'
import { trueTime, wireTime } from '../base/wire-time.ts'
import type { Op } from '../protocol/apply-ops.ts'
import { rowsOf } from '../protocol/find-row.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { ConsentPatch, SeedState } from '../seed-data/state.ts'
import { numberText } from './numbers.ts'

type Json = Record<string, unknown>

interface Consent {
  h: number
  createdMs: number
  modifiedMs: number
  capacity: number
  /** The indexes of its numbers, in the order of the list. */
  members: readonly number[]
  fields: {
    consent_id: string
    consent_name: string
    description: string | undefined
    account_id: string
    status: boolean
    in_out_bound: Json
  }
}

/** The default capacity of a policy. */
const CAPACITY = 10_000

export function consentAt(seedData: SeedData, state: SeedState, index: number): Consent {
  const h = hash(seedData.seed, 131, index)
  const patch = state.consents.patches.get(index) ?? {}
  const made = patch.createdMs !== undefined
  const createdMs = patch.createdMs ?? seedData.originMs - (30 + (h % 300)) * DAY_MS
  const topic = TOPICS[index % TOPICS.length] ?? 'News'
  const described = made || h % 3 === 0 ? undefined : `Texts about ${topic}`
  return {
    h,
    createdMs,
    modifiedMs: patch.modifiedMs ?? createdMs + ((h >>> 6) % 20) * DAY_MS,
    capacity: patch.capacity ?? CAPACITY,
    members: membersOf(seedData, h, patch),
    fields: {
      consent_id: seedData.ids.consents.of(index),
      consent_name: patch.consent_name ?? `${topic} ${String(index)}`,
      description: patch.description ?? described,
      account_id: seedData.accountId,
      status: patch.status ?? h % 5 !== 0,
      in_out_bound: patch.in_out_bound ?? messages(topic, h),
    },
  }
}

/**
 * Returns consecutive numbers from a drawn start, without the numbers that callers removed, and with those
 * that they added.
 */
function membersOf(seedData: SeedData, h: number, patch: ConsentPatch): number[] {
  const { numbers } = seedData.sizes
  const usual = patch.createdMs === undefined ? (h >>> 9) % 40 : 0
  const count = Math.min(patch.numbers ?? usual, numbers)
  const members = new Set(Array.from({ length: count }, (_, place) => (h + place) % numbers))
  for (const index of patch.taken ?? []) members.delete(index)
  for (const index of patch.put ?? []) members.add(index)
  return [...members]
}

/** Returns the change that adds numbers to a policy and removes others. */
export function moveMembers(
  seedData: SeedData,
  index: number,
  moved: { put?: readonly number[]; taken?: readonly number[]; modifiedMs?: number },
): Op {
  const { put = [], taken = [], ...rest } = moved
  const before = seedData.state.consents.patches.get(index) ?? {}
  const patch = {
    put: merged(before.put, put, taken),
    taken: merged(before.taken, taken, put),
    ...rest,
  }
  return { kind: 'consents', action: 'change', index, patch }
}

function merged(
  before: readonly number[] = [],
  more: readonly number[],
  less: readonly number[],
): number[] {
  return [...new Set([...before, ...more])].filter((index) => !less.includes(index))
}

/** Returns the changes that remove these numbers from all policies. */
export function consentsWithout(seedData: SeedData, numbers: readonly number[]): Op[] {
  const { state } = seedData
  const listing = rowsOf(seedData, state, 'consents')
  return Array.from({ length: listing.length }, (_, at) => listing.at(at)).flatMap((index) => {
    const members = new Set(consentAt(seedData, state, index).members)
    const taken = numbers.filter((number) => members.has(number))
    return taken.length === 0 ? [] : [moveMembers(seedData, index, { taken })]
  })
}

/** Returns a policy as the list shows it, without capacity and creator. */
export function consentItem({ h, createdMs, modifiedMs, members, fields }: Consent): Json {
  return {
    ...fields,
    used_number: members.length,
    create_time: wireTime(createdMs, h),
    modify_time: wireTime(modifiedMs, h >>> 3),
  }
}

export function consentDetail(seedData: SeedData, consent: Consent): Json {
  const creator = seedData.ids.users.of(consent.h % Math.max(1, seedData.sizes.users))
  return { ...consentItem(consent), capacity: consent.capacity, user_id: creator }
}

/** Returns the fields that the list omits. */
export function consentDetailTruth(seedData: SeedData, consent: Consent): Json {
  const { user_id, capacity } = consentDetail(seedData, consent)
  return { consent_id: consent.fields.consent_id, user_id, capacity: String(capacity) }
}

export function consentTruth({ h, createdMs, modifiedMs, members, fields }: Consent): Json {
  return {
    ...fields,
    description: fields.description ?? null,
    used_number: String(members.length),
    in_out_bound: JSON.stringify(fields.in_out_bound),
    create_time: trueTime(createdMs, h),
    modify_time: trueTime(modifiedMs, h >>> 3),
  }
}

export function consentNumberAt(seedData: SeedData, state: SeedState, index: number) {
  return {
    phone_number_id: seedData.ids.numbers.of(index),
    phone_number: numberText(seedData, state, index),
    account_id: seedData.accountId,
  }
}

export function consentNumberTruths(
  seedData: SeedData,
  state: SeedState,
  consent: Consent,
): Json[] {
  return consent.members.map((index) => ({
    consent_id: consent.fields.consent_id,
    ...consentNumberAt(seedData, state, index),
  }))
}

function messages(topic: string, h: number): Json {
  return {
    opt_in_message: {
      prompt: `Answer YES for texts about ${topic}.`,
      keywords: ['YES', 'START'],
      confirmation_message: 'You are in.',
    },
    opt_out_message: { message: 'You are out.', keywords: ['STOP'] },
    help_message: { message: 'Call the desk.', keywords: ['HELP'] },
    disclaimer: { enable: h % 2 === 0, message: 'Rates may apply.' },
  }
}

const TOPICS = ['Deliveries', 'Appointments', 'Outages', 'Offers', 'Alerts']
