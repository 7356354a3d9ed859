import { afterEach, expect, test } from 'vitest'
import { verifyWorld } from '../helpers/stated-world.ts'
import { WHOLE } from '../helpers/whole.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { drawReadings } from '../sim/draw-readings.ts'
import { Random } from '../sim/random.ts'

let world: World
afterEach(() => world.close())

const SEEDS = WHOLE ? [1, 2, 3] : [1]
const HOUR_MS = 3_600_000

test.each(SEEDS)(
  'verify has no findings after a week of nights with changes and faults: seed %i',
  { timeout: 180_000 },
  async (seed) => {
    const draw = new Random(seed, 'verified nights')
    world = await openWorld({ sizes: TINY, archive: { files: true }, ...drawReadings(seed) })
    const compared: number[] = []
    for (let night = 0; night < 6; night++) {
      if (night > 0) await world.mutate({ scale: draw.between(1, 6) })
      await world.faults(draw.chance(0.4) ? [draw.pick(TROUBLES)] : [])
      await world.sync({ full: draw.chance(0.3) })
      const { findings, checked } = await verifyWorld(world)
      expect(findings).toEqual([])
      compared.push(checked.rows)
      await world.advance(draw.between(1, 60) * HOUR_MS)
    }
    expect(compared[0]).toBeGreaterThan(0)
  },
)

const TROUBLES = [
  { kind: 'status', status: 500, operation: 'whiteboard_activities.list' },
  { kind: 'status', status: 404, operation: 'whiteboard_activities.list' },
  { kind: 'empty-list', operation: 'session_reports.list' },
  { kind: 'status', status: 403, operation: 'users.list' },
  { kind: 'status', status: 500, operation: 'recordings.list' },
]
