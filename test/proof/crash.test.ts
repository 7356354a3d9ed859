import { expect, test } from 'vitest'
import { crashLane } from './crash/lane.ts'

test('what Postgres acknowledged before it crashed is there, and what the run makes of it is whole', {
  timeout: 900_000,
}, async () => {
  const summary = await crashLane({ seed: 30, crashes: 25 })
  expect(summary.violations).toEqual([])
  expect(summary.crashes).toBe(25)
  expect(summary.wentOn + summary.runAgain).toBe(25)
  expect(summary.acked).toBeGreaterThan(1_000)
})
