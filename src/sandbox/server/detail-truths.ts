import { consentAt, consentDetailTruth, consentTruth } from '../numbers/consents.ts'
import {
  assignmentDetailTruths,
  numberDetail,
  numberDetailTruth,
} from '../numbers/number-details.ts'
import { orderAt, orderDetailTruth } from '../numbers/number-settings.ts'
import { numberAt } from '../numbers/numbers.ts'
import type { StreamTruth } from '../protocol/stream-truth.ts'

/** Of the streams that are read one by one. */
export const DETAIL_TRUTHS: Readonly<Record<string, StreamTruth>> = {
  phone_number_details: {
    kind: 'numbers',
    key: ['id'],
    rows: (company, state, { index }) => [numberDetailTruth(numberAt(company, state, index))],
    beside: (company, state, index) => numberDetail(numberAt(company, state, index)),
  },
  phone_number_assignment_details: {
    kind: 'numbers',
    key: ['phone_number_id', 'assigned_to_type', 'assigned_to_id', 'source_channel', 'ordinal'],
    rows: (company, state, { index }) => assignmentDetailTruths(numberAt(company, state, index)),
  },
  sms_consent_details: {
    kind: 'consents',
    key: ['consent_id'],
    rows: (company, state, { index }) => [
      consentDetailTruth(company, consentAt(company, state, index)),
    ],
    beside: (company, state, index) => consentTruth(consentAt(company, state, index)),
  },
  ported_order_details: {
    kind: 'orders',
    key: ['order_id'],
    rows: (company, state, { index }) => [orderDetailTruth(orderAt(company, state, index))],
    beside: (company, state, index) => orderAt(company, state, index).fields,
  },
}
