import { expect, test } from 'vitest'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { openFoundReadings } from '../../../src/warehouse/ledger/found-readings.ts'
import { useWarehouse } from '../../helpers/database.ts'

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
  expect(next.all()).toEqual([ONCE])
  expect(next.all()).toEqual(found.all())
  expect((await openFoundReadings(warehouse, 'b')).all()).toEqual([])
})

test('a finding that another answer proves wrong gives way, in whichever process', async () => {
  const [one, other] = await Promise.all([
    openFoundReadings(warehouse, 'c'),
    openFoundReadings(warehouse, 'c'),
  ])
  await Promise.all([one.remember(ONCE), one.remember(ONCE), other.remember(ONCE)])
  await other.remember(TWICE)
  expect([one.get('otherIds'), other.get('otherIds')]).toEqual(['once', 'twice'])
  const later = await openFoundReadings(warehouse, 'c')
  expect(later.all()).toEqual([TWICE])
  await later.remember(ONCE)
  expect((await openFoundReadings(warehouse, 'c')).all()).toEqual([ONCE])
})

test('of several findings at once the last one stays', async () => {
  const found = await openFoundReadings(warehouse, 'd')
  const writes = [ONCE, TWICE, ONCE, TWICE].map((one) => found.remember(one))
  // It is looked up at once, whenever it is written.
  expect(found.get('otherIds')).toBe('twice')
  await Promise.all(writes)
  expect((await openFoundReadings(warehouse, 'd')).all()).toEqual([TWICE])
})
