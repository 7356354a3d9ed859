import { expect, test } from 'vitest'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { openFoundReadings } from '../../../src/warehouse/ledger/found-readings.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened))

const ways = async (account: string, reading = 'otherIds') =>
  (await openFoundReadings(warehouse, account)).get(reading)

test('a finding applies at once and in the next process, but to no other account', async () => {
  const found = await openFoundReadings(warehouse, 'a')
  expect(found.get('otherIds')).toBeUndefined()
  await found.remember('otherIds', 'once')
  await found.remember('others', 'x')
  expect(found.get('otherIds')).toBe('once')
  expect([await ways('a'), await ways('a', 'others')]).toEqual(['once', 'x'])
  expect(await ways('b')).toBeUndefined()
})

test('a finding disproved by a later response is replaced, also for the next process', async () => {
  const [one, other] = await Promise.all([
    openFoundReadings(warehouse, 'c'),
    openFoundReadings(warehouse, 'c'),
  ])
  await Promise.all([one, one, other].map((each) => each.remember('otherIds', 'once')))
  await other.remember('otherIds', 'twice')
  expect([one.get('otherIds'), other.get('otherIds')]).toEqual(['once', 'twice'])
  const later = await openFoundReadings(warehouse, 'c')
  expect(later.get('otherIds')).toBe('twice')
  await later.remember('otherIds', 'once')
  expect(await ways('c')).toBe('once')
})

test('the last of several concurrent findings is stored', async () => {
  const found = await openFoundReadings(warehouse, 'd')
  const writes = ['once', 'twice', 'once', 'twice'].map((way) => found.remember('otherIds', way))
  // A lookup returns it at once, even before it is written.
  expect(found.get('otherIds')).toBe('twice')
  await Promise.all(writes)
  expect(await ways('d')).toBe('twice')
})
