import { afterAll, beforeAll, expect, it } from 'vitest'
import { desiredNumbers } from '../../src/apply/desired/numbers.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { rowsOf } from '../sandbox/with-caller.ts'
import { type ApplyBench, applyBench, brief, wanted } from './apply-bench.ts'

let world: World
/** Numbers of the phone product: one assigned, one that was unassigned, and one never assigned. */
let ids: { kept: string; back: string; never: string }

beforeAll(async () => {
  world = await openWorld({ sizes: { ...TINY, numbers: 100 } })
  const holders = await rowsOf(world.sandbox, 'phone_number_assignments')
  const held = holders.filter(({ assigned_to_type: type }) => type === 'User')
  const taken = new Set(holders.map((row) => row.phone_number_id))
  const numbers = await rowsOf(world.sandbox, 'phone_numbers')
  const never = numbers.find(
    ({ id, allocated_product: product }) => product === 'SVC_PHONE' && !taken.has(id),
  )
  const [kept, back] = held.map((row) => String(row.phone_number_id))
  ids = { kept: kept ?? '', back: back ?? '', never: String(never?.id) }
  await benchWith(30).plan(release(ids.back))
  await world.mutate({
    ops: [{ kind: 'numbers', action: 'change', id: ids.back, patch: { assignee: null } }],
  })
  await world.advance(10 * DAY_MS)
})
afterAll(() => world.close())

/** A bench with this quarantine; `--allow-quarantined` sets it to 0. */
function benchWith(quarantineDays: number): ApplyBench {
  const deps = { ...world.account.deps, quarantineDays }
  return applyBench({ ...world, account: { ...world.account, deps } })
}

const release = (id: string) => wanted(desiredNumbers, { id, allocated_product: 'UNALLOCATED' })

it('apply does not move a number in quarantine, and names the end of the quarantine', async () => {
  const [refused] = brief(await benchWith(30).plan(release(ids.back)))
  expect(refused).toMatch(/^refused: it is in quarantine until 2026-08-17, .*--allow-quarantined$/)
  const moved = wanted(desiredNumbers, { id: ids.back, site: 'Madrid office' })
  expect(brief(await benchWith(30).plan(moved))[0]).toMatch(/^refused: it is in quarantine/)
})

it('apply moves a number if the quarantine is overridden, or if it was never assigned', async () => {
  expect(brief(await benchWith(0).plan(release(ids.back)))[0]).toMatch(/^remove: product/)
  expect(brief(await benchWith(30).plan(release(ids.never)))[0]).toMatch(/^remove: product/)
})

it('apply refuses a number in use, and does not report it as in quarantine', async () => {
  expect(brief(await benchWith(30).plan(release(ids.kept)))[0]).toMatch(/^refused: it is in use/)
})

it('apply moves a number once its quarantine is over', async () => {
  await world.advance(30 * DAY_MS)
  expect(brief(await benchWith(30).plan(release(ids.back)))[0]).toMatch(/^remove: product/)
})
