import type { StreamTruth } from '../protocol/stream-truth.ts'
import { OWN_CARRIER, peeringAt, peeringItem } from './peering.ts'

/**
 * Two views of peering numbers: those that partners supply to this account, and those that this account
 * supplies as a partner.
 */
export const PEERING_TRUTHS: Readonly<Record<string, StreamTruth>> = {
  peering_numbers: {
    kind: 'peering',
    key: ['phone_number'],
    rows: (seedData, state, { index }) => {
      const number = peeringAt(seedData, state, index)
      return number.own ? [{ ...UNSAID, ...peeringItem(number) }] : []
    },
  },
  carrier_peering_numbers: {
    kind: 'peering',
    key: ['phone_number'],
    rows: (seedData, state, { index }) => {
      const number = peeringAt(seedData, state, index)
      if (number.carrier_code !== OWN_CARRIER) return []
      return [{ ...UNSAID, ...peeringItem(number), ...number.customer }]
    },
  },
}

/** Optional fields without a default value. */
const UNSAID = { billing_ref_id: null, service_info: null }
