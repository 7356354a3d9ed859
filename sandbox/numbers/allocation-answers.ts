import { z } from 'zod'
import type { Op } from '../protocol/apply-ops.ts'
import { readBody } from '../protocol/body.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { badParameter, refuse } from '../protocol/refusal.ts'
import { consentsWithout } from './consents.ts'
import * as rules from './number-rules.ts'
import { findSite } from './number-sites.ts'
import { ALLOCATIONS, NATIVE_SOURCES } from './number-traits.ts'
import { numberAt, type PhoneNumber } from './numbers.ts'

export const allocationAnswers: Readonly<Record<string, Answering>> = {
  'phone_numbers.allocate': {
    ...rules.numberWrites,
    granularScopes: ['number_management:write:numbers:admin'],
    status: 204,
    answer: allocate,
  },
  'phone_numbers.delete': {
    ...rules.numberWrites,
    scopes: ['number_management_numbers:write:master'],
    granularScopes: ['number_management:delete:numbers:admin'],
    parameters: ['numbers'],
    repeated: ['numbers'],
    status: 204,
    answer: deleteNumbers,
  },
}

/**
 * Allocates all given numbers or none. A number must become UNALLOCATED before it can move to another
 * product.
 */
function allocate(call: SandboxCall): undefined {
  rules.requireProduct(call)
  const { seedData, switches } = call
  const { allocated_product: to, numbers: ids, site_id } = readBody(call, BODY, rules.INVALID)
  const indexes = rules.numbersOf(call, ids)
  const numbers = indexes.map((index) => numberAt(seedData, seedData.state, index))
  const isFixed = ({ item }: PhoneNumber) =>
    to !== 'UNALLOCATED' && ![to, 'UNALLOCATED'].includes(String(item.allocated_product))
  if (numbers.some(isFixed))
    throw refuse(400, 200002, 'Cannot switch products for the phone number.')
  const toPhone = to === 'SVC_PHONE'
  if (site_id !== undefined && findSite(site_id) === undefined)
    throw refuse(400, '1002_010', 'The site does not exist.')
  if (site_id === undefined && toPhone && switches.multipleSites)
    throw refuse(400, '1002_003', 'A site is required for phone numbers.')
  requireOnePlan(numbers)
  call.change(
    indexes.map((index, at): Op => {
      const moves = numbers[at]?.item.allocated_product !== to
      const patch = {
        ...(moves ? { allocated_product: to, freed: true, assignee: undefined } : {}),
        ...(toPhone && site_id !== undefined ? { site_id } : {}),
      }
      return { kind: 'numbers', action: 'change', index, patch }
    }),
  )
  return undefined
}

/** Refuses a change of the service's own numbers from several countries or number plans (their types). */
function requireOnePlan(numbers: readonly PhoneNumber[]): void {
  const plans = numbers
    .filter(({ item }) => NATIVE_SOURCES.includes(String(item.source)))
    .map(({ item: { location, number_type } }) => {
      const { country } = location as { country: string }
      return `${country} ${String(number_type)}`
    })
  if (new Set(plans).size > 1)
    throw badParameter('numbers', 'must share country and number plan', rules.INVALID)
}

/** Deletes numbers, and removes them from their consent policies. */
function deleteNumbers(call: SandboxCall): undefined {
  const { seedData } = call
  const indexes = rules.numbersOf(call, rules.requireValues(call, 'numbers'))
  call.change([
    ...consentsWithout(seedData, indexes),
    ...indexes.map((index): Op => ({ kind: 'numbers', action: 'remove', index })),
  ])
  return undefined
}

const BODY = z.strictObject({
  allocated_product: z.enum(ALLOCATIONS),
  numbers: z.array(z.string()).min(1),
  site_id: z.string().optional(),
})
