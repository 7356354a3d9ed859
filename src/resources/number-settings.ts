import { z } from 'zod'
import { defineOperation } from '../core/operation.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import { numberScopes, pageTokenCodes, product } from './number-values.ts'
import { numberErrors } from './service-errors.ts'

const common = {
  method: 'GET',
  scopes: numberScopes.read,
  rate: 'LIGHT',
  bearer: 'oauth',
} as const
const paged = (items: string, maxPageSize: number) =>
  ({ style: 'token', items, maxPageSize, tokenErrorCodes: pageTokenCodes }) as const

export const listPortedOrders = defineOperation({
  ...common,
  id: 'ported_orders.list',
  summary: 'List the orders of numbers that are ported in',
  path: '/number_management/ported_numbers/orders',
  granularScopes: ['number_management:read:list_ported_numbers:admin'],
  query: z.object({ ...listQuery(300) }),
  errors: numberErrors('pageToken'),
  response: z.looseObject({ ...listEnvelope, ported_numbers: z.array(z.unknown()) }),
  paging: paged('ported_numbers', 300),
})

export const getPortedOrder = defineOperation({
  ...common,
  id: 'ported_orders.get',
  summary: 'Read one order of numbers that are ported in',
  path: '/number_management/ported_numbers/orders/{orderId}',
  granularScopes: ['number_management:read:ported_number:admin'],
  query: z.object({}),
  errors: numberErrors('orderMissing'),
  needs: 'a Pro plan or higher and a phone licence',
  response: z.looseObject({ order_id: z.string() }),
  gone: [{ status: 400, code: '400' }],
})

export const listSipGroups = defineOperation({
  ...common,
  id: 'sip_groups.list',
  summary: 'List the SIP groups of a product',
  path: '/number_management/sip_groups',
  granularScopes: ['number_management:read:list_sip_groups:admin'],
  query: z.object({ ...listQuery(300), allocated_product: product }),
  errors: numberErrors('productNeeded', 'pageToken'),
  needs: 'a Pro plan or higher, a phone licence, and an owner or administrator',
  response: z.looseObject({ ...listEnvelope, sip_groups: z.array(z.unknown()) }),
  paging: paged('sip_groups', 300),
})

/** `total_records` counts this page alone (`assumptions.md`). */
export const listSipTrunks = defineOperation({
  ...common,
  id: 'sip_trunks.list',
  summary: 'List the SIP trunks of a product',
  path: '/number_management/sip_trunks',
  granularScopes: ['number_management:read:list_sip_trunks:admin'],
  query: z.object({ ...listQuery(100), allocated_product: product }),
  errors: numberErrors('productNeeded', 'pageToken'),
  response: z.looseObject({ ...listEnvelope, byoc_sip_trunk: z.array(z.unknown()) }),
  paging: paged('byoc_sip_trunk', 100),
})
