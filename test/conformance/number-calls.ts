import type { Asking, Body } from './asking.ts'

const ROOT = '/number_management'
const reply = { message: 'Call us.', keywords: ['HELP'] }
const POLICY = {
  consent_name: 'Ours',
  description: 'For a test.',
  status: true,
  in_out_bound: {
    opt_in_message: { prompt: 'Answer YES.', keywords: ['YES'], confirmation_message: 'In.' },
    opt_out_message: reply,
    help_message: reply,
    disclaimer: { enable: true, message: 'Rates may apply.' },
  },
}

/** All that number management shows. */
export async function numberCalls(asking: Asking): Promise<void> {
  const { oauth, keep, list } = asking
  const of = (id: string, path: string, more: { items: string; query?: Record<string, string> }) =>
    list(id, oauth, { path: `${ROOT}${path}`, ...more })
  await of('carrier_peering_numbers.list', '/carrier/peering_numbers', { items: 'numbers' })
  await of('peering_numbers.list', '/peering_numbers', { items: 'numbers' })
  const query = { page_size: '200' }
  const numbers = await of('phone_numbers.list', '/numbers', { items: 'numbers', query })
  for (const { id } of tellingNumbers(numbers))
    await keep('phone_numbers.get', oauth.get(`${ROOT}/numbers/${String(id)}`))
  for (const allocated_product of ['SVC_PHONE', 'SVC_CONTACT_CENTER']) {
    await of('sip_groups.list', '/sip_groups', {
      items: 'sip_groups',
      query: { allocated_product },
    })
    const trunks = { items: 'byoc_sip_trunk', query: { allocated_product } }
    await of('sip_trunks.list', '/sip_trunks', trunks)
  }
  const orders = '/ported_numbers/orders'
  for (const { order_id } of await of('ported_orders.list', orders, { items: 'ported_numbers' }))
    await keep('ported_orders.get', oauth.get(`${ROOT}${orders}/${String(order_id)}`))
  await consentCalls(asking)
}

/** Some of each kind, by type, source and whom they are assigned to. */
function tellingNumbers(numbers: readonly Body[]): Body[] {
  const kinds = new Map<string, Body>()
  for (const number of numbers) {
    const assigned = (number.assigned_list ?? []) as Body[]
    for (const { assigned_to_type: type, source_channel: channel } of [...assigned, {} as Body])
      kinds.set(`${String(number.source)} ${String(type)} ${String(channel)}`, number)
  }
  return [...new Set([...kinds.values(), ...numbers.slice(0, 40)])]
}

async function consentCalls({ oauth, keep, list }: Asking): Promise<void> {
  const path = `${ROOT}/sms_consent`
  const policies = await list('sms_consents.list', oauth, { path, items: 'sms_consent' })
  for (const { consent_id } of policies) {
    const one = `${path}/${String(consent_id)}`
    await keep('sms_consents.get', oauth.get(one))
    await list('sms_consent_numbers.list', oauth, {
      path: `${one}/phone_numbers`,
      items: 'sms_consent_number',
    })
  }
  await keep('sms_consents.create', oauth.send('POST', path, POLICY))
}
