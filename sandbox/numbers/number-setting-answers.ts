import type { Answering, SandboxCall } from '../protocol/call.ts'
import { findRow, rowsOf } from '../protocol/find-row.ts'
import { filtered } from '../protocol/listing.ts'
import { answerList, type ListRules } from '../protocol/paging.ts'
import { badParameter, refuse } from '../protocol/refusal.ts'
import type { SeedState } from '../seed-data/state.ts'
import { INVALID, numberReads, PAGE, pageRules } from './number-rules.ts'
import * as settings from './number-settings.ts'
import { PRODUCTS } from './number-traits.ts'

const read = (name: string) => [`number_management:read:${name}:admin`]

export const numberSettingAnswers: Readonly<Record<string, Answering>> = {
  'ported_orders.list': {
    ...numberReads,
    parameters: PAGE,
    granularScopes: read('list_ported_numbers'),
    answer: (call) =>
      answerList(call, pageRules('ported_numbers', 300), () => ({
        listing: (state) => rowsOf(call.seedData, state, 'orders'),
        item: (state, index) => settings.orderItem(settings.orderAt(call.seedData, state, index)),
      })),
  },
  'ported_orders.get': {
    ...numberReads,
    parameters: [],
    granularScopes: read('ported_number'),
    needs: ['proPlan', 'phoneLicence'],
    answer: (call) => {
      const { seedData } = call
      const index = findRow(call, 'orders', call.path.orderId)
      if (index === undefined) throw refuse(400, 400, 'The order does not exist.')
      return settings.orderDetail(settings.orderAt(seedData, seedData.state, index))
    },
  },
  'sip_groups.list': {
    ...numberReads,
    parameters: [...PAGE, 'allocated_product'],
    granularScopes: read('list_sip_groups'),
    needs: ['proPlan', 'phoneLicence', 'administrator'],
    answer: (call) => listOfProduct(call, pageRules('sip_groups', 300), 'groups'),
  },
  'sip_trunks.list': {
    ...numberReads,
    parameters: [...PAGE, 'allocated_product'],
    granularScopes: read('list_sip_trunks'),
    answer: (call) => {
      const page = listOfProduct(call, pageRules('byoc_sip_trunk', 100), 'trunks')
      // The total counts only this page.
      return { ...page, total_records: (page.byoc_sip_trunk as unknown[]).length }
    },
  },
}

/** Lists the rows of a product; rows common to all products belong to each. The response has no page size. */
function listOfProduct(
  call: SandboxCall,
  own: ListRules,
  kind: 'groups' | 'trunks',
): Record<string, unknown> {
  const { seedData, query } = call
  const product = query.get('allocated_product')
  const { trunkProduct } = call.readings
  if (product === undefined && (kind === 'groups' || trunkProduct === 'required'))
    throw refuse(400, '1002_006', 'Product is required.')
  if (product !== undefined && kind === 'trunks' && trunkProduct === 'unknown')
    throw badParameter('allocated_product', 'is not a parameter of this operation', INVALID)
  if (product !== undefined && !PRODUCTS.some((known) => known === product))
    throw badParameter('allocated_product', `must be one of ${PRODUCTS.join(', ')}`, INVALID)
  const defaulted = kind === 'trunks' && trunkProduct === 'first-only' ? PRODUCTS[0] : undefined
  const meant = product ?? defaulted
  const rowAt = (state: SeedState, index: number) =>
    kind === 'groups'
      ? settings.groupAt(seedData, state, index)
      : settings.trunkAt(seedData, state, index)
  return answerList(call, { ...own, sizeUntold: true }, () => ({
    listing: (state) =>
      filtered(
        rowsOf(seedData, state, kind),
        (index) =>
          meant === undefined || ['COMMON', meant].includes(rowAt(state, index).source_system),
      ),
    item: rowAt,
  }))
}
