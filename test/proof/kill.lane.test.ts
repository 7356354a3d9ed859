import { expect, inject, test } from 'vitest'
import { TEMPLATE } from '../helpers/database-url.ts'
import { WHOLE } from '../helpers/whole.ts'
import { killLane } from './kill/lane.ts'

/** A push kills at each name once, and in each scenario. */
const SIZE = WHOLE ? { points: 80, further: 30, twice: 10 } : { points: 56, further: 15, twice: 5 }

test('a process killed at any point leaves nothing that the next run does not correct', {
  timeout: 900_000,
}, async () => {
  const server = { url: inject('serverUrl'), template: TEMPLATE }
  const plan = { seed: 20, points: SIZE.points, namesOnce: true, doubleEvery: 6, atOnce: 2 }
  const summary = await killLane(server, plan)
  expect(summary.violations).toEqual([])
  expect(summary.namesMissed).toEqual([])
  expect(summary.scenariosMissed).toEqual([])
  expect(summary.recovered).toBe(summary.killed)
  expect(summary.killed).toBeGreaterThanOrEqual(SIZE.points)
  expect(summary.killedFurther).toBeGreaterThan(SIZE.further)
  expect(summary.killedTwice).toBeGreaterThan(SIZE.twice)
})
