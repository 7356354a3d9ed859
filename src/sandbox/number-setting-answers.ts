import type { Answering, Call } from './call.ts'
import { consentAt, consentDetail, consentItem, consentNumberAt, rowsOf } from './consents.ts'
import { filtered } from './listing.ts'
import * as settings from './number-settings.ts'
import { answerList } from './paging.ts'
import { badParameter, refuse } from './refusal.ts'
import type { Kind, State } from './state.ts'

const PAGE = ['page_size', 'next_page_token']
const common = { parameterCode: 300, scopes: ['number_management_numbers:read:admin'] }
const read = (name: string) => [`number_management:read:${name}:admin`]

export const numberSettingAnswers: Readonly<Record<string, Answering>> = {
  'sms_consents.list': {
    ...common,
    parameters: PAGE,
    granularScopes: read('sms_consent'),
    answer: (call) =>
      answerList(call, { ...rules('sms_consent'), total: true }, () => ({
        listing: (state) => rowsOf(call.company, state, 'consents'),
        item: (state, index) => consentItem(consentAt(call.company, state, index)),
      })),
  },
  'sms_consents.get': {
    ...common,
    parameters: [],
    granularScopes: read('sms_consent'),
    answer: (call) => {
      const { company } = call
      return consentDetail(company, consentAt(company, company.state, consentOf(call)))
    },
  },
  'sms_consent_numbers.list': {
    ...common,
    parameters: PAGE,
    granularScopes: read('sms_consent'),
    answer: listConsentNumbers,
  },
  'ported_orders.list': {
    ...common,
    parameters: PAGE,
    granularScopes: read('list_ported_numbers'),
    answer: (call) =>
      answerList(call, { ...rules('ported_numbers'), total: true }, () => ({
        listing: (state) => rowsOf(call.company, state, 'orders'),
        item: (state, index) => settings.orderItem(settings.orderAt(call.company, state, index)),
      })),
  },
  'ported_orders.get': {
    ...common,
    parameters: [],
    granularScopes: read('ported_number'),
    answer: (call) => {
      const { company } = call
      const index = rowOf(call, 'orders', call.path.orderId)
      if (index === undefined) throw refuse(400, 400, 'The order does not exist.')
      return settings.orderDetail(settings.orderAt(company, company.state, index))
    },
  },
  'sip_groups.list': {
    ...common,
    parameters: [...PAGE, 'allocated_product'],
    granularScopes: read('list_sip_groups'),
    answer: (call) => listOfProduct(call, { ...rules('sip_groups'), total: true }, 'groups'),
  },
  'sip_trunks.list': {
    ...common,
    parameters: [...PAGE, 'allocated_product'],
    granularScopes: read('list_sip_trunks'),
    answer: (call) => {
      const own = { ...rules('byoc_sip_trunk'), maximum: 100 }
      const page = listOfProduct(call, own, 'trunks')
      // What it calls the total is of this page alone.
      return { ...page, total_records: (page.byoc_sip_trunk as unknown[]).length }
    },
  },
}

function rules(items: string) {
  return { items, maximum: 300, tokenCode: 1003100, total: false }
}

function listConsentNumbers(call: Call): Record<string, unknown> {
  const { company } = call
  const index = consentOf(call)
  const own = { ...rules('sms_consent_number'), total: true }
  return answerList(call, own, () => ({
    listing: (state) => {
      const { numbers } = consentAt(company, state, index)
      return { length: numbers, at: (position) => position }
    },
    item: (state, place) =>
      consentNumberAt(company, state, { h: consentAt(company, state, index).h, place }),
  }))
}

/** The product has to be named; what is common to all belongs to each. */
function listOfProduct(
  call: Call,
  own: ReturnType<typeof rules>,
  kind: 'groups' | 'trunks',
): Record<string, unknown> {
  const { company, query } = call
  const product = query.get('allocated_product')
  if (product === undefined) throw refuse(400, '1002_006', 'Product is required.')
  if (!settings.SYSTEMS.slice(1).includes(product))
    throw badParameter('allocated_product', 'must be SVC_PHONE or SVC_CONTACT_CENTER')
  const rowAt = (state: State, index: number) =>
    kind === 'groups'
      ? settings.groupAt(company, state, index)
      : settings.trunkAt(company, state, index)
  return answerList(call, own, () => ({
    listing: (state) =>
      filtered(rowsOf(company, state, kind), (index) =>
        ['COMMON', product].includes(rowAt(state, index).source_system),
      ),
    item: rowAt,
  }))
}

function consentOf(call: Call): number {
  const index = rowOf(call, 'consents', call.path.consentId)
  if (index === undefined) throw refuse(404, 1002013, 'The consent does not exist.')
  return index
}

/** The row of an ID, if it is there. */
function rowOf(
  { company }: Call,
  kind: Exclude<Kind, 'recordings'>,
  id: string | undefined,
): number | undefined {
  const index = company.ids[kind].indexOf(id ?? '')
  const { gone, added } = company.state[kind]
  const there = index !== undefined && index < company.sizes[kind] + added && !gone.has(index)
  return there ? index : undefined
}
