import type { Answering, SandboxCall } from '../protocol/call.ts'
import { answerList } from '../protocol/paging.ts'
import { numberReads, numberWrites, PAGE, pageRules } from './number-rules.ts'
import { carrierPeeringItem, peeringAt, peeringItem, peeringListing } from './peering.ts'
import {
  addPeering,
  carrierOf,
  readCarrier,
  removePeering,
  updatePeering,
} from './peering-changes.ts'

const needs = ['providerExchange'] as const
const granular = (name: string) => [`number_management:${name}:admin`]
const lists = {
  ...numberReads,
  needs,
  parameters: [...PAGE, 'phone_number', 'carrier_code'],
} as const

export const peeringAnswers: Readonly<Record<string, Answering>> = {
  'carrier_peering_numbers.list': {
    ...lists,
    granularScopes: granular('read:list_carrier_peering_numbers'),
    answer: (call) => listNumbers(call, true),
  },
  'peering_numbers.list': {
    ...lists,
    granularScopes: granular('read:list_peering_numbers'),
    answer: (call) => listNumbers(call, false),
  },
  'peering_numbers.add': {
    ...numberWrites,
    needs,
    granularScopes: granular('write:peering_number'),
    status: 201,
    answer: addPeering,
  },
  'peering_numbers.remove': {
    ...numberWrites,
    needs,
    granularScopes: granular('delete:peering_number'),
    parameters: ['phone_numbers', 'carrier_code'],
    repeated: ['phone_numbers'],
    answer: removePeering,
  },
  'peering_numbers.update': {
    ...numberWrites,
    needs,
    granularScopes: granular('update:peering_number'),
    status: 204,
    answer: updatePeering,
  },
}

/** Lists a carrier's numbers for all its customers, or this account's numbers of one or all carriers. */
function listNumbers(call: SandboxCall, carriers: boolean): Record<string, unknown> {
  const { seedData, query } = call
  const asked = readCarrier(query.get('carrier_code'))
  const carrier = carrierOf(asked)
  const wanted = query.get('phone_number')
  const rules = { ...pageRules('numbers', 300), sizeUntold: true as const }
  return answerList(call, rules, () => ({
    listing: (state) =>
      peeringListing(seedData, state, ({ own, carrier_code, fields }) => {
        const shown = carriers || asked !== undefined ? carrier_code === carrier : true
        return (
          shown && (carriers || own) && (wanted === undefined || fields.phone_number === wanted)
        )
      }),
    item: (state, index) => {
      const number = peeringAt(seedData, state, index)
      return carriers ? carrierPeeringItem(number) : peeringItem(number)
    },
  }))
}
