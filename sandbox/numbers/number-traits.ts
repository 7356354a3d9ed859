import { hash, pick } from '../base/random.ts'
import { wireTime } from '../base/wire-time.ts'
import type { NumberPatch } from '../seed-data/state.ts'
import type { Site } from '../seed-data/words.ts'

type Json = Record<string, unknown>

export const PRODUCTS = ['SVC_PHONE', 'SVC_CONTACT_CENTER'] as const
export const ALLOCATIONS = ['UNALLOCATED', ...PRODUCTS] as const

/** The sources of numbers that were bought from the service or ported to it. */
export const NATIVE_SOURCES = ['Svc', 'SvcPorted', 'SvcReserved']

export function productOf(h: number): string {
  const share = (h >>> 7) % 100
  return share < 47 ? 'UNALLOCATED' : share < 87 ? 'SVC_PHONE' : 'SVC_CONTACT_CENTER'
}

/** Returns a number's type. A change of product changes the type only if the new product does not have it. */
export function numberType(product: string, h: number): string {
  return fitType(product, pick(productOf(h) === CONTACT ? CONTACT_TYPES : PHONE_TYPES, h >>> 13))
}

export function fitType(product: string, type: string): string {
  if (product === CONTACT) return CONTACT_TYPES.includes(type) ? type : 'VirtualService'
  return type === 'VirtualService' ? 'Toll' : type
}

export function capabilities(product: string, h: number): string[] {
  if (product === 'UNALLOCATED') return h % 3 === 0 ? [] : ['Incoming']
  const list = h % 17 === 0 ? ['Incoming'] : ['Incoming', 'Outgoing']
  if (h % 5 === 0) list.push('Messaging')
  if (h % 23 === 0) list.push('PCIPal')
  if (h % 4 !== 0) list.push('EmergencyCalls')
  return list
}

export function emergencyAddress(facts: {
  h: number
  site: Site
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
            ...(hash(h, 3, 0) % 5 === 0 ? { county: `${site.city} County` } : {}),
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

const CONTACT = 'SVC_CONTACT_CENTER'
const CONTACT_TYPES = ['VirtualService', 'TollFree', 'Mobile']
const PHONE_TYPES = [
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

export const SOURCES = [
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
