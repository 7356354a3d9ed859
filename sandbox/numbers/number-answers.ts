import type { Answering, SandboxCall } from '../protocol/call.ts'
import { filtered } from '../protocol/listing.ts'
import { answerList } from '../protocol/paging.ts'
import { numberDetail } from './number-details.ts'
import { numberOf, pageRules } from './number-rules.ts'
import { numberAt, numberItem, numbersListing, type PhoneNumber } from './numbers.ts'

type Filter = (number: PhoneNumber, wanted: string) => boolean

const scopes = ['number_management_numbers:read:admin']

export const numberAnswers: Readonly<Record<string, Answering>> = {
  'phone_numbers.list': {
    parameters: [
      'page_size',
      'next_page_token',
      'allocated_product',
      'number_type',
      'number_status',
      'number_source',
      'site_id',
      'assigned_to_type',
      'keyword',
    ],
    parameterCode: 999,
    scopes,
    granularScopes: ['number_management:read:list_numbers:admin'],
    answer: listNumbers,
  },
  'phone_numbers.get': {
    parameters: [],
    parameterCode: 999,
    scopes,
    granularScopes: ['number_management:read:numbers:admin'],
    answer: getNumber,
  },
}

/** Lists numbers without a total; a wrong page token has its own code. */
function listNumbers(call: SandboxCall): Record<string, unknown> {
  const { seedData, query } = call
  const rules = { ...pageRules('numbers', 200), total: false }
  const misspelt = call.readings.assignedToName === 'both'
  const wanted = Object.entries(FILTERS).filter(([name]) => query.has(name))
  return answerList(call, rules, () => ({
    listing: (state) => {
      const all = numbersListing(seedData, state)
      if (wanted.length === 0) return all
      return filtered(all, (index) => {
        const number = numberAt(seedData, state, index)
        return wanted.every(([name, passes]) => passes(number, query.get(name) ?? ''))
      })
    },
    item: (state, index) => numberItem(numberAt(seedData, state, index), misspelt),
  }))
}

function getNumber(call: SandboxCall): Record<string, unknown> {
  const { seedData, path } = call
  const index = numberOf(call, path.phoneNumberId)
  const misspelt = call.readings.assignedToName !== 'neither'
  return numberDetail(numberAt(seedData, seedData.state, index), misspelt)
}

const FILTERS: Readonly<Record<string, Filter>> = {
  allocated_product: ({ item }, wanted) => item.allocated_product === wanted,
  number_type: ({ item }, wanted) => item.number_type === wanted,
  number_status: ({ item }, wanted) => item.status === wanted,
  number_source: ({ item }, wanted) => item.source === wanted,
  site_id: ({ item }, wanted) => (item.site as { site_id: string } | null)?.site_id === wanted,
  assigned_to_type: ({ assignments }, wanted) =>
    assignments.some(({ wire }) => wire.assigned_to_type === wanted),
  keyword: ({ item }, wanted) => String(item.number).startsWith(wanted),
}
