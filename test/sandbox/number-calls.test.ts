import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import type { Client } from '../../src/api/client.ts'
import { checkCall } from '../../src/core/define/check-call.ts'
import { type CallArguments, type Operation, successOf } from '../../src/core/define/operation.ts'
import { operations } from '../../src/resources/declared.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { fetchToken, oauthCaller } from './caller.ts'
import { type Item, NOW_MS } from './number-bench.ts'
import { NEW as PEERING } from './peering-bench.ts'
import { SMALL_SIZES } from './sizes.ts'

interface Sent {
  id: string
  args?: CallArguments
  body?: unknown
}

const SUPPLIED = '+34911000777'
const reply = { message: 'Call us.', keywords: ['HELP'] }
const POLICY = {
  consent_name: 'Ours',
  status: true,
  in_out_bound: {
    opt_in_message: { prompt: 'Answer YES.', keywords: ['YES'], confirmation_message: 'In.' },
    opt_out_message: reply,
    help_message: reply,
    disclaimer: { enable: true, message: 'Rates may apply.' },
  },
}
const own = { query: { allocated_product: 'SVC_PHONE' } }
const options = { seed: 4, nowMs: NOW_MS, sizes: SMALL_SIZES }
const due = new Map(
  operations.filter(({ path }) => path.startsWith('/number_management/')).map((op) => [op.id, op]),
)
const called = new Set<string>()
let directory: string
let sandbox: Sandbox
let client: Client
let close: () => Promise<void>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'numbers-'))
  sandbox = await startSandbox({ ...options, stateFile: join(directory, 'state.json') })
  const { body } = await fetchToken(sandbox)
  const token = { value: String(body.access_token), version: 1 }
  const oauth = { current: async () => token, replace: async () => token }
  const under = clientUnderTest(sandbox.baseUrl, { authorities: { oauth } })
  ;({ client, close } = under)
})
afterAll(async () => {
  await close()
  await sandbox.close()
  await rm(directory, { recursive: true })
})

/** Calls an operation. Checks the arguments and the response against its declaration. */
async function call({ id, args = {}, body }: Sent): Promise<Item> {
  const operation = due.get(id)
  if (operation === undefined) throw new Error(`no operation ${id}`)
  called.add(id)
  checkCall(operation, args, body)
  const answer = await client.call(operation, args, { body })
  const { status, empty } = successOf(operation)
  expect({ id, status: answer.status }).toEqual({ id, status })
  if (status === 204 || empty === true) expect(answer.body).toBeUndefined()
  expect({ id, wrong: operation.response.safeParse(answer.body).error?.issues }).toEqual({ id })
  if (operation.paging !== undefined) await readAsList(operation, args)
  return (answer.body ?? {}) as Item
}

async function readAsList(operation: Operation, args: CallArguments): Promise<void> {
  const page = await client.fetchPage(operation, args)
  expect(page.records.count).toBeGreaterThan(0)
}

const firstOf = (body: Item, items: string) => (body[items] as Item[])[0] ?? {}

describe('the client and the sandbox agree', () => {
  it('on peering numbers', async () => {
    await call({ id: 'carrier_peering_numbers.list' })
    const { phone_number, status } = PEERING
    const common = { allocated_product: 'SVC_PHONE', carrier_code: 5411 }
    const number = { ...PEERING, number_type: 'Mobile', service_info: 's', billing_ref_id: 'b' }
    const second = { ...PEERING, phone_number: '+442071230002' }
    const phone_numbers = [number, second]
    await call({ id: 'peering_numbers.add', body: { phone_numbers, ...common } })
    const changed = [{ phone_number, status: !status }]
    await call({ id: 'peering_numbers.update', body: { phone_numbers: changed, ...common } })
    const args = { query: { phone_number } }
    const listed = firstOf(await call({ id: 'peering_numbers.list', args }), 'numbers')
    expect(listed).toMatchObject({ phone_number, status: !status })
    const query = { phone_numbers: [second.phone_number] }
    await call({ id: 'peering_numbers.remove', args: { query } })
  })

  it('on the account’s numbers', async () => {
    const free = { query: { allocated_product: 'UNALLOCATED' } }
    const { id } = firstOf(await call({ id: 'phone_numbers.list', args: free }), 'numbers')
    const body = { allocated_product: 'SVC_PHONE', numbers: [String(id)], site_id: 'site-Lon' }
    await call({ id: 'phone_numbers.allocate', body })
    const { sip_group_id } = firstOf(await call({ id: 'sip_groups.list', args: own }), 'sip_groups')
    const { allocated_product, site_id } = body
    const phone_numbers = [SUPPLIED]
    await call({
      id: 'byoc_numbers.add',
      body: { allocated_product, site_id, phone_numbers, sip_group_id },
    })
    const found = { query: { keyword: SUPPLIED } }
    const added = firstOf(await call({ id: 'phone_numbers.list', args: found }), 'numbers')
    const path = { phoneNumberId: String(added.id) }
    expect(await call({ id: 'phone_numbers.get', args: { path } })).toMatchObject({
      number: SUPPLIED,
    })
    const others = await call({ id: 'phone_numbers.list', args: own })
    const numbers = (others.numbers as Item[]).slice(0, 2).map((number) => String(number.id))
    await call({ id: 'phone_numbers.delete', args: { query: { numbers } } })
  })

  it('on consent policies', async () => {
    await call({ id: 'sms_consents.list' })
    const { consent_id } = await call({ id: 'sms_consents.create', body: POLICY })
    const path = { consentId: String(consent_id) }
    await call({ id: 'sms_consents.update', args: { path }, body: { description: 'Why' } })
    const numbers = (await call({ id: 'phone_numbers.list' })).numbers as Item[]
    const phone_number_ids = numbers.slice(0, 2).map(({ id }) => String(id))
    const args = { path }
    await call({ id: 'sms_consent_numbers.add', args, body: { phone_number_ids } })
    await call({ id: 'sms_consent_numbers.list', args })
    const one = { phone_number_ids: phone_number_ids.slice(1) }
    await call({ id: 'sms_consent_numbers.remove', args, body: one })
    const detail = await call({ id: 'sms_consents.get', args })
    expect(detail).toMatchObject({ description: 'Why', used_number: 1 })
    const other = await call({ id: 'sms_consents.create', body: POLICY })
    const consent_ids = [String(other.consent_id)]
    await call({ id: 'sms_consents.delete', body: { consent_ids } })
  })

  it('on ported orders and SIP trunks', async () => {
    const list = await call({ id: 'ported_orders.list' })
    const { order_id } = firstOf(list, 'ported_numbers')
    const path = { orderId: String(order_id) }
    const { original_billing_info } = await call({ id: 'ported_orders.get', args: { path } })
    expect(Object.keys(original_billing_info as Item).sort()).toEqual([
      'account_number',
      'address',
      'authorizing_person',
      'billing_telephone_number',
      'company',
      'customer_requested_date',
      'pin',
    ])
    const groups = await call({ id: 'sip_groups.list', args: own })
    expect(groups).not.toHaveProperty('page_size')
    const trunks = await call({ id: 'sip_trunks.list', args: own })
    expect(trunks).not.toHaveProperty('page_size')
    expect(trunks.total_records).toBe((trunks.byoc_sip_trunk as unknown[]).length)
  })

  it('on every operation of number management', () => {
    expect([...called].sort()).toEqual([...due.keys()].sort())
    expect(called.size).toBe(22)
  })

  it('on the written data, also in the next run', async () => {
    const again = await startSandbox({ ...options, stateFile: join(directory, 'state.json') })
    try {
      for (const [path, items] of LISTS) {
        const size = { page_size: '200' }
        const before = await (await oauthCaller(sandbox)).drain(path, items, size)
        expect(await (await oauthCaller(again)).drain(path, items, size)).toEqual(before)
      }
    } finally {
      await again.close()
    }
  })
})

const LISTS = [
  ['/number_management/numbers', 'numbers'],
  ['/number_management/peering_numbers', 'numbers'],
  ['/number_management/sms_consent', 'sms_consent'],
] as const
