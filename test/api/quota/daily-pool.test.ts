import { expect, it } from 'vitest'
import { createDailyPool } from '../../../src/api/quota/daily-pool.ts'
import { utcDay } from '../../../src/core/time/time.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { hastyClock } from '../hasty-clock.ts'
import { memoryLedger } from '../memory-stores.ts'

const CALLS = 20_000

it('a daily pool books blocks of 50 calls, and at most two blocks ahead', async () => {
  expect(await bookingsOf({ callsPerSecond: 80 })).toBe(CALLS / 50 + 1)
})

it('a daily pool never holds more than a fifth of the day’s remaining calls unused', async () => {
  const limit = 2_000
  const ledger = memoryLedger()
  const clock = hastyClock()
  const pool = createDailyPool({ name: 'p', limit, ledger, clock })
  const held: number[] = []
  for (let calls = 0; calls < limit; calls++) {
    await pool.take()
    held.push((ledger.booked.get(keyAt(clock.now())) ?? 0) - calls - 1)
  }
  await expect(pool.take()).rejects.toThrow('calls allowed for today (UTC) are used')
  const tooMany = held.filter((unused, at) => unused > Math.max(1, (2 * (limit - at)) / 10))
  expect(tooMany).toEqual([])
  expect(Math.max(...held)).toBeGreaterThan(50)
})

it('a daily pool books one block after failed bookings', async () => {
  const ledger = memoryLedger()
  const clock = hastyClock()
  const pool = createDailyPool({ name: 'p', limit: undefined, ledger, clock })
  const { reserve } = ledger
  ledger.reserve = async () => {
    throw new Error('the database is away')
  }
  for (let tries = 0; tries < 5; tries++) await expect(pool.take()).rejects.toThrow('away')
  ledger.reserve = reserve
  await pool.take()
  expect(ledger.booked.get(keyAt(clock.now()))).toBe(50)
})

it('a daily pool takes back a call that was not sent, unless its day has ended', async () => {
  const ledger = memoryLedger()
  const clock = manualClock(Date.UTC(2026, 4, 4, 23, 59, 59))
  const pool = createDailyPool({ name: 'p', limit: undefined, ledger, clock })
  const [putBack, putBackLate] = [await pool.take(), await pool.take()]
  putBack()
  expect(pool.spentToday()).toBe(1)
  await clock.advance(2_000)
  await pool.take()
  putBackLate()
  expect(pool.spentToday()).toBe(1)
  await pool.close()
  expect([...ledger.booked.values()]).toEqual([1, 1])
})

async function bookingsOf({ callsPerSecond }: { callsPerSecond: number }): Promise<number> {
  const ledger = memoryLedger()
  const clock = hastyClock()
  const pool = createDailyPool({ name: 'p', limit: undefined, ledger, clock })
  let most = 0
  for (let calls = 0; calls < CALLS; calls++) {
    await pool.take()
    most = Math.max(most, (ledger.booked.get(keyAt(clock.now())) ?? 0) - calls - 1)
    await clock.sleep(1000 / callsPerSecond)
  }
  expect(most).toBeLessThan(2 * 50)
  await pool.close()
  expect(ledger.booked.get(keyAt(clock.now()))).toBe(CALLS)
  return ledger.reservations
}

const keyAt = (nowMs: number): string => `p ${utcDay(nowMs)}`
