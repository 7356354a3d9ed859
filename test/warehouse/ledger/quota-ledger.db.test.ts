import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { createQuotaLedger } from '../../../src/warehouse/ledger/quota-ledger.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database.ts'

let database: TestDatabase
let warehouse: Warehouse
let another: Warehouse
beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, poolSize: 4 })
  another = connect({ url: database.url, poolSize: 4 })
})
afterAll(async () => {
  await Promise.all([warehouse.close(), another.close()])
  await database.drop()
})

const day = '2026-05-01'

describe('the quota ledger', () => {
  it('grants the requested calls, then the remainder, and nothing after the limit', async () => {
    const ledger = createQuotaLedger(warehouse, 'a')
    expect(await ledger.reserve('heavy', day, 60, 100)).toBe(60)
    expect(await ledger.reserve('heavy', day, 60, 100)).toBe(40)
    expect(await ledger.reserve('heavy', day, 60, 100)).toBe(0)
    expect(await ledger.spent('heavy', day)).toBe(100)
  })

  it('counts pools, days and accounts separately', async () => {
    const ledger = createQuotaLedger(warehouse, 'b')
    await ledger.reserve('heavy', day, 10, 10)
    expect(await ledger.reserve('light', day, 10, 10)).toBe(10)
    expect(await ledger.reserve('heavy', '2026-05-02', 10, 10)).toBe(10)
    expect(await createQuotaLedger(warehouse, 'c').reserve('heavy', day, 10, 10)).toBe(10)
  })

  it('grants all requested calls if the limit is unknown, and counts them', async () => {
    const ledger = createQuotaLedger(warehouse, 'd')
    expect(await ledger.reserve('heavy', day, 5, undefined)).toBe(5)
    expect(await ledger.spent('heavy', day)).toBe(5)
    expect(await ledger.reserve('heavy', day, 5, 3)).toBe(0)
  })

  it('takes back unused calls, never below zero', async () => {
    const ledger = createQuotaLedger(warehouse, 'e')
    await ledger.reserve('heavy', day, 10, 10)
    await ledger.giveBack('heavy', day, 4)
    expect(await ledger.reserve('heavy', day, 10, 10)).toBe(4)
    await ledger.giveBack('heavy', day, 99)
    expect(await ledger.spent('heavy', day)).toBe(0)
  })

  it('never grants more than the limit to parallel requests', async () => {
    const ledgers = [warehouse, another].map((each) => createQuotaLedger(each, 'f'))
    const asked = Array.from({ length: 200 }, async (_, i) =>
      ledgers[i % 2]?.reserve('heavy', day, 7, 1000),
    )
    const granted = (await Promise.all(asked)).reduce<number>((sum, n) => sum + (n ?? 0), 0)
    expect(granted).toBe(1000)
    expect(await ledgers[0]?.spent('heavy', day)).toBe(1000)
  })
})

describe('a rate limit label', () => {
  it('has no retry time and no learned rate at first', async () => {
    expect(await createQuotaLedger(warehouse, 'a').readLabel('LIGHT')).toEqual({
      retryAtMs: 0,
      reason: undefined,
      learnedCallsPerSecond: undefined,
    })
  })

  it('stores the latest retry time, and the learned rate beside it', async () => {
    const ledger = createQuotaLedger(warehouse, 'b')
    await ledger.holdLabel('LIGHT', 2_000_000_000_123, 'daily')
    await ledger.holdLabel('LIGHT', 1_000_000_000_000, 'rate')
    await ledger.saveLearnedRate('LIGHT', 12.5)
    expect(await createQuotaLedger(another, 'b').readLabel('LIGHT')).toEqual({
      retryAtMs: 2_000_000_000_123,
      reason: 'daily',
      learnedCallsPerSecond: 12.5,
    })
  })
})
