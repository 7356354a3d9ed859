import { expect, test } from 'vitest'
import { tablesWith } from '../erasure/stage.ts'
import { syncInProcess } from '../helpers/sync-process.ts'
import { openWorld, TINY, WORLD_NOW } from '../helpers/world.ts'
import { expectPart, PLANTED, ROWS, shapeAnswers } from './part-world.ts'

test('a sync that was killed four times stores exactly the part', {
  timeout: 240_000,
}, async () => {
  const sizes = { ...TINY, users: 120, numbers: 60 }
  const world = await openWorld({ seed: 5, sizes, altered: true, settings: { rows: ROWS } })
  world.ways.tell = shapeAnswers({ moves: new Map() })
  try {
    const order = { ...world.place, now: WORLD_NOW }
    for (const killAtStep of [1, 4, 9, 15])
      expect(await syncInProcess({ ...order, killAtStep })).toMatchObject({ signal: 'SIGKILL' })
    expect(await syncInProcess(order)).toMatchObject({ code: 0 })
    await expectPart(world)
    expect(await tablesWith(world.warehouse, [PLANTED])).toEqual([])
  } finally {
    await world.close()
  }
})
