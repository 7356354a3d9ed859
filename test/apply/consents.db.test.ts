import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { desiredConsents } from '../../src/apply/desired/consents.ts'
import { desiredNumbers } from '../../src/apply/desired/numbers.ts'
import { addSmsConsentNumbers } from '../../src/resources/sms-consents.ts'
import { readRuns } from '../../src/serve/health/read-runs.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { rowsOf } from '../sandbox/with-caller.ts'
import { type ApplyBench, applyBench, brief, states, wanted } from './apply-bench.ts'

let world: World
let bench: ApplyBench
beforeAll(async () => {
  world = await openWorld({ sizes: { ...TINY, numbers: 500 } })
  bench = applyBench(world)
})
afterAll(() => world.close())

const members = async (consent: string): Promise<string[]> =>
  (await rowsOf(world.sandbox, 'sms_consent_numbers'))
    .filter((row) => row.consent_id === consent)
    .map((row) => String(row.phone_number_id))
    .toSorted()

async function policies(): Promise<{ id: string; name: string }[]> {
  const rows = await rowsOf(world.sandbox, 'sms_consents')
  return rows.map((row) => ({ id: String(row.consent_id), name: String(row.consent_name) }))
}

async function numberIds(): Promise<string[]> {
  return (await rowsOf(world.sandbox, 'phone_numbers')).map(({ id }) => String(id))
}

describe('a consent policy in a plan', () => {
  it('gets exactly the listed numbers, in calls of fewer than two hundred', async () => {
    const [policy] = await policies()
    const ids = (await numberIds()).slice(0, 450)
    const wish = wanted(desiredConsents, { consent_id: policy?.id, numbers: ids })
    const before = await members(policy?.id ?? '')
    expect(before.length).toBeGreaterThan(0)
    const { settled, sending } = await bench.apply([wish])
    expect(new Set(states(settled))).toEqual(new Set(['done']))
    const put = ids.filter((id) => !before.includes(id)).length
    const taken = before.filter((id) => !ids.includes(id)).length
    expect(put).toBeGreaterThan(398)
    expect(settled).toHaveLength(put + taken)
    expect(sending.calls).toBe(Math.ceil(put / 199) + Math.ceil(taken / 199))
    expect(await members(policy?.id ?? '')).toEqual(ids.toSorted())
    expect(brief(await bench.plan(wish)).every((text) => text === 'present')).toBe(true)
  })

  it('is emptied by an empty list, without a report of a fault', async () => {
    const [policy] = await policies()
    const wish = wanted(desiredConsents, { consent_name: policy?.name, numbers: [] })
    expect((await members(policy?.id ?? '')).length).toBeGreaterThan(2)
    const { settled } = await bench.apply([wish])
    expect(new Set(states(settled))).toEqual(new Set(['done']))
    expect(await members(policy?.id ?? '')).toEqual([])
  })

  it('gets numbers that were added to a sheet, and loses numbers that were removed from it', async () => {
    const [, policy] = await policies()
    const id = policy?.id ?? ''
    const [drop = '', ...kept] = await members(id)
    const more = (await numberIds()).find((one) => one !== drop && !kept.includes(one)) ?? ''
    const wish = { consent_id: id, put: [{ id: more }], drop: [drop] }
    const { plans, settled } = await bench.apply([wanted(desiredConsents, wish)])
    expect(brief(plans)).toEqual([
      'add: put under the policy',
      'remove: taken from under the policy',
    ])
    expect(states(settled)).toEqual(['done', 'done'])
    expect(await members(id)).toEqual([...kept, more].toSorted())
  })

  it('is read again for each plan, so that a replaced number is noticed', async () => {
    const index = 3
    const policy = (await policies())[index]
    const ids = await numberIds()
    const before = await members(policy?.id ?? '')
    const wish = wanted(desiredConsents, { consent_id: policy?.id, numbers: before })
    expect(new Set(brief(await bench.plan(wish)))).toEqual(new Set(['present']))
    // The policy's count and time do not change.
    const [lost = ''] = before
    const other = ids.findIndex((id) => !before.includes(id))
    const patch = { put: [other], taken: [ids.indexOf(lost)] }
    await world.mutate({ ops: [{ kind: 'consents', action: 'change', index, patch }] })
    expect(await members(policy?.id ?? '')).toEqual(
      [...before.filter((id) => id !== lost), String(ids[other])].toSorted(),
    )
    const { plans, settled } = await bench.apply([wish])
    expect(brief(plans).filter((text) => text !== 'present')).toEqual([
      'add: put under the policy',
      'remove: taken from under the policy',
    ])
    expect(states(settled)).toEqual(['done', 'done'])
    expect(await members(policy?.id ?? '')).toEqual(before)
  })

  it('needs no more reads if the same plan also changes numbers', async () => {
    const [policy] = await policies()
    const [id] = await numberIds()
    const done = async () => [
      world.sandbox.stats().operations['phone_numbers.list'] ?? 0,
      (await readRuns(world.warehouse, { accounts: ['account-0'], limit: 100 })).length,
    ]
    const consents = wanted(desiredConsents, { consent_id: policy?.id, put: [], drop: [] })
    const [calls = 0, runs = 0] = await done()
    await bench.plan(consents)
    const [callsThen = 0, runsThen = 0] = await done()
    expect(callsThen).toBeGreaterThan(calls)
    await bench.plan(consents, wanted(desiredNumbers, { id, allocated_product: 'UNALLOCATED' }))
    expect(await done()).toEqual([2 * callsThen - calls, 2 * runsThen - runs])
  })

  it('is refused if it or one of its numbers does not exist', async () => {
    const [policy] = await policies()
    const wish = wanted(
      desiredConsents,
      { consent_id: 'cs-none', numbers: [] },
      { consent_id: policy?.id, numbers: ['+10'] },
    )
    expect(brief(await bench.plan(wish))).toEqual([
      'refused: the account has no such consent policy',
      'refused: the account has no such number',
    ])
  })
})

describe('a partly failed call', () => {
  it('is reported number by number, and no later call is sent', async () => {
    const [policy, , third] = await policies()
    const ids = await numberIds()
    const [own, others] = [ids.slice(0, 3), ids.slice(3, 5)]
    const wish = wanted(
      desiredConsents,
      { consent_id: policy?.id, numbers: own },
      { consent_id: third?.id, put: others.map((id) => ({ id })), drop: [] },
    )
    const before = await members(third?.id ?? '')
    // Somebody else adds one of the numbers first.
    const faster = () =>
      bench.call(
        addSmsConsentNumbers,
        { consentId: policy?.id ?? '' },
        { phone_number_ids: [own[1]] },
      )
    const { sending, settled } = await bench.apply([wish], faster)
    expect([...sending.outcomes.values()].map(({ state, reason }) => reason ?? state)).toEqual([
      'sent',
      'Number already exists.',
      'sent',
      ...others.filter((id) => !before.includes(id)).map(() => 'not_sent'),
    ])
    // The number is present, no matter who added it.
    expect(states(settled).slice(0, 3)).toEqual(['done', 'done', 'done'])
    expect(
      states(settled)
        .slice(3)
        .every((state) => state === 'not_sent'),
    ).toBe(true)
    expect(await members(third?.id ?? '')).toEqual(before)
    expect(states(settled).length).toBeGreaterThan(3)
  })
})
