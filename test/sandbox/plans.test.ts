import { describe, expect, it } from 'vitest'
import type { Switches } from '../../sandbox/seed-data/options.ts'
import type { Answered, Caller } from './caller.ts'
import { coded, withCaller } from './with-caller.ts'

const SETTINGS = '/number_management'
const PRODUCT = { allocated_product: 'SVC_PHONE' }
const REFUSED = { status: 403, code: 403 }

/** Returns an operation's response with all switches on, and its response with each single switch off. */
async function answers(
  names: readonly (keyof Switches)[],
  ask: (caller: Caller) => Promise<Answered>,
): Promise<{ allowed: Answered; refused: unknown[] }> {
  let allowed: Answered | undefined
  await withCaller({}, async (caller) => void (allowed = await ask(caller)))
  if (allowed === undefined) throw new Error('nothing was asked')
  const refused: unknown[] = []
  for (const name of names)
    await withCaller({ switches: { [name]: false } }, async (caller) => {
      refused.push(coded(await ask(caller)))
      // Only that operation is refused.
      expect((await caller.get(`${SETTINGS}/sip_trunks`, PRODUCT)).status).toBe(200)
    })
  return { allowed, refused }
}

describe('documented requirements besides scopes:', () => {
  it('carrier-supplied numbers need a Business plan and a phone licence', async () => {
    const body = { ...PRODUCT, phone_numbers: ['+34922100001'] }
    const { allowed, refused } = await answers(['businessPlan', 'phoneLicence'], (caller) =>
      caller.send('POST', `${SETTINGS}/byoc_numbers`, body),
    )
    // This call passes the checks of the plan, and fails later because its body is incomplete.
    expect(coded(allowed).status).toBe(400)
    expect(refused).toEqual([REFUSED, REFUSED])
  })

  it('the detail of a ported order needs a Pro plan and a phone licence', async () => {
    const { allowed, refused } = await answers(['proPlan', 'phoneLicence'], async (caller) => {
      const orders = `${SETTINGS}/ported_numbers/orders`
      const [first] = (await caller.get(orders)).body.ported_numbers as { order_id: string }[]
      return await caller.get(`${orders}/${first?.order_id}`)
    })
    expect(allowed.status).toBe(200)
    expect(refused).toEqual([REFUSED, REFUSED])
  })

  it('SIP groups need a Pro plan, a phone licence and an administrator', async () => {
    const names = ['proPlan', 'phoneLicence', 'administrator'] as const
    const { allowed, refused } = await answers(names, (caller) =>
      caller.get(`${SETTINGS}/sip_groups`, PRODUCT),
    )
    expect(allowed.status).toBe(200)
    expect(refused).toEqual([REFUSED, REFUSED, REFUSED])
  })
})
