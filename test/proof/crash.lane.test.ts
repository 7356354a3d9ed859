import { expect, test } from 'vitest'
import { WHOLE } from '../helpers/whole.ts'
import { crashLane } from './crash/lane.ts'

const CRASHES = WHOLE ? 10 : 4

test('data acknowledged by Postgres survives its crash, and the next run completes the tables', {
  timeout: 900_000,
}, async () => {
  const summary = await crashLane({ seed: 30, crashes: CRASHES })
  expect(summary.violations).toEqual([])
  expect(summary.crashes).toBe(CRASHES)
  expect(summary.wentOn + summary.runAgain).toBe(CRASHES)
  expect(summary.acked).toBeGreaterThan(CRASHES * 100)
})
