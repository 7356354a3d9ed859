import { DAY_MS } from '../../src/core/time/time.ts'
import { hash, pick } from '../base/random.ts'
import { trueTime, wireTime } from '../base/wire-time.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'

type Json = Record<string, unknown>

export const ORDER_STATES = [
  'Not_Submitted',
  'Waiting',
  'Processing',
  'Successfully',
  'Rejected',
  'Canceled',
  'FOC',
]
const SYSTEMS = ['COMMON', 'SVC_PHONE', 'SVC_CONTACT_CENTER']

/** Returns an order of ported numbers. */
export function orderAt(seedData: SeedData, state: SeedState, index: number) {
  const h = hash(seedData.seed, 141, index)
  const number = (n: number): string => `+1415${String(2_000_000 + ((index * 31 + n) % 7_000_000))}`
  const numbers = Array.from({ length: 1 + (h % 4) }, (_, n) => number(n))
  return {
    h,
    submittedMs: seedData.originMs - (h % 150) * DAY_MS,
    fields: {
      order_id: seedData.ids.orders.of(index),
      numbers,
      replacing_numbers:
        h % 3 === 0 ? [{ source_number: numbers[0], target_number: number(900) }] : [],
      status: state.orders.patches.get(index)?.status ?? pick(ORDER_STATES, h >>> 5),
    },
  }
}

type Order = ReturnType<typeof orderAt>

export function orderItem({ h, submittedMs, fields }: Order): Json {
  return { ...fields, submission_date_time: wireTime(submittedMs, h) }
}

export function orderDetail(order: Order): Json {
  return { ...orderItem(order), ...besideList(order) }
}

/** Returns the fields that only the detail has, except the `pin`, which must not be stored. */
export function orderDetailTruth(order: Order): Json {
  const { original_billing_info: billing, ...rest } = besideList(order)
  return {
    order_id: order.fields.order_id,
    ...rest,
    billing_account_number: billing.account_number,
    billing_address: JSON.stringify(billing.address),
    authorizing_person: billing.authorizing_person,
    billing_telephone_number: billing.billing_telephone_number,
    billing_company: billing.company,
    customer_requested_date: billing.customer_requested_date ?? null,
  }
}

function besideList({ h, submittedMs, fields }: Order) {
  const requested = new Date(submittedMs + (7 + (h % 20)) * DAY_MS).toISOString().slice(0, 10)
  return {
    contact_emails: Array.from(
      { length: 1 + (h % 2) },
      (_, n) => `porting-${String((h + n) % 9)}@customer.example`,
    ),
    contact_number: '+14155550199',
    isp: 'Old Carrier',
    printed_name: 'A. Signer',
    original_billing_info: {
      account_number: String(h % 1_000_000),
      address: {
        house_number: String(1 + (h % 90)),
        street_name: 'Harbour Street',
        city: 'Rotterdam',
        state_code: '',
        country: 'NL',
        zip: String(3000 + (h % 90)),
      },
      authorizing_person: 'A. Signer',
      billing_telephone_number: fields.numbers[0],
      company: 'Customer Ltd',
      ...(h % 4 === 0 ? {} : { customer_requested_date: requested }),
      pin: `pin-${String(h)}`,
    },
  }
}

export function orderTruth({ h, submittedMs, fields }: Order): Json {
  return {
    ...fields,
    replacing_numbers: JSON.stringify(fields.replacing_numbers),
    submission_date_time: trueTime(submittedMs, h),
  }
}

export function groupAt(seedData: SeedData, state: SeedState, index: number) {
  const h = hash(seedData.seed, 151, index)
  const trunk = trunkAt(seedData, state, h % seedData.sizes.trunks)
  return {
    sip_group_id: seedData.ids.groups.of(index),
    display_name: state.groups.patches.get(index)?.name ?? `Group ${String(index)}`,
    ...(h % 4 === 0 ? {} : { description: `Carries calls of site ${String(h % 5)}` }),
    send_sip_group_name: h % 2 === 0,
    source_system: pick(SYSTEMS, h >>> 4),
    sip_trunk: {
      sip_trunk_id: trunk.sip_trunk_id,
      // A copy of the trunk's name, which does not change if the trunk is renamed.
      name: `Trunk ${String(h % seedData.sizes.trunks)}`,
      type: h % 3 === 0 ? 'BYOP' : 'BYOC',
    },
  }
}

type Group = ReturnType<typeof groupAt>

export function groupTruth({ sip_trunk: trunk, ...fields }: Group): Json {
  const { sip_trunk_id, name, type } = trunk
  const description = 'description' in fields ? fields.description : null
  return { ...fields, description, sip_trunk_id, sip_trunk_name: name, sip_trunk_type: type }
}

/** Whether a group can carry calls with spoken card numbers. */
export function groupTakesPci(seedData: SeedData, index: number): boolean {
  return hash(seedData.seed, 152, index) % 3 !== 0
}

export function trunkAt(seedData: SeedData, state: SeedState, index: number) {
  const h = hash(seedData.seed, 161, index)
  return {
    sip_trunk_id: seedData.ids.trunks.of(index),
    name: state.trunks.patches.get(index)?.name ?? `Trunk ${String(index)}`,
    carrier: pick(['Northline', 'Telco West', 'Iberia Voz'], h),
    carrier_account: `acct-${String(h % 900)}`,
    region: pick(['US', 'EU', 'APAC'], h >>> 3),
    sbc_label: `sbc-${String(h % 6)}`,
    source_system: pick(SYSTEMS, h >>> 5),
  }
}
