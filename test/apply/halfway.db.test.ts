import { afterAll, beforeAll, expect, it } from 'vitest'
import { desiredNumbers } from '../../src/apply/desired/numbers.ts'
import { holdAccount } from '../../src/apply/hold-account.ts'
import { sendPlan } from '../../src/apply/send.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { rowsOf } from '../sandbox/with-caller.ts'
import { type ApplyBench, applyBench, brief, states, wanted } from './apply-bench.ts'

const account = 'account-0'
const CENTER = 'SVC_CONTACT_CENTER'

let world: World
let bench: ApplyBench
let phones: Record<string, string | null>[]
beforeAll(async () => {
  world = await openWorld({ sizes: { ...TINY, numbers: 300 } })
  bench = applyBench(world)
  const holders = await rowsOf(world.sandbox, 'phone_number_assignments')
  const taken = new Set(holders.map((row) => row.phone_number_id))
  const all = (await numbers()) as Record<string, string | null>[]
  phones = all.filter((row) => row.allocated_product === 'SVC_PHONE' && !taken.has(row.id))
  if (phones.length < 5) throw new Error('Too few numbers of the phone system')
})
afterAll(() => world.close())

const numbers = () => rowsOf(world.sandbox, 'phone_numbers')
const productOf = async (id: string) =>
  (await numbers()).find((row) => row.id === id)?.allocated_product

/** A wish from an edited product cell of an inventory, with the original values. */
function edited(row: Record<string, string | null>, product: string) {
  const { id, allocated_product = null, site_name = null } = row
  return { id: id ?? '', allocated_product: product, was: { allocated_product, site_name } }
}

/** Sends the wishes, and stops after this many calls. */
async function stopAfter(calls: number, ...wishes: ReturnType<typeof edited>[]): Promise<void> {
  const plans = await bench.plan(wanted(desiredNumbers, ...wishes))
  const stop = new AbortController()
  const { signal } = stop
  const sending = await holdAccount(world.account.deps, { account, signal }, (hold) =>
    sendPlan(world.account.deps, {
      account,
      plans,
      askedBy: () => 'test@here',
      hold,
      onSent: ({ done }) => done === calls && stop.abort(new Error('stopped')),
    }),
  )
  expect(sending.calls).toBe(calls)
}

it('a move of a number that stopped between its two calls is completed by the same file', async () => {
  const wish = edited(phones[0] ?? {}, CENTER)
  await stopAfter(1, wish)
  expect(await productOf(wish.id)).toBe('UNALLOCATED')
  const { plans, settled } = await bench.apply([wanted(desiredNumbers, wish)])
  expect(brief(plans)).toEqual([`add: product UNALLOCATED → ${CENTER}`])
  expect(states(settled)).toEqual(['done'])
  expect(await productOf(wish.id)).toBe(CENTER)
})

it('a move of a number is also completed after a refused second call or a lost response', async () => {
  const wish = edited(phones[1] ?? {}, CENTER)
  const failing = (kind: string, after: number) => () =>
    world.faults([{ kind, status: 400, operation: 'phone_numbers.allocate', after, count: 9 }])
  await bench.apply([wanted(desiredNumbers, wish)], failing('status', 1))
  expect(await productOf(wish.id)).toBe('UNALLOCATED')
  await bench.apply([wanted(desiredNumbers, wish)], failing('reset', 0))
  await world.faults([])
  const { settled } = await bench.apply([wanted(desiredNumbers, wish)])
  expect(states(settled)).toEqual(['done'])
})

it('a stopped move to the phone product is completed with the site from the file', async () => {
  const [, , one = {}] = phones
  await bench.apply([wanted(desiredNumbers, { id: one.id ?? '', allocated_product: CENTER })])
  const row = { ...one, allocated_product: CENTER }
  const site = one.site_name === 'Madrid office' ? 'Singapore office' : 'Madrid office'
  const wish = { ...edited(row, 'SVC_PHONE'), site }
  await stopAfter(1, wish)
  expect(states((await bench.apply([wanted(desiredNumbers, wish)])).settled)).toEqual(['done'])
  const after = (await numbers()).find(({ id }) => id === one.id)
  expect([after?.allocated_product, after?.site_name]).toEqual(['SVC_PHONE', site])
})

it('a number that the plan or somebody else unallocated does not count as a stopped move', async () => {
  const [moved, freed] = [edited(phones[3] ?? {}, CENTER), edited(phones[4] ?? {}, 'UNALLOCATED')]
  await stopAfter(2, moved, freed)
  const others = [moved, edited(phones[4] ?? {}, CENTER)]
  expect(brief(await bench.plan(wanted(desiredNumbers, ...others)))).toEqual([
    `add: product UNALLOCATED → ${CENTER}`,
    expect.stringContaining('it was SVC_PHONE in the inventory and is UNALLOCATED since'),
  ])
  await bench.apply([wanted(desiredNumbers, moved)])
  const index = (await numbers()).findIndex(({ id }) => id === moved.id)
  const patch = { allocated_product: 'UNALLOCATED', freed: true }
  await world.mutate({ ops: [{ kind: 'numbers', action: 'change', index, patch }] })
  expect(await productOf(moved.id)).toBe('UNALLOCATED')
  expect(brief(await bench.plan(wanted(desiredNumbers, moved)))).toEqual([
    expect.stringContaining('is UNALLOCATED since'),
  ])
})
