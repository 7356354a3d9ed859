import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { desiredNumbers } from '../../src/apply/desired/numbers.ts'
import { allocateNumbers } from '../../src/resources/number-changes.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { rowsOf } from '../sandbox/with-caller.ts'
import { type ApplyBench, applyBench, brief, states, wanted } from './apply-bench.ts'

type Row = Record<string, unknown>

let world: World
let bench: ApplyBench
beforeAll(async () => {
  world = await openWorld({ sizes: { ...TINY, numbers: 300 } })
  bench = applyBench(world)
})
afterAll(() => world.close())

const numbers = () => rowsOf(world.sandbox, 'phone_numbers')

/** Returns numbers with these values that are, or are not, assigned. */
async function some(count: number, values: Row, { assigned }: { assigned: boolean }) {
  const holders = await rowsOf(world.sandbox, 'phone_number_assignments')
  const taken = new Set(holders.map((row) => row.phone_number_id))
  const all = await numbers()
  const found = all.filter(
    (row) =>
      Object.entries(values).every(([name, value]) => row[name] === value) &&
      taken.has(row.id) === assigned &&
      all.filter(({ number }) => number === row.number).length === 1,
  )
  expect(found.length).toBeGreaterThanOrEqual(count)
  return found.slice(0, count).map((row) => ({ id: String(row.id), number: String(row.number) }))
}

async function productsOf(ids: readonly string[]): Promise<unknown[]> {
  const all = await numbers()
  return ids.map((id) => all.find((row) => row.id === id)?.allocated_product)
}

const FREE = { allocated_product: 'UNALLOCATED' }

describe('a number in a plan', () => {
  it('is allocated with its site once, and a second plan has nothing to do', async () => {
    const free = await some(3, FREE, { assigned: false })
    const wishes = wanted(
      desiredNumbers,
      ...free.map(({ number }) => ({
        number,
        allocated_product: 'SVC_PHONE',
        site: 'Madrid office',
      })),
    )
    const { plans, settled } = await bench.apply([wishes])
    expect(brief(plans)[0]).toMatch(/^add: product UNALLOCATED → SVC_PHONE/)
    expect(states(settled)).toEqual(['done', 'done', 'done'])
    expect(await productsOf(free.map(({ id }) => id))).toEqual(free.map(() => 'SVC_PHONE'))
    const again = await bench.apply([wishes])
    expect(brief(again.plans)).toEqual(['present', 'present', 'present'])
    expect(again.sending.calls).toBe(0)
  })

  it('is unallocated before it moves from one product to another', async () => {
    const [one] = await some(1, { allocated_product: 'SVC_CONTACT_CENTER' }, { assigned: false })
    const wish = { id: one?.id ?? '', allocated_product: 'SVC_PHONE', site: 'Madrid office' }
    const { sending, settled } = await bench.apply([wanted(desiredNumbers, wish)])
    expect(states(settled)).toEqual(['done'])
    expect(sending.calls).toBe(2)
    expect(await productsOf([wish.id])).toEqual(['SVC_PHONE'])
  })

  it('can move to another site, and can be unallocated', async () => {
    const [one, two] = await some(2, { allocated_product: 'SVC_PHONE' }, { assigned: false })
    const { plans, settled } = await bench.apply([
      wanted(
        desiredNumbers,
        { id: one?.id, site: 'Singapore office' },
        { id: two?.id, allocated_product: 'UNALLOCATED' },
      ),
    ])
    expect(brief(plans)[0]).toMatch(/^change: site .* → Singapore office$/)
    expect(brief(plans)[1]).toBe('remove: product SVC_PHONE → UNALLOCATED')
    expect(states(settled)).toEqual(['done', 'done'])
    const after = (await numbers()).find(({ id }) => id === one?.id)
    expect(after?.site_name).toBe('Singapore office')
  })

  it('shares a call only with numbers of its country and type, unless a carrier supplies it', async () => {
    const free = (await numbers()).filter((row) => row.allocated_product === 'UNALLOCATED')
    const native = free.filter(({ source }) =>
      ['Svc', 'SvcPorted', 'SvcReserved'].includes(String(source)),
    )
    const kinds = new Set(
      native.map((row) => `${String(row.location_country)} ${String(row.number_type)}`),
    )
    expect(kinds.size).toBeGreaterThan(3)
    const wishes = free.map(({ id }) => ({
      id: String(id),
      allocated_product: 'SVC_CONTACT_CENTER',
    }))
    const { sending, settled } = await bench.apply([wanted(desiredNumbers, ...wishes)])
    expect(new Set(states(settled))).toEqual(new Set(['done']))
    expect(sending.calls).toBe(kinds.size + (native.length === free.length ? 0 : 1))
  })
})

describe('a plan refuses, with the reason,', () => {
  const plan = async (wish: Parameters<typeof wanted<object>>[1]) =>
    brief(await bench.plan(wanted(desiredNumbers, wish)))

  it('a number that does not exist', async () => {
    expect(await plan({ number: '+10', allocated_product: 'SVC_PHONE' })).toEqual([
      'refused: the account has no such number',
    ])
  })

  it('a number in use that would leave its product', async () => {
    const [used] = await some(1, { allocated_product: 'SVC_PHONE' }, { assigned: true })
    expect(await plan({ id: used?.id, allocated_product: 'UNALLOCATED' })).toEqual([
      expect.stringContaining('would lose 1 assignment: unassign it first'),
    ])
  })

  it('an unknown site, an empty site, and a site for a number outside the phone product', async () => {
    const [one] = await some(1, { allocated_product: 'SVC_CONTACT_CENTER' }, { assigned: false })
    expect(await plan({ id: one?.id, allocated_product: 'SVC_PHONE', site: 'Atlantis' })).toEqual([
      expect.stringContaining('has the site Atlantis'),
    ])
    expect(await plan({ id: one?.id, site: '' })).toEqual([
      expect.stringContaining('no call takes a site away'),
    ])
    const other = (await numbers()).find(({ id }) => id === one?.id)?.site_name
    const site = other === 'Madrid office' ? 'Singapore office' : 'Madrid office'
    expect(await plan({ id: one?.id, site })).toEqual([
      expect.stringContaining('only a number of SVC_PHONE'),
    ])
  })

  it('an unknown product from a cell', async () => {
    const [one] = await some(1, { allocated_product: 'SVC_PHONE' }, { assigned: false })
    expect(await plan({ id: one?.id, allocated_product: 'PHONE' })).toEqual([
      expect.stringContaining('PHONE is no product'),
    ])
  })

  it('two different entries for one number, but not two equal ones', async () => {
    const [one] = await some(1, { allocated_product: 'SVC_PHONE' }, { assigned: false })
    const free = { id: one?.id, allocated_product: 'UNALLOCATED' }
    const twice = wanted(desiredNumbers, free, { number: one?.number, ...FREE })
    expect(brief(await bench.plan(twice))).toEqual(['remove: product SVC_PHONE → UNALLOCATED'])
    const both = wanted(desiredNumbers, free, { id: one?.id, site: 'Bengaluru office' })
    expect(brief(await bench.plan(both))).toEqual([
      expect.stringContaining('wanted in more than one way: entry 0 and entry 1'),
    ])
  })

  it('a cell of a number that changed since its inventory', async () => {
    const [one] = await some(1, { allocated_product: 'SVC_PHONE' }, { assigned: false })
    const was = { allocated_product: 'SVC_CONTACT_CENTER', site_name: null }
    expect(await plan({ id: one?.id, allocated_product: 'UNALLOCATED', was })).toEqual([
      expect.stringContaining('it was SVC_CONTACT_CENTER in the inventory and is SVC_PHONE since'),
    ])
    expect(await plan({ id: one?.id, allocated_product: 'SVC_PHONE', was })).toEqual(['present'])
  })
})

describe('an interrupted plan', () => {
  it('stops at the first refusal, and reports the result of each item', async () => {
    const all = await some(2, { allocated_product: 'SVC_PHONE' }, { assigned: false })
    const wishes = all.map(({ id }) => ({ id, allocated_product: 'SVC_CONTACT_CENTER' }))
    const [first] = wishes
    const rules = [{ kind: 'status', status: 400, operation: 'phone_numbers.allocate', after: 1 }]
    const meanwhile = () => world.faults(rules)
    const { settled, sending } = await bench.apply([wanted(desiredNumbers, ...wishes)], meanwhile)
    await world.faults([])
    expect(sending.stoppedAt).toBeInstanceOf(Error)
    expect(settled.map(({ state }) => state)).toEqual(expect.arrayContaining(['not_sent']))
    expect(settled.every(({ state }) => state !== 'done')).toBe(true)
    expect(await productsOf([first?.id ?? ''])).toEqual(['UNALLOCATED'])
    const again = await bench.apply([wanted(desiredNumbers, ...wishes)])
    expect(states(again.settled)).toEqual(['done', 'done'])
  })

  it('is reported as done after a lost response if the account shows the change', async () => {
    const [one] = await some(1, { allocated_product: 'SVC_PHONE' }, { assigned: false })
    const wish = wanted(desiredNumbers, { id: one?.id, ...FREE })
    const byOther = () =>
      bench.call(allocateNumbers, {}, { allocated_product: 'UNALLOCATED', numbers: [one?.id] })
    const lost = async () => {
      await byOther()
      await world.faults([{ kind: 'reset', operation: 'phone_numbers.allocate', count: 9 }])
    }
    const { settled, sending } = await bench.apply([wish], lost)
    await world.faults([])
    expect([...sending.outcomes.values()].map(({ state }) => state)).toEqual(['unknown'])
    expect(states(settled)).toEqual(['done'])
  })
})
