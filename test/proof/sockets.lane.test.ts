import { expect, inject, test } from 'vitest'
import { TEMPLATE } from '../helpers/database-url.ts'
import { socketLane } from './sockets/lane.ts'

const SEEDS = 7

test('faults of the network, the service and the database, mixed by seed, leave correct tables', {
  timeout: 900_000,
}, async () => {
  const server = { url: inject('serverUrl'), template: TEMPLATE }
  const plan = { firstSeed: 100, seeds: SEEDS, floor: 2, atOnce: 2 }
  const summary = await socketLane(server, plan)
  expect(summary.violations).toEqual([])
  expect(summary.seeds).toBeGreaterThanOrEqual(SEEDS)
  expect(summary.belowFloor).toEqual([])
})
