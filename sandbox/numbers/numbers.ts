import { addOddText, cleanText } from '../base/clean-text.ts'
import { hash, pick } from '../base/random.ts'
import { trueTime } from '../base/wire-time.ts'
import { type Listing, rangeListing } from '../protocol/listing.ts'
import { countryOf, isTollFree } from '../seed-data/dial-codes.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { NumberPatch, SeedState, SuppliedNumber } from '../seed-data/state.ts'
import { CARRIERS } from '../seed-data/words.ts'
import { empty, siteOf } from '../users/users.ts'
import { type Assignment, assignmentsOf, misspelling } from './number-assignments.ts'
import { findSite, siteItem } from './number-sites.ts'
import * as traits from './number-traits.ts'

type Json = Record<string, unknown>

/** A phone number of the account. `item` is its list entry, which spells `addressUpdateMs` as text. */
export interface PhoneNumber {
  h: number
  item: Json
  addressUpdateMs: number | undefined
  assignments: readonly Assignment[]
  /** The label of its assignments, which only the detail shows. */
  label: string | undefined
}

interface Facts {
  index: number
  h: number
  product: string
  patch: NumberPatch
}

export function numberAt(seedData: SeedData, state: SeedState, index: number): PhoneNumber {
  const h = hash(seedData.seed, 31, index)
  const patch = state.numbers.patches.get(index) ?? {}
  const product = patch.allocated_product ?? traits.productOf(h)
  const facts = { index, h, product, patch }
  const assignments = assignmentsOf(seedData, facts)
  const { label } = patch
  if (patch.supplied !== undefined) {
    const item = suppliedItem(seedData, facts, patch.supplied)
    return { h, item, addressUpdateMs: undefined, assignments, label }
  }
  const onPremises = sourceOf(h) === 'BYOCPremises'
  const addressUpdateMs =
    onPremises && h % 3 === 0 ? seedData.originMs - (hash(h, 1, 0) % 15_000_000) * 1000 : undefined
  const item = ownItem(seedData, facts, addressUpdateMs)
  return { h, item, addressUpdateMs, assignments, label }
}

function ownItem(seedData: SeedData, facts: Facts, addressUpdateMs: number | undefined): Json {
  const { index, h, product, patch } = facts
  const source = sourceOf(h)
  const carried = source.startsWith('BYOC') || source === 'ThirdPartyNumber'
  const onPremises = source === 'BYOCPremises'
  const site = siteOf(seedData, 50_000_000 + index)
  const more = hash(h, 1, 0)
  const mended = patch.addressMended === true
  const office = h % 30 === 0 ? null : siteItem(site)
  return {
    id: seedData.ids.numbers.of(index),
    number: ownText(seedData, index),
    allocated_product: product,
    number_type: traits.numberType(product, h),
    source,
    status: patch.status ?? (h % 35 === 0 ? 'Pending' : 'Normal'),
    display_name:
      patch.display_name ?? empty(addOddText(`${site.city} line ${String(index)}`, more), h),
    caller_id_name: empty('Acme Corp', more),
    capability: traits.capabilities(product, h),
    ...(carried ? { carrier: pick(CARRIERS, more) } : {}),
    ...traits.emergencyAddress({ h, site, onPremises, mended, addressUpdateMs }),
    location: {
      city: site.city,
      country: site.country,
      ...(site.state === '' ? {} : { state: site.state }),
    },
    site: movedTo(patch) ?? office,
    ...(carried ? { sip_group: groupItem(seedData, more % seedData.sizes.groups) } : {}),
  }
}

/** Returns a number that a caller added: only the given fields are known. */
function suppliedItem(seedData: SeedData, facts: Facts, supplied: SuppliedNumber): Json {
  const { index, h, product, patch } = facts
  const { number, country = countryOf(number), group, pci } = supplied
  return {
    id: seedData.ids.numbers.of(index),
    number,
    allocated_product: product,
    number_type: traits.fitType(product, isTollFree(number) ? 'TollFree' : 'Toll'),
    source: 'BYOCCloud',
    status: patch.status ?? 'Normal',
    display_name: patch.display_name ?? '',
    caller_id_name: '',
    capability: ['Incoming', 'Outgoing', ...(pci ? ['PCIPal'] : [])],
    carrier: pick(CARRIERS, hash(h, 1, 0)),
    ...(country === undefined ? {} : { location: { country } }),
    site: movedTo(patch) ?? null,
    ...(group === undefined ? {} : { sip_group: groupItem(seedData, group) }),
  }
}

/** Returns the site that a caller chose. */
function movedTo({ site_id }: NumberPatch): Json | undefined {
  const site = site_id === undefined ? undefined : findSite(site_id)
  return site === undefined ? undefined : siteItem(site)
}

/** Returns the group with a copy of its name, which does not change if the group is renamed. */
function groupItem(seedData: SeedData, group: number): Json {
  return { id: seedData.ids.groups.of(group), name: `Group ${String(group)}` }
}

function sourceOf(h: number): string {
  return pick(traits.SOURCES, h >>> 5)
}

export function numbersListing(seedData: SeedData, state: SeedState): Listing {
  const { numbers } = seedData.sizes
  const { gone, added } = state.numbers
  const extras = Array.from({ length: added }, (_, n) => ({ index: numbers + n, before: numbers }))
  return rangeListing({
    from: 0,
    until: numbers,
    without: [...gone],
    extras: extras.filter(({ index }) => !gone.has(index)),
  })
}

export function numberItem(number: PhoneNumber, misspelt = false): Json {
  if (number.assignments.length === 0)
    return number.h % 2 === 0 ? number.item : { ...number.item, assigned_list: [] }
  return {
    ...number.item,
    assigned_list: number.assignments.map(({ wire }) => (misspelt ? misspelling(wire) : wire)),
  }
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

/** Returns the number in E.164. */
export function numberText(seedData: SeedData, state: SeedState, index: number): string {
  const supplied = state.numbers.patches.get(index)?.supplied
  return supplied === undefined ? ownText(seedData, index) : supplied.number
}

/** Returns the number's text. A few numbers have the text of the previous number and another ID. */
function ownText(seedData: SeedData, index: number): string {
  const h = hash(seedData.seed, 31, index)
  const own = index > 0 && h % 300 === 7 ? index - 1 : index
  const site = siteOf(seedData, 50_000_000 + own)
  return `${site.dialCode}${String(1_000_000 + ((own * 7919) % 9_000_000))}`
}
