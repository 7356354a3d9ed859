import { z } from 'zod'
import { defineOperation } from '../core/define/define-operation.ts'
import { allocation, numberScopes, product } from './number-values.ts'
import { numberErrors } from './service-errors.ts'

/** One call may add fewer than 100 carrier-supplied numbers. */
const MOST_SUPPLIED = 99

/** All native numbers in one request must share country or region, and number plan. */
export const allocateNumbers = defineOperation({
  id: 'phone_numbers.allocate',
  summary: 'Allocate numbers to a product, or unallocate them',
  method: 'PATCH',
  path: '/number_management/allocation',
  scopes: numberScopes.write,
  granularScopes: ['number_management:write:numbers:admin'],
  rate: 'HEAVY',
  bearer: 'oauth',
  query: z.object({}),
  body: z.strictObject({
    allocated_product: allocation,
    numbers: z.array(z.string().min(1)).min(1),
    site_id: z.string().min(1).optional(),
  }),
  success: { status: 204 },
  errors: numberErrors(
    'someFailed',
    'siteNeeded',
    'siteMissing',
    'siteMissingToo',
    'productNeeded',
    'numberMissing',
    'productFixed',
    'invalid',
  ),
  response: z.unknown(),
})

export const addSuppliedNumbers = defineOperation({
  id: 'byoc_numbers.add',
  summary: 'Add carrier-supplied numbers',
  method: 'POST',
  path: '/number_management/byoc_numbers',
  scopes: numberScopes.write,
  granularScopes: ['number_management:write:byoc_numbers:admin'],
  rate: 'MEDIUM',
  bearer: 'oauth',
  query: z.object({}),
  body: z
    .strictObject({
      allocated_product: product,
      phone_numbers: z.array(z.string().min(1)).min(1).max(MOST_SUPPLIED),
      country_iso: z
        .string()
        .regex(/^[A-Z]{2}$/, 'two capitals, as ISO 3166 has them')
        .optional(),
      enable_pci_pal: z.boolean().optional(),
      sip_group_id: z.string().min(1).optional(),
      site_id: z.string().min(1).optional(),
    })
    .refine(
      ({ phone_numbers: numbers, country_iso: country }) =>
        country !== undefined || numbers.every((number) => number.startsWith('+')),
      { path: ['country_iso'], message: 'needed where a number is not written as +14155550100' },
    )
    .refine(
      ({ allocated_product: to, sip_group_id: group }) =>
        to !== 'SVC_CONTACT_CENTER' || group !== undefined,
      { path: ['sip_group_id'], message: 'needed with SVC_CONTACT_CENTER' },
    ),
  success: { status: 201 },
  errors: numberErrors(
    'someFailed',
    'tooManySupplied',
    'suppliedOff',
    'groupMissing',
    'groupWithoutPci',
    'siteNeeded',
    'siteMissing',
    'siteMissingToo',
    'productNeeded',
    'invalid',
  ),
  needs: 'a Business or Enterprise plan and a phone license',
  response: z.unknown(),
})

export const deleteNumbers = defineOperation({
  id: 'phone_numbers.delete',
  summary: 'Delete numbers from the account',
  method: 'DELETE',
  path: '/number_management/numbers',
  scopes: ['number_management_numbers:write:master'],
  granularScopes: ['number_management:delete:numbers:admin'],
  rate: 'MEDIUM',
  bearer: 'oauth',
  query: z.object({ numbers: z.array(z.string().min(1)).min(1) }),
  success: { status: 204 },
  errors: numberErrors('someFailed', 'numberMissing', 'invalid'),
  response: z.unknown(),
})
