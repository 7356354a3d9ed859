import { json, text, textArray } from '../core/declare/column.ts'
import { defineStream } from '../core/declare/define-stream.ts'
import { getPortedOrder, portedOrders } from './number-settings.ts'
import { within } from './within.ts'

/** The `pin` with which the old carrier lets a number go is a secret: no column and no payload holds it. */
export const portedOrderDetails = defineStream({
  name: 'ported_order_details',
  operation: getPortedOrder,
  columns: {
    order_id: text(),
    contact_emails: textArray(),
    contact_number: text(),
    isp: text(),
    printed_name: text(),
    billing_account_number: text(),
    billing_address: json(),
    authorizing_person: text(),
    billing_telephone_number: text(),
    billing_company: text(),
    customer_requested_date: text(),
  },
  key: ['order_id'],
  personal: [
    'contact_emails',
    'contact_number',
    'printed_name',
    'billing_address',
    'authorizing_person',
    'billing_telephone_number',
  ],
  also: [...Object.keys(portedOrders.columns), 'original_billing_info'],
  transient: ['pin'],
  volatile: [],
  sync: {
    kind: 'fan-out',
    parent: portedOrders,
    order: 'submission_date_time',
    request: ([id = '']) => ({
      slice: `order=${id}`,
      arguments: { path: { orderId: id } },
      filter: {},
    }),
    again: { versions: ['_hash'], maxAgeDays: 30 },
  },
  deletions: { by: 'parent' },
  derive: ({ original_billing_info: billing }, { parent }) => ({
    order_id: parent?.key[0],
    billing_account_number: within(billing, 'account_number'),
    billing_address: within(billing, 'address'),
    authorizing_person: within(billing, 'authorizing_person'),
    billing_telephone_number: within(billing, 'billing_telephone_number'),
    billing_company: within(billing, 'company'),
    customer_requested_date: within(billing, 'customer_requested_date'),
  }),
})
