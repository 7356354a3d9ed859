import { hash, pick } from '../base/random.ts'
import { rowsOf } from '../protocol/find-row.ts'
import { filtered, type Listing } from '../protocol/listing.ts'
import { isTollFree } from '../seed-data/dial-codes.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { PeeringFields, PeeringPatch, SeedState } from '../seed-data/state.ts'
import { CARRIERS } from '../seed-data/words.ts'
import { fitType } from './number-traits.ts'

type Json = Record<string, unknown>

/** A number that a provider-exchange partner supplies to a customer, who may be another account. */
export interface PeeringNumber {
  carrier_code: number
  /** Whether it is this account's number and not another customer's. */
  own: boolean
  /** Whether the partner added it. Only then can the partner remove it. */
  byPartner: boolean
  /** The type, which no list shows. */
  number_type: string
  customer: { customer_account_name: string; customer_account_number: string }
  fields: Json & { phone_number: string; allocated_product: string; assigned: boolean }
}

export function peeringAt(seedData: SeedData, state: SeedState, index: number): PeeringNumber {
  const h = hash(seedData.seed, 181, index)
  const patch = state.peering.patches.get(index) ?? {}
  const customer = patch.added === undefined ? pick([0, 0, 0, 1, 2], h >>> 2) : 0
  const first = patch.added === undefined ? baseProduct(h) : 'UNALLOCATED'
  const allocated_product = patch.allocated_product ?? first
  const born = patch.added ?? baseNumber(index, h)
  const number_type = fitType(allocated_product, born.number_type)
  return {
    carrier_code: born.carrier_code,
    own: customer === 0,
    byPartner: patch.added !== undefined || h % 6 !== 0,
    number_type,
    customer: {
      customer_account_name: CUSTOMERS[customer] ?? '',
      customer_account_number: String(70_000_000 + ((seedData.seed + customer * 7919) % 9_000_000)),
    },
    fields: {
      phone_number: born.phone_number,
      allocated_product,
      assigned: first !== 'UNALLOCATED' && h % 3 === 0,
      ...settings(patch.added === undefined ? baseFields(born.carrier_code, h) : {}, {
        patch,
        number_type,
      }),
    },
  }
}

export function peeringListing(
  seedData: SeedData,
  state: SeedState,
  shows: (number: PeeringNumber) => boolean,
): Listing {
  const all = rowsOf(seedData, state, 'peering')
  return filtered(all, (index) => shows(peeringAt(seedData, state, index)))
}

/** Returns a number as a list shows it, with a truncated billing reference. */
export function peeringItem({ fields }: PeeringNumber): Json {
  const { billing_ref_id: reference } = fields
  return typeof reference === 'string'
    ? { ...fields, billing_ref_id: reference.slice(0, LONGEST_LISTED) }
    : fields
}

/** Returns a number in the carrier's list, which names the customer. */
export function carrierPeeringItem(number: PeeringNumber): Json {
  return { ...peeringItem(number), ...number.customer }
}

/** Returns trunk groups assigned to a partner. */
export function trunksOf(carrier: number): string[] {
  return [`exchange-${String(carrier)}-east`, `exchange-${String(carrier)}-west`]
}

/** Returns the partner's settings with their defaults. */
function settings(
  base: PeeringFields,
  { patch, number_type }: { patch: PeeringPatch; number_type: string },
): Json {
  const { allocated_product: _product, added: _added, ...said } = patch
  const { message_capability: asked, ...fields } = { ...base, ...said }
  return {
    ...fields,
    // A caller can choose this only for a mobile number.
    message_capability: number_type === 'Mobile' ? (asked ?? 'SUPPORTED') : DERIVED[number_type],
    outbound_cli_share_not_supported: fields.outbound_cli_share_not_supported ?? false,
    outbound_dialer_not_supported: fields.outbound_dialer_not_supported ?? false,
    voice_direction: fields.voice_direction ?? 'INBOUND_AND_OUTBOUND',
    voice_msg_capacity: fields.voice_msg_capacity ?? 'MULTI_USE',
  }
}

/** Returns the default type of an added number. */
export function deriveType(phone_number: string): string {
  return isTollFree(phone_number) ? 'TollFree' : 'Toll'
}

function baseProduct(h: number): string {
  return pick(['UNALLOCATED', 'UNALLOCATED', 'SVC_PHONE', 'SVC_CONTACT_CENTER'], h >>> 8)
}

function baseNumber(index: number, h: number): NonNullable<PeeringPatch['added']> {
  return {
    phone_number: `+1650${String(2_000_000 + ((index * 4649) % 7_000_000))}`,
    carrier_code: h % 2 === 0 ? OWN_CARRIER : pick(CARRIERS, h >>> 12).code,
    number_type: pick(['Toll', 'Toll', 'Mobile'], h >>> 16),
  }
}

function baseFields(carrier: number, h: number): PeeringFields {
  return {
    sip_trunk_name: pick(trunksOf(carrier), h >>> 5),
    status: h % 5 !== 0,
    ...(h % 4 === 0 ? {} : { billing_ref_id: `bill-${String(h % 100_000)}` }),
    ...(h % 7 === 0 ? { service_info: `Order ${String(h % 1000)}` } : {}),
    ...(h % 9 === 0 ? { voice_direction: pick(DIRECTIONS, h >>> 7) } : {}),
    ...(h % 8 === 1 ? { message_capability: 'NOT_SUPPORTED' } : {}),
    ...(h % 10 === 3 ? { voice_msg_capacity: 'SVC_PHONE_USER_ONLY' } : {}),
  }
}

/** The carrier for which callers of this sandbox act. */
export const OWN_CARRIER = 5411
const LONGEST_LISTED = 36
const DIRECTIONS = ['INBOUND_ONLY', 'OUTBOUND_ONLY', 'NOT_SUPPORTED']
const CUSTOMERS = ['Acme Corp', 'Borealis Ltd', 'Cumulus GmbH']
const DERIVED: Readonly<Record<string, string>> = {
  Toll: 'SUPPORTED',
  TollFree: 'NOT_SUPPORTED',
  VirtualService: 'NOT_APPLICABLE',
}
