import { expect, inject, test } from 'vitest'
import { TEMPLATE } from '../helpers/database-url.ts'
import { killLane } from './kill/lane.ts'

test('a process that is killed at any point leaves nothing that the next run does not put right', {
  timeout: 900_000,
}, async () => {
  const server = { url: inject('serverUrl'), template: TEMPLATE }
  const plan = { seed: 20, points: 80, namesOnce: true, doubleEvery: 6, atOnce: 2 }
  const summary = await killLane(server, plan)
  expect(summary.violations).toEqual([])
  expect(summary.namesMissed).toEqual([])
  expect(summary.scenariosMissed).toEqual([])
  expect(summary.recovered).toBe(summary.killed)
  expect(summary.killed).toBeGreaterThanOrEqual(80)
  expect(summary.killedFurther).toBeGreaterThan(30)
  expect(summary.killedTwice).toBeGreaterThan(10)
})
