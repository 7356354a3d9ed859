import { z } from 'zod'
import { boolean, instant, jsonList, oneOf, text, textArray } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import type { Sync } from '../core/define/stream.ts'
import { PRODUCTS, SOURCE_SYSTEMS } from '../core/define/word-fields.ts'
import type { WireRecord } from '../core/values/json.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import { numberScopes, pageTokenCodes, product } from './number-values.ts'
import { numberErrors } from './service-errors.ts'

const common = {
  method: 'GET',
  scopes: numberScopes.read,
  rate: 'LIGHT',
  bearer: 'oauth',
} as const
const paged = <const Items extends string>(items: Items, maxPageSize: number) =>
  ({ style: 'token', items, maxPageSize, tokenErrorCodes: pageTokenCodes }) as const

export const listPortedOrders = defineOperation({
  ...common,
  id: 'ported_orders.list',
  summary: 'List the orders of numbers that are ported in',
  path: '/number_management/ported_numbers/orders',
  granularScopes: ['number_management:read:list_ported_numbers:admin'],
  query: z.object({ ...listQuery(300) }),
  errors: numberErrors('invalid', 'pageToken'),
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
  errors: numberErrors('orderMissing', 'invalid'),
  needs: 'a Pro plan or higher and a phone license',
  response: z.looseObject({ order_id: z.string(), status: z.unknown().optional() }),
  names: { orderId: ['order_id'] },
  paging: { style: 'record' },
  deleted: [{ status: 400, code: '400' }],
})

export const listSipGroups = defineOperation({
  ...common,
  id: 'sip_groups.list',
  summary: 'List the SIP groups of a product',
  path: '/number_management/sip_groups',
  granularScopes: ['number_management:read:list_sip_groups:admin'],
  query: z.object({ ...listQuery(300), allocated_product: product }),
  errors: numberErrors('productNeeded', 'invalid', 'pageToken'),
  needs: 'a Pro plan or higher, a phone license, and an owner or administrator',
  response: z.looseObject({ ...listEnvelope, sip_groups: z.array(z.unknown()) }),
  paging: paged('sip_groups', 300),
})

/** The documents describe `total_records` like a page size (default 30, at most 100), not like a total. */
export const listSipTrunks = defineOperation({
  ...common,
  id: 'sip_trunks.list',
  summary: 'List the SIP trunks, or those of a product',
  path: '/number_management/sip_trunks',
  granularScopes: ['number_management:read:list_sip_trunks:admin'],
  query: z.object({ ...listQuery(100), allocated_product: product.optional() }),
  errors: numberErrors('productNeeded', 'invalid', 'pageToken'),
  response: z.looseObject({ ...listEnvelope, byoc_sip_trunk: z.array(z.unknown()) }),
  paging: { ...paged('byoc_sip_trunk', 100), total: 'other' },
})

export const portedOrders = defineStream({
  name: 'ported_orders',
  about: 'One order to bring phone numbers over from another provider.',
  operation: listPortedOrders,
  columns: {
    order_id: text('ID of the order.'),
    numbers: textArray('Phone numbers that the order brings over.'),
    replacing_numbers: jsonList('Pairs of numbers, each a source_number and a target_number.'),
    status: oneOf('How far the order is.', [
      'Not_Submitted',
      'Waiting',
      'Processing',
      'Successfully',
      'Rejected',
      'Canceled',
      'FOC',
    ]),
    submission_date_time: instant('When the order was submitted.'),
  },
  key: ['order_id'],
  expected: ['status'],
  personal: [],
  transient: [],
  volatile: [],
  sync: {
    kind: 'snapshot',
    requests: () => [{ slice: 'all', arguments: { query: {} }, filter: {} }],
  },
  deletions: {
    by: 'detail',
    operation: getPortedOrder,
    path: (row) => ({ orderId: row.order_id ?? '' }),
  },
})

/** One list per product. A group that both products share is in both lists. */
const perProduct = {
  kind: 'snapshot',
  requests: () =>
    PRODUCTS.map((allocated_product) => ({
      slice: `product=${allocated_product}`,
      arguments: { query: { allocated_product } },
      filter: {},
    })),
} satisfies Sync
const byProduct = PRODUCTS.map((allocated_product) => ({ query: { allocated_product } }))

/**
 * The documents require a product only for SIP groups. For trunks a service may require one too, may not know
 * the parameter, or may choose a product if none is named. So the list is read with and without a product.
 */
const withAndWithoutProduct = {
  kind: 'snapshot',
  requests: () => [{ slice: 'all', arguments: { query: {} }, filter: {}, otherWays: [byProduct] }],
} satisfies Sync

export const sipGroups = defineStream({
  name: 'sip_groups',
  about: 'One SIP group, with its trunk.',
  operation: listSipGroups,
  columns: {
    sip_group_id: text('ID of the SIP group.'),
    display_name: text('Name of the SIP group.'),
    description: text('Description of the SIP group.'),
    send_sip_group_name: boolean('Whether the name of the group is sent along.'),
    source_system: oneOf(
      'Product that the group comes from; COMMON if it is not of one product.',
      SOURCE_SYSTEMS,
    ),
    sip_trunk_id: text("ID of the group's trunk, from sip_trunks.sip_trunk_id."),
    sip_trunk_name: text("Name of the group's trunk."),
    sip_trunk_type: oneOf("Kind of the group's trunk, BYOC or BYOP.", ['BYOC', 'BYOP']),
  },
  key: ['sip_group_id'],
  expected: ['display_name'],
  personal: [],
  also: ['sip_trunk'],
  transient: [],
  volatile: [],
  sync: perProduct,
  deletions: { by: 'second-read', afterMs: 0 },
  derive: ({ sip_trunk: trunk }) => {
    const { sip_trunk_id, name, type } = (trunk ?? {}) as WireRecord
    return { sip_trunk_id, sip_trunk_name: name, sip_trunk_type: type }
  },
})

export const sipTrunks = defineStream({
  name: 'sip_trunks',
  about: "One SIP trunk of a carrier of the account's own.",
  operation: listSipTrunks,
  columns: {
    sip_trunk_id: text('ID of the SIP trunk.'),
    name: text('Name of the SIP trunk.'),
    carrier: text('Carrier of the trunk.'),
    carrier_account: text('Account at the carrier.'),
    region: text('Region of the trunk.'),
    sbc_label: text('Label of the session border controller.'),
    source_system: oneOf(
      'Product that the trunk comes from; COMMON if it is not of one product.',
      SOURCE_SYSTEMS,
    ),
  },
  key: ['sip_trunk_id'],
  expected: ['name'],
  personal: [],
  transient: [],
  volatile: [],
  sync: withAndWithoutProduct,
  deletions: { by: 'second-read', afterMs: 0 },
})
