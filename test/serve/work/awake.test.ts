import { expect, it } from 'vitest'
import { trackAwake } from '../../../src/serve/work/watch-health.ts'

it('the time awake is measured anew after the wall clock jumped between two checks, or on request', () => {
  let nowMs = 0
  const awake = trackAwake({ now: () => nowMs })
  const looks = [0, 300_000, 600_000, 1_200_001, 1_500_000].map((ms) => {
    nowMs = ms
    return awake.since()
  })
  expect(looks).toEqual([0, 0, 0, 1_200_001, 1_200_001])
  nowMs = 1_600_000
  awake.restart()
  nowMs = 1_900_000
  expect(awake.since()).toBe(1_600_000)
})
