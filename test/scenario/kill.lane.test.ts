import { expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { syncInProcess } from '../helpers/sync-process.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, WORLD_NOW } from '../helpers/world.ts'

const streams = jobs.flatMap((job) => job.streams)
const COMPLETE = jobs.map(() => 'complete').join(' ')

test('a sync that is killed again and again ends with the tables of an undisturbed one', {
  timeout: 120_000,
}, async () => {
  const world = await openWorld({ seed: 5 })
  try {
    const order = { ...world.place, now: WORLD_NOW }
    for (const killAtStep of [1, 4, 9, 15, 22, 30, 45, 60]) {
      expect(await syncInProcess({ ...order, killAtStep })).toMatchObject({ signal: 'SIGKILL' })
    }
    expect(await syncInProcess(order)).toMatchObject({ code: 0, said: COMPLETE })
    await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
  } finally {
    await world.close()
  }
})

test('of two concurrent syncs of one account, one completes, and the other exits with 5', {
  timeout: 60_000,
}, async () => {
  const world = await openWorld({ seed: 6 })
  try {
    const order = { ...world.place, now: WORLD_NOW }
    const ends = await Promise.all([syncInProcess(order), syncInProcess(order)])
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set([0, 5]))
    await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
  } finally {
    await world.close()
  }
})
