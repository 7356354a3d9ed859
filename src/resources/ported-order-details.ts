import { json, text, textArray } from '../core/define/column.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { fieldWithin } from './field-within.ts'
import { getPortedOrder, portedOrders } from './number-settings.ts'

/** The `pin` that authorizes the port is a secret. It is stored neither in a column nor in `_raw`. */
export const portedOrderDetails = defineStream({
  name: 'ported_order_details',
  about: 'Contacts and former billing of one order to bring numbers over.',
  operation: getPortedOrder,
  columns: {
    order_id: text('ID of the order, from ported_orders.order_id.'),
    contact_emails: textArray('E-mail addresses of the contacts for the order.'),
    contact_number: text('Phone number of the contact for the order.'),
    isp: text('Provider that the order names, by the field isp.'),
    printed_name: text('Printed name on the order.'),
    billing_account_number: text("Account number on the former provider's bill."),
    billing_address: json(
      "Address on the former provider's bill, from street and house number to country.",
    ),
    authorizing_person: text('Person who authorized the order.'),
    billing_telephone_number: text("Phone number on the former provider's bill."),
    billing_company: text("Company on the former provider's bill."),
    customer_requested_date: text('Date that the customer asked for, as the service writes it.'),
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
    billing_account_number: fieldWithin(billing, 'account_number'),
    billing_address: fieldWithin(billing, 'address'),
    authorizing_person: fieldWithin(billing, 'authorizing_person'),
    billing_telephone_number: fieldWithin(billing, 'billing_telephone_number'),
    billing_company: fieldWithin(billing, 'company'),
    customer_requested_date: fieldWithin(billing, 'customer_requested_date'),
  }),
})
