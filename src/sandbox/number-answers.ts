import type { Answering, Call } from './call.ts'
import { filtered } from './listing.ts'
import { numberAt, numberDetail, numberItem, numbersListing, type PhoneNumber } from './numbers.ts'
import { answerList } from './paging.ts'
import { refuse } from './refusal.ts'

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
    parameterCode: 300,
    scopes,
    granularScopes: ['number_management:read:list_numbers:admin'],
    answer: listNumbers,
  },
  'phone_numbers.get': {
    parameters: [],
    parameterCode: 300,
    scopes,
    granularScopes: ['number_management:read:numbers:admin'],
    answer: getNumber,
  },
}

/** No total. The page token has a code of its own here. */
function listNumbers(call: Call): Record<string, unknown> {
  const { company, query } = call
  const rules = { items: 'numbers', maximum: 200, tokenCode: 1003100, total: false }
  const wanted = Object.entries(FILTERS).filter(([name]) => query.has(name))
  return answerList(call, rules, () => ({
    listing: (state) => {
      const all = numbersListing(company, state)
      if (wanted.length === 0) return all
      return filtered(all, (index) => {
        const number = numberAt(company, state, index)
        return wanted.every(([name, passes]) => passes(number, query.get(name) ?? ''))
      })
    },
    item: (state, index) => numberItem(numberAt(company, state, index)),
  }))
}

function getNumber(call: Call): Record<string, unknown> {
  const { company, path } = call
  const { state, sizes } = company
  const index = company.ids.numbers.indexOf(path.phoneNumberId ?? '')
  if (
    index === undefined ||
    index >= sizes.numbers + state.numbers.added ||
    state.numbers.gone.has(index)
  )
    throw refuse(400, 100002, 'Phone number not found.')
  return numberDetail(numberAt(company, state, index))
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
