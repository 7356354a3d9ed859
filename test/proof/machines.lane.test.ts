import { expect, inject, test } from 'vitest'
import { TEMPLATE } from '../helpers/database-url.ts'
import { machinesLane } from './machines/lane.ts'

test('machines that are killed, stopped or cut off run each job once and leave correct tables', async () => {
  const server = { url: inject('serverUrl'), template: TEMPLATE }
  const times = { troubleMs: 45_000, calmMs: 0, patienceMs: 240_000 }
  const plan = { seed: 1, accounts: 16, rounds: 1, ...times }
  const summary = await machinesLane(server, inject('programs').callsheet, plan)
  expect(summary.violations).toEqual([])
  expect(summary).toMatchObject({ due: 32, done: 32, killed: 1, stopped: 1, cut: 1 })
  expect(summary.interrupted).toBeGreaterThan(0)
})
