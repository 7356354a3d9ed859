import { z } from 'zod'
import type { Op } from '../protocol/apply-ops.ts'
import { readBody } from '../protocol/body.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { findRow } from '../protocol/find-row.ts'
import { badParameter, refuse } from '../protocol/refusal.ts'
import { switchedOff } from '../protocol/switches.ts'
import { DIAL_CODES, toE164 } from '../seed-data/dial-codes.ts'
import { type FailedItem, failedItems } from './failed-items.ts'
import * as rules from './number-rules.ts'
import { groupAt, groupTakesPci } from './number-settings.ts'
import { findSite } from './number-sites.ts'
import { PRODUCTS } from './number-traits.ts'
import { numbersListing, numberText } from './numbers.ts'

export const carrierNumberAnswers: Readonly<Record<string, Answering>> = {
  'byoc_numbers.add': {
    ...rules.numberWrites,
    granularScopes: ['number_management:write:byoc_numbers:admin'],
    needs: ['businessPlan', 'phoneLicence', 'carrierNumbers'],
    status: 201,
    answer: addNumbers,
  },
}

/** Adds numbers. Reports each one that cannot be added, and adds the others. */
function addNumbers(call: SandboxCall): undefined {
  rules.requireProduct(call)
  const tooMany = 'Too many numbers: fewer than 100 are allowed. Contact support for more.'
  rules.boundList(rules.fieldOf(call, 'phone_numbers'), MOST, ['1003_001', tooMany])
  const asked = readBody(call, BODY, rules.INVALID)
  checkCountry(asked)
  const group = groupOf(call, asked)
  checkSite(call, asked)
  const { allocated_product, site_id, country_iso: country, enable_pci_pal: pci = false } = asked
  const { ready, failed } = sortOut(call, asked)
  call.change(
    ready.map((number): Op => {
      const supplied = { number, country, group, pci }
      const site = site_id === undefined ? {} : { site_id }
      const patch = { allocated_product, freed: true, supplied, ...site }
      return { kind: 'numbers', action: 'add', patch }
    }),
  )
  if (failed.length > 0) throw failedItems(call, failed)
  return undefined
}

function checkCountry({ country_iso: country, phone_numbers: numbers }: Asked): void {
  const local = numbers.some((number) => !number.startsWith('+'))
  if (country === undefined ? local : DIAL_CODES[country] === undefined)
    throw badParameter('country_iso', 'must be a country, for local numbers', rules.INVALID)
}

/** Returns the requested group, which must belong to the product, and accept PCI calls if requested. */
function groupOf(call: SandboxCall, asked: Asked): number | undefined {
  const { seedData, switches } = call
  const { allocated_product: product, sip_group_id: id, enable_pci_pal: pci } = asked
  if (pci === true && !switches.pciPal) throw switchedOff('pciPal')
  if (id === undefined) {
    if (product === 'SVC_PHONE' && !switches.carrierGroups) return undefined
    throw badParameter('sip_group_id', 'is required', rules.INVALID)
  }
  const group = findRow(call, 'groups', id)
  const system = group === undefined ? '' : groupAt(seedData, seedData.state, group).source_system
  if (group === undefined || !['COMMON', product].includes(system))
    throw refuse(400, '100_001', 'SIP group not found.')
  if (pci === true && !groupTakesPci(seedData, group)) throw switchedOff('pciPal')
  return group
}

function checkSite(
  { switches }: SandboxCall,
  { allocated_product: product, site_id }: Asked,
): void {
  if (site_id !== undefined) {
    // In this operation the code is a number, not text.
    if (findSite(site_id) === undefined) throw refuse(400, 1002010, 'The site does not exist.')
  } else if (product === 'SVC_PHONE' && switches.multipleSites)
    throw refuse(400, '1002_003', 'A site is required for phone numbers.')
}

function sortOut(
  { seedData }: SandboxCall,
  asked: Asked,
): { ready: string[]; failed: FailedItem[] } {
  const { state } = seedData
  const listing = numbersListing(seedData, state)
  const known = new Set<string>()
  for (let at = 0; at < listing.length; at++) known.add(numberText(seedData, state, listing.at(at)))
  const ready: string[] = []
  const failed: FailedItem[] = []
  for (const phoneNumber of asked.phone_numbers) {
    const number = toE164(phoneNumber, asked.country_iso)
    if (number === undefined) failed.push({ phoneNumber, reason: 'Format is invalid.' })
    else if (known.has(number)) failed.push({ phoneNumber, reason: 'Number already exists.' })
    else {
      known.add(number)
      ready.push(number)
    }
  }
  return { ready, failed }
}

type Asked = z.infer<typeof BODY>

const MOST = 99
const BODY = z.strictObject({
  allocated_product: z.enum(PRODUCTS),
  phone_numbers: z.array(z.string()).min(1),
  country_iso: z.string().optional(),
  enable_pci_pal: z.boolean().optional(),
  sip_group_id: z.string().optional(),
  site_id: z.string().optional(),
})
