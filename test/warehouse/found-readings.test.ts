import { expect, test } from 'vitest'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { openFoundReadings } from '../../src/warehouse/found-readings.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))

const ONCE = { reading: 'otherIds', variant: 'once', shownBy: 'a list that was not there' }
const TWICE = { ...ONCE, variant: 'twice', shownBy: 'another list' }

test('what was found of an account holds at once, for who opens it next, and for no other', async () => {
  const found = await openFoundReadings(warehouse, 'a')
  expect([found.get('otherIds'), found.all()]).toEqual([undefined, []])
  await found.remember(ONCE)
  expect(found.get('otherIds')).toBe('once')
  const next = await openFoundReadings(warehouse, 'a')
  expect(next.all()).toEqual([{ ...ONCE, foundAtMs: expect.any(Number) as number }])
  expect(next.all()).toEqual(found.all())
  expect((await openFoundReadings(warehouse, 'b')).all()).toEqual([])
})

test('a finding that another answer proves wrong gives way, in whichever process', async () => {
  const [one, other] = await Promise.all([
    openFoundReadings(warehouse, 'c'),
    openFoundReadings(warehouse, 'c'),
  ])
  await Promise.all([one.remember(ONCE), one.remember(ONCE), other.remember(ONCE)])
  const [before] = one.all()
  await other.remember(TWICE)
  await one.remember(ONCE)
  expect([one.get('otherIds'), other.get('otherIds')]).toEqual(['once', 'twice'])
  const stored = await openFoundReadings(warehouse, 'c')
  expect(stored.all()).toMatchObject([TWICE])
  expect(stored.all()[0]?.foundAtMs).toBeGreaterThanOrEqual(before?.foundAtMs ?? Infinity)
  await stored.remember(ONCE)
  expect((await openFoundReadings(warehouse, 'c')).get('otherIds')).toBe('once')
})
