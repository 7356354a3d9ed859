import { z } from 'zod'
import type { Op } from '../protocol/apply-ops.ts'
import { readBody } from '../protocol/body.ts'
import type { SandboxCall } from '../protocol/call.ts'
import { badParameter, refuse } from '../protocol/refusal.ts'
import { toE164 } from '../seed-data/dial-codes.ts'
import { CARRIERS } from '../seed-data/words.ts'
import { type FailedItem, failedItems } from './failed-items.ts'
import { boundList, fieldOf, INVALID } from './number-rules.ts'
import { ALLOCATIONS, fitType } from './number-traits.ts'
import { deriveType, OWN_CARRIER, peeringAt, peeringListing, trunksOf } from './peering.ts'

/** Returns the partner's code; without a code, the caller's. Refuses an unknown code. */
export function carrierOf(code: number | undefined): number {
  if (code === undefined) return OWN_CARRIER
  if (CARRIERS.some((carrier) => carrier.code === code)) return code
  throw refuse(400, 1001, 'Carrier not found.')
}

export function readCarrier(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw badParameter('carrier_code', 'must be an integer', INVALID)
  return Number(text)
}

export function addPeering(call: SandboxCall): undefined {
  requireNumbers(fieldOf(call, 'phone_numbers'))
  const { phone_numbers, carrier_code, allocated_product } = readBody(call, ADDED, INVALID)
  const carrier = carrierOf(carrier_code)
  const product = allocated_product ?? 'UNALLOCATED'
  for (const [at, { number_type: type }] of phone_numbers.entries())
    if (type !== undefined && !goesWith(product, type))
      throw badParameter(`phone_numbers.${at}.number_type`, `is not one of ${product}`, INVALID)
  const known = new Set(indexesByNumber(call, () => true).keys())
  const failed: FailedItem[] = []
  const ops: Op[] = []
  for (const { phone_number, number_type = deriveType(phone_number), ...said } of phone_numbers) {
    const reason = !isE164(phone_number)
      ? 'Format is invalid.'
      : known.has(phone_number)
        ? 'Number already exists.'
        : trunkFault(carrier, said)
    if (reason !== undefined) {
      failed.push({ phoneNumber: phone_number, reason })
      continue
    }
    known.add(phone_number)
    const added = { phone_number, carrier_code: carrier, number_type }
    ops.push({
      kind: 'peering',
      action: 'add',
      patch: { ...said, added, allocated_product: product },
    })
  }
  return settle(call, ops, failed)
}

/**
 * Updates numbers. A product changes only from UNALLOCATED: if one number has another product, the whole
 * request fails.
 */
export function updatePeering(call: SandboxCall): undefined {
  requireNumbers(fieldOf(call, 'phone_numbers'))
  const { phone_numbers, carrier_code, allocated_product: to } = readBody(call, CHANGED, INVALID)
  const carrier = carrierOf(carrier_code)
  const known = indexesByNumber(call, (code) => code === carrier)
  const failed: FailedItem[] = []
  const ops: Op[] = []
  for (const { phone_number, ...said } of phone_numbers) {
    const index = known.get(phone_number)
    if (index !== undefined && !mayMove(call, index, to))
      throw refuse(400, 200002, 'Cannot switch products for the phone number.')
    const reason = index === undefined ? NO_NUMBER : trunkFault(carrier, said)
    if (index === undefined || reason !== undefined) {
      failed.push({ phoneNumber: phone_number, reason: reason ?? NO_NUMBER })
      continue
    }
    const product = to === undefined ? {} : { allocated_product: to }
    ops.push({ kind: 'peering', action: 'change', index, patch: { ...said, ...product } })
  }
  return settle(call, ops, failed)
}

/** Removes numbers, but only those that the partner added. */
export function removePeering(call: SandboxCall): undefined {
  const asked = call.values('phone_numbers').filter((number) => number !== '')
  requireNumbers(asked)
  const carrier = carrierOf(readCarrier(call.query.get('carrier_code')))
  const known = indexesByNumber(call, (code) => code === carrier)
  const failed: FailedItem[] = []
  const ops: Op[] = []
  for (const phoneNumber of new Set(asked)) {
    const index = known.get(phoneNumber)
    if (index === undefined) failed.push({ phoneNumber, reason: NO_NUMBER })
    else if (!peeringAt(call.seedData, call.seedData.state, index).byPartner)
      failed.push({ phoneNumber, reason: 'Number was not added by the partner.' })
    else ops.push({ kind: 'peering', action: 'remove', index })
  }
  return settle(call, ops, failed)
}

function requireNumbers(list: unknown): void {
  if (list === undefined || list === null || (Array.isArray(list) && list.length === 0))
    throw refuse(400, 1002, 'The request data is empty.')
  boundList(list, MOST, [1003, 'Too many numbers.'])
}

/** Returns the indexes of this account's numbers of some carriers, with any product. */
function indexesByNumber(
  { seedData }: SandboxCall,
  isOf: (carrier: number) => boolean,
): Map<string, number> {
  const { state } = seedData
  const listing = peeringListing(
    seedData,
    state,
    ({ own, carrier_code }) => own && isOf(carrier_code),
  )
  const all = Array.from({ length: listing.length }, (_, at) => listing.at(at))
  return new Map(all.map((index) => [peeringAt(seedData, state, index).fields.phone_number, index]))
}

function mayMove({ seedData }: SandboxCall, index: number, to: string | undefined): boolean {
  const { allocated_product: from } = peeringAt(seedData, seedData.state, index).fields
  return to === undefined || from === to || from === 'UNALLOCATED'
}

function trunkFault(
  carrier: number,
  { sip_trunk_name: trunk }: { sip_trunk_name?: string | undefined },
): string | undefined {
  return trunk === undefined || trunksOf(carrier).includes(trunk) ? undefined : 'Invalid SIP trunk.'
}

function isE164(text: string): boolean {
  return toE164(text, undefined) === text
}

function goesWith(product: string, type: string): boolean {
  return fitType(product, type) === type
}

/** Applies the possible changes and reports the items that failed. */
function settle(call: SandboxCall, ops: readonly Op[], failed: readonly FailedItem[]): undefined {
  if (ops.length > 0) call.change(ops)
  if (failed.length > 0) throw failedItems(call, failed)
  return undefined
}

const MOST = 200
const NO_NUMBER = 'Number does not exist.'
const OPTIONS = {
  billing_ref_id: z.string().max(60).optional(),
  message_capability: z.enum(['NOT_APPLICABLE', 'SUPPORTED', 'NOT_SUPPORTED']).optional(),
  outbound_cli_share_not_supported: z.boolean().optional(),
  outbound_dialer_not_supported: z.boolean().optional(),
  service_info: z.string().max(255).optional(),
  voice_direction: z
    .enum(['INBOUND_AND_OUTBOUND', 'INBOUND_ONLY', 'OUTBOUND_ONLY', 'NOT_SUPPORTED'])
    .optional(),
  voice_msg_capacity: z.enum(['SVC_PHONE_USER_ONLY', 'MULTI_USE']).optional(),
}
const NEW_ITEM = z.strictObject({
  phone_number: z.string(),
  sip_trunk_name: z.string(),
  status: z.boolean(),
  number_type: z.enum(['Mobile', 'Toll', 'TollFree', 'VirtualService']).optional(),
  ...OPTIONS,
})
const CHANGED_ITEM = z.strictObject({
  phone_number: z.string(),
  sip_trunk_name: z.string().optional(),
  status: z.boolean().optional(),
  ...OPTIONS,
})
const COMMON = {
  allocated_product: z.enum(ALLOCATIONS).optional(),
  carrier_code: z.int32().optional(),
}
const ADDED = z.strictObject({ phone_numbers: z.array(NEW_ITEM), ...COMMON })
const CHANGED = z.strictObject({ phone_numbers: z.array(CHANGED_ITEM), ...COMMON })
