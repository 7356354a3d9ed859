import { DAY_MS } from '../core/time.ts'
import type { Company } from './company.ts'
import { type Listing, rangeListing } from './listing.ts'
import { hash } from './random.ts'
import type { Kind, State } from './state.ts'
import { trueTime, wireTime } from './wire-time.ts'
import { numberAt } from './numbers.ts'

type Json = Record<string, unknown>

/** An SMS consent policy. */
interface Consent {
  h: number
  index: number
  createdMs: number
  modifiedMs: number
  numbers: number
  fields: {
    consent_id: string
    consent_name: string
    description: string | undefined
    account_id: string
    status: boolean
    in_out_bound: Json
  }
}

/** Rows that are there, in the order in which they were made. */
export function rowsOf(company: Company, state: State, kind: Kind): Listing {
  const { gone, added } = state[kind]
  const until = company.sizes[kind] + added
  return rangeListing({ from: 0, until, without: [...gone] })
}

export function consentAt(company: Company, state: State, index: number): Consent {
  const h = hash(company.seed, 131, index)
  const patch = state.consents.patches.get(index) ?? {}
  const createdMs = company.originMs - (30 + (h % 300)) * DAY_MS
  const topic = TOPICS[index % TOPICS.length] ?? 'News'
  return {
    h,
    index,
    createdMs,
    modifiedMs: patch.modifiedMs ?? createdMs + ((h >>> 6) % 20) * DAY_MS,
    numbers: Math.min(patch.numbers ?? (h >>> 9) % 40, company.sizes.numbers),
    fields: {
      consent_id: company.ids.consents.of(index),
      consent_name: `${topic} ${String(index)}`,
      description: patch.description ?? (h % 3 === 0 ? undefined : `Texts about ${topic}`),
      account_id: company.accountId,
      status: h % 5 !== 0,
      in_out_bound: messages(topic, h),
    },
  }
}

/** The list leaves out how many numbers fit and who made the policy. */
export function consentItem({ h, createdMs, modifiedMs, numbers, fields }: Consent): Json {
  return {
    ...fields,
    used_number: numbers,
    create_time: wireTime(createdMs, h),
    modify_time: wireTime(modifiedMs, h >>> 3),
  }
}

export function consentDetail(company: Company, consent: Consent): Json {
  const creator = company.ids.users.of(consent.h % Math.max(1, company.sizes.users))
  return { ...consentItem(consent), capacity: 10_000, user_id: creator }
}

export function consentTruth({ h, createdMs, modifiedMs, numbers, fields }: Consent): Json {
  return {
    ...fields,
    description: fields.description ?? null,
    used_number: String(numbers),
    in_out_bound: JSON.stringify(fields.in_out_bound),
    create_time: trueTime(createdMs, h),
    modify_time: trueTime(modifiedMs, h >>> 3),
  }
}

/** The numbers under a policy: one after the other from a place of its own. */
export function consentNumberAt(
  company: Company,
  state: State,
  { h, place }: { h: number; place: number },
) {
  const { numbers } = company.sizes
  const index = (h + place) % Math.max(1, numbers)
  const { item } = numberAt(company, state, index)
  return {
    phone_number_id: company.ids.numbers.of(index),
    phone_number: item.number,
    account_id: company.accountId,
  }
}

export function consentNumberTruths(company: Company, state: State, consent: Consent): Json[] {
  return Array.from({ length: consent.numbers }, (_, place) => ({
    consent_id: consent.fields.consent_id,
    ...consentNumberAt(company, state, { h: consent.h, place }),
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
