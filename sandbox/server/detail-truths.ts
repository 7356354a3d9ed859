import { consentAt, consentDetailTruth, consentTruth } from '../numbers/consents.ts'
import {
  assignmentDetailTruths,
  numberDetail,
  numberDetailTruth,
} from '../numbers/number-details.ts'
import { orderAt, orderDetailTruth } from '../numbers/number-settings.ts'
import { numberAt } from '../numbers/numbers.ts'
import type { StreamTruth } from '../protocol/stream-truth.ts'

/** Truths of streams whose records are read one by one. */
export const DETAIL_TRUTHS: Readonly<Record<string, StreamTruth>> = {
  phone_number_details: {
    kind: 'numbers',
    key: ['id'],
    rows: (seedData, state, { index }) => [numberDetailTruth(numberAt(seedData, state, index))],
    beside: (seedData, state, index) => numberDetail(numberAt(seedData, state, index)),
  },
  phone_number_assignment_details: {
    kind: 'numbers',
    key: ['phone_number_id', 'assigned_to_type', 'assigned_to_id', 'source_channel', 'ordinal'],
    rows: (seedData, state, { index }) => assignmentDetailTruths(numberAt(seedData, state, index)),
  },
  sms_consent_details: {
    kind: 'consents',
    key: ['consent_id'],
    rows: (seedData, state, { index }) => [
      consentDetailTruth(seedData, consentAt(seedData, state, index)),
    ],
    beside: (seedData, state, index) => consentTruth(consentAt(seedData, state, index)),
  },
  ported_order_details: {
    kind: 'orders',
    key: ['order_id'],
    rows: (seedData, state, { index }) => [orderDetailTruth(orderAt(seedData, state, index))],
    beside: (seedData, state, index) => orderAt(seedData, state, index).fields,
  },
}
