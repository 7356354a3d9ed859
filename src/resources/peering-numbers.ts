import { z } from 'zod'
import { boolean, oneOf, text } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { ALLOCATIONS, CAPACITIES } from '../core/define/word-fields.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import { allocation, e164, numberScopes, pageTokenCodes } from './number-values.ts'
import { numberErrors } from './service-errors.ts'

const MOST_NUMBERS = 200
const common = {
  path: '/number_management/peering_numbers',
  rate: 'LIGHT',
  bearer: 'oauth',
  needs: 'a provider-exchange partner with cloud peering, and a phone or contact-center license',
} as const
const carrier_code = z.number().int().optional()

/** The optional fields of a number that both `add` and `update` accept. */
const settable = {
  billing_ref_id: z.string().max(60).optional(),
  message_capability: z.enum(['NOT_APPLICABLE', 'SUPPORTED', 'NOT_SUPPORTED']).optional(),
  outbound_cli_share_not_supported: z.boolean().optional(),
  outbound_dialer_not_supported: z.boolean().optional(),
  service_info: z.string().max(255).optional(),
  voice_direction: z
    .enum(['INBOUND_AND_OUTBOUND', 'INBOUND_ONLY', 'OUTBOUND_ONLY', 'NOT_SUPPORTED'])
    .optional(),
  voice_msg_capacity: z.enum(CAPACITIES).optional(),
}

/** The `number_type` values that each product allows. */
const TYPES = {
  UNALLOCATED: ['Toll', 'TollFree', 'Mobile'],
  SVC_PHONE: ['Toll', 'TollFree', 'Mobile'],
  SVC_CONTACT_CENTER: ['VirtualService', 'TollFree', 'Mobile'],
} as const
const listQueryOf = z.object({
  ...listQuery(300),
  phone_number: z.string().optional(),
  carrier_code,
})
const listed = z.looseObject({ ...listEnvelope, numbers: z.array(z.unknown()) })
const paging = {
  style: 'token',
  items: 'numbers',
  maxPageSize: 300,
  tokenErrorCodes: pageTokenCodes,
} as const

export const listCarrierPeeringNumbers = defineOperation({
  ...common,
  id: 'carrier_peering_numbers.list',
  summary: 'List the numbers that this partner supplies to all its customers',
  method: 'GET',
  path: '/number_management/carrier/peering_numbers',
  scopes: numberScopes.read,
  granularScopes: ['number_management:read:list_carrier_peering_numbers:admin'],
  query: listQueryOf,
  errors: numberErrors('carrierMissing', 'invalid', 'pageToken'),
  response: listed,
  paging,
})

export const listPeeringNumbers = defineOperation({
  ...common,
  id: 'peering_numbers.list',
  summary: 'List the numbers that a partner supplies to this account',
  method: 'GET',
  scopes: numberScopes.read,
  granularScopes: ['number_management:read:list_peering_numbers:admin'],
  query: listQueryOf,
  errors: numberErrors('carrierMissing', 'invalid', 'pageToken'),
  response: listed,
  paging,
})

export const addPeeringNumbers = defineOperation({
  ...common,
  id: 'peering_numbers.add',
  summary: 'Add numbers that this partner supplies',
  method: 'POST',
  scopes: numberScopes.write,
  granularScopes: ['number_management:write:peering_number:admin'],
  query: z.object({}),
  body: z
    .strictObject({
      phone_numbers: z
        .array(
          z.strictObject({
            phone_number: e164,
            sip_trunk_name: z.string().min(1),
            status: z.boolean(),
            number_type: z.enum(['Mobile', 'Toll', 'TollFree', 'VirtualService']).optional(),
            ...settable,
          }),
        )
        .min(1)
        .max(MOST_NUMBERS),
      allocated_product: allocation.optional(),
      carrier_code,
    })
    .superRefine(({ phone_numbers: numbers, allocated_product: to }, context) => {
      const allowed: readonly string[] = TYPES[to ?? 'UNALLOCATED']
      for (const [at, { number_type: type }] of numbers.entries())
        if (to !== undefined && type !== undefined && !allowed.includes(type))
          context.addIssue({
            code: 'custom',
            path: ['phone_numbers', at, 'number_type'],
            message: `with ${to} one of ${allowed.join(', ')}`,
          })
    }),
  success: { status: 201, empty: true },
  errors: numberErrors('someFailed', 'carrierMissing', 'empty', 'tooMany', 'invalid'),
  response: z.unknown(),
})

/** The service removes only numbers that the partner added. */
export const removePeeringNumbers = defineOperation({
  ...common,
  id: 'peering_numbers.remove',
  summary: 'Remove numbers that this partner supplies',
  method: 'DELETE',
  scopes: numberScopes.write,
  granularScopes: ['number_management:delete:peering_number:admin'],
  query: z.object({ phone_numbers: z.array(e164).min(1).max(MOST_NUMBERS), carrier_code }),
  success: { status: 200, empty: true },
  errors: numberErrors('someFailed', 'carrierMissing', 'empty', 'tooMany', 'invalid'),
  response: z.unknown(),
})

/** Only an `UNALLOCATED` number can get a product here; any other number must be removed and added again. */
export const updatePeeringNumbers = defineOperation({
  ...common,
  id: 'peering_numbers.update',
  summary: 'Change numbers that this partner supplies',
  method: 'PATCH',
  scopes: numberScopes.write,
  granularScopes: ['number_management:update:peering_number:admin'],
  query: z.object({}),
  body: z.strictObject({
    phone_numbers: z
      .array(
        z.strictObject({
          phone_number: e164,
          sip_trunk_name: z.string().min(1).optional(),
          status: z.boolean().optional(),
          ...settable,
        }),
      )
      .min(1)
      .max(MOST_NUMBERS),
    allocated_product: allocation.optional(),
    carrier_code,
  }),
  success: { status: 204 },
  errors: numberErrors(
    'someFailed',
    'carrierMissing',
    'empty',
    'tooMany',
    'productFixed',
    'invalid',
  ),
  response: z.unknown(),
})

/** The columns that both lists have. Neither list shows the number's type. */
const shown = {
  phone_number: text('The phone number in the international form, with + and the country code.'),
  sip_trunk_name: text('Name of the trunk group that carries calls from and to the number.'),
  status: boolean('Whether the number is active; a number that is still being ported is not.'),
  assigned: boolean('Whether the number is assigned.'),
  allocated_product: oneOf(
    'Product that the number is allocated to; UNALLOCATED if none.',
    ALLOCATIONS,
  ),
  billing_ref_id: text(
    'Billing reference that outbound calls carry to the carrier; at most 36 characters.',
  ),
  message_capability: oneOf('Whether the number can take part in messaging.', [
    'NOT_APPLICABLE',
    'SUPPORTED',
    'NOT_SUPPORTED',
  ]),
  outbound_cli_share_not_supported: boolean(
    'False if all products may show the number as caller ID.',
  ),
  outbound_dialer_not_supported: boolean('False if an outbound dialer may use the number.'),
  service_info: text('Note of the partner that the customer sees; at most 255 characters.'),
  voice_direction: oneOf('Directions in which the number can carry calls.', [
    'INBOUND_AND_OUTBOUND',
    'INBOUND_ONLY',
    'OUTBOUND_ONLY',
    'NOT_SUPPORTED',
  ]),
  voice_msg_capacity: oneOf(
    'Whether only phone users may have the number, or it serves several uses.',
    CAPACITIES,
  ),
}
const wholeList = {
  key: ['phone_number'],
  transient: [],
  volatile: [],
  sync: {
    kind: 'snapshot',
    requests: () => [{ slice: 'all', arguments: { query: {} }, filter: {} }],
  },
  deletions: { by: 'second-read', afterMs: 0 },
} as const

export const peeringNumbers = defineStream({
  ...wholeList,
  name: 'peering_numbers',
  about: 'One number that a provider-exchange partner supplies to this account.',
  operation: listPeeringNumbers,
  columns: shown,
  expected: ['allocated_product', 'assigned', 'sip_trunk_name', 'status'],
  personal: [],
})

export const carrierPeeringNumbers = defineStream({
  ...wholeList,
  name: 'carrier_peering_numbers',
  about: 'One number that this partner supplies, whichever customer account has it.',
  operation: listCarrierPeeringNumbers,
  columns: {
    ...shown,
    customer_account_name: text('Name of the customer account that has the number.'),
    customer_account_number: text('Number of the customer account that has the number.'),
  },
  expected: ['assigned', 'sip_trunk_name', 'status'],
  // A customer may be a single person.
  personal: ['customer_account_name'],
})
