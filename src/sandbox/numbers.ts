import { cleanText, spice } from './clean-text.ts'
import type { Company } from './company.ts'
import { type Listing, rangeListing } from './listing.ts'
import { assignmentsOf, type Assignment } from './number-assignments.ts'
import { hash, pick } from './random.ts'
import type { NumberPatch, State } from './state.ts'
import { empty, siteOf } from './users.ts'
import { trueTime, wireTime } from './wire-time.ts'
import { CARRIERS } from './words.ts'

type Json = Record<string, unknown>

/** A phone number of the account, as the wire shows it in the list, and the instant hidden in its text. */
export interface PhoneNumber {
  h: number
  item: Json
  addressUpdateMs: number | undefined
  assignments: readonly Assignment[]
}

export function numberAt(company: Company, state: State, index: number): PhoneNumber {
  const h = hash(company.seed, 31, index)
  const patch = state.numbers.patches.get(index) ?? {}
  const product = patch.allocated_product ?? productOf(h)
  const source = pick(SOURCES, h >>> 5)
  const carried = source.startsWith('BYOC') || source === 'ThirdPartyNumber'
  const onPremises = source === 'BYOCPremises'
  const site = siteOf(company, 50_000_000 + index)
  const more = hash(h, 1, 0)
  const addressUpdateMs =
    onPremises && h % 3 === 0 ? company.originMs - (more % 15_000_000) * 1000 : undefined
  const item: Json = {
    id: company.ids.numbers.of(index),
    number: numberText(company, index),
    allocated_product: product,
    number_type: numberType(product, h),
    source,
    status: patch.status ?? (h % 35 === 0 ? 'Pending' : 'Normal'),
    display_name: patch.display_name ?? empty(spice(`${site.city} line ${String(index)}`, more), h),
    caller_id_name: empty('Acme Corp', more),
    capability: capabilities(product, h),
    ...(carried ? { carrier: pick(CARRIERS, more) } : {}),
    ...address({ h, site, onPremises, mended: patch.addressMended === true, addressUpdateMs }),
    location: {
      city: site.city,
      country: site.country,
      ...(site.state === '' ? {} : { state: site.state }),
    },
    site:
      h % 30 === 0
        ? null
        : { site_id: `site-${site.city.slice(0, 3)}`, name: `${site.city} office` },
    ...(carried
      ? { sip_group: { id: `sip-${String(more % 6)}`, name: `Group ${String(more % 6)}` } }
      : {}),
  }
  return {
    h,
    item,
    addressUpdateMs,
    assignments: assignmentsOf(company, { index, h, product, patch }),
  }
}

export function numbersListing(company: Company, state: State): Listing {
  const { numbers } = company.sizes
  const { gone, added } = state.numbers
  const extras = Array.from({ length: added }, (_, n) => ({ index: numbers + n, before: numbers }))
  return rangeListing({
    from: 0,
    until: numbers,
    without: [...gone],
    extras: extras.filter(({ index }) => !gone.has(index)),
  })
}

export function numberItem(number: PhoneNumber): Json {
  if (number.assignments.length === 0)
    return number.h % 2 === 0 ? number.item : { ...number.item, assigned_list: [] }
  return { ...number.item, assigned_list: number.assignments.map(({ wire }) => wire) }
}

/** The detail knows more of each assignment, and spells the name's field in a way of its own. */
export function numberDetail(number: PhoneNumber): Json {
  const assigned_list = number.assignments.map(({ wire }) => {
    const { assigned_to_name, ...rest } = wire
    return {
      ...rest,
      assgined_to_name: assigned_to_name,
      display_number: number.item.number,
      label: '',
    }
  })
  return { ...number.item, assigned_list }
}

export function numberTruth(number: PhoneNumber): Json {
  const { item } = number
  const text = (value: unknown): unknown => (typeof value === 'string' ? cleanText(value) : null)
  const inner = (field: string, name: string): unknown =>
    (item[field] as Json | null | undefined)?.[name] ?? null
  const carrierCode = inner('carrier', 'code')
  const addressJson = item.emergency_address
  return {
    id: item.id,
    number: item.number,
    allocated_product: item.allocated_product,
    number_type: item.number_type,
    source: item.source,
    status: item.status,
    display_name: text(item.display_name),
    caller_id_name: text(item.caller_id_name),
    capability: item.capability,
    carrier_code: typeof carrierCode === 'number' ? String(carrierCode) : null,
    carrier_name: inner('carrier', 'name'),
    emergency_address: addressJson === undefined ? null : JSON.stringify(addressJson),
    emergency_address_update_time:
      number.addressUpdateMs === undefined ? null : trueTime(number.addressUpdateMs, 15),
    address_update_required: item.address_update_required ?? null,
    location_city: inner('location', 'city'),
    location_country: inner('location', 'country'),
    location_state: inner('location', 'state'),
    site_id: inner('site', 'site_id'),
    site_name: inner('site', 'name'),
    sip_group_id: inner('sip_group', 'id'),
    sip_group_name: inner('sip_group', 'name'),
  }
}

/** E.164. A few numbers carry the text of the one before them: the same number twice, under two IDs. */
function numberText(company: Company, index: number): string {
  const h = hash(company.seed, 31, index)
  const own = index > 0 && h % 300 === 7 ? index - 1 : index
  const site = siteOf(company, 50_000_000 + own)
  return `${site.dialCode}${String(1_000_000 + ((own * 7919) % 9_000_000))}`
}

function productOf(h: number): string {
  const share = (h >>> 7) % 100
  return share < 47 ? 'UNALLOCATED' : share < 87 ? 'SVC_PHONE' : 'SVC_CONTACT_CENTER'
}

function numberType(product: string, h: number): string {
  const contact = ['VirtualService', 'TollFree', 'Mobile']
  const phone = [
    'Toll',
    'Toll',
    'Toll',
    'Toll',
    'TollFree',
    'Mobile',
    'National',
    'SharedCost',
    'ITFS',
  ]
  return pick(product === 'SVC_CONTACT_CENTER' ? contact : phone, h >>> 13)
}

function capabilities(product: string, h: number): string[] {
  if (product === 'UNALLOCATED') return h % 3 === 0 ? [] : ['Incoming']
  const list = h % 17 === 0 ? ['Incoming'] : ['Incoming', 'Outgoing']
  if (h % 5 === 0) list.push('Messaging')
  if (h % 23 === 0) list.push('PCIPal')
  if (h % 4 !== 0) list.push('EmergencyCalls')
  return list
}

function address(facts: {
  h: number
  site: ReturnType<typeof siteOf>
  onPremises: boolean
  mended: NumberPatch['addressMended']
  addressUpdateMs: number | undefined
}): Json {
  const { h, site, onPremises, mended, addressUpdateMs } = facts
  const missing = h % 13 === 0 && mended !== true
  return {
    ...(missing
      ? {}
      : {
          emergency_address: {
            address_line1: `${String(1 + (h % 300))} Harbour Street`,
            address_line2: h % 4 === 0 ? `Floor ${String(h % 20)}` : '',
            city: site.city,
            country: site.country,
            state_code: site.state,
            zip: String(10_000 + (h % 80_000)),
          },
        }),
    ...(addressUpdateMs === undefined
      ? {}
      : { emergency_address_update_time: wireTime(addressUpdateMs, 15) }),
    ...(onPremises ? { address_update_required: mended !== true && h % 9 === 0 } : {}),
  }
}

const SOURCES = [
  'Svc',
  'Svc',
  'Svc',
  'SvcPorted',
  'SvcPorted',
  'SvcReserved',
  'ThirdPartyNumber',
  'BYOCCloud',
  'BYOCCloud',
  'BYOCPremises',
  'BYOCPremises',
]
