import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { users } from '../../../src/resources/users.ts'
import { whiteboards } from '../../../src/resources/whiteboards.ts'
import {
  approveDeletions,
  deletionsApproved,
  hasIdleApproval,
  spendApproval,
  tripGuard,
  trippedInChain,
} from '../../../src/sync/ledger/deletion-guard.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => {
  warehouse = opened
})
const [account, stream] = ['a', users]
beforeEach(() => sql`truncate callsheet.deletion_guards`.execute(warehouse.db))

const trip = (runId: number, missing: number, of: Partial<{ account: string }> = {}) =>
  warehouse.transaction((tx) =>
    tripGuard(tx, { account, stream, runId, missing, owned: 100, ...of }),
  )
const approve = (runId: number) => approveDeletions(warehouse, { account, runId })
const spend = (runId: number) =>
  warehouse.transaction((tx) => spendApproval(tx, { account, stream, runId }))
/** Whether the run may delete this number of rows; by default it resumes no other run. */
const allows = (runId: number, missing: number, chainRunId = runId) =>
  deletionsApproved(warehouse, { account, stream, missing, runId, chainRunId })

describe('an approval of deletions', () => {
  it('covers the drop that a run held back, but no larger one', async () => {
    await trip(1, 90)
    expect(await allows(2, 90)).toBe(false)
    expect(await approve(1)).toEqual(['users'])
    expect(await allows(2, 90)).toBe(true)
    expect(await allows(2, 1)).toBe(true)
    expect(await allows(2, 91)).toBe(false)
  })

  it('covers the sum of the drops of its run’s slices', async () => {
    await trip(1, 90)
    await trip(1, 5)
    await approve(1)
    expect(await allows(2, 95)).toBe(true)
    expect(await allows(2, 96)).toBe(false)
  })

  it('covers one account and one stream', async () => {
    await trip(1, 90)
    await approve(1)
    const other = { missing: 1, runId: 2, chainRunId: 2 }
    expect(await deletionsApproved(warehouse, { account: 'b', stream, ...other })).toBe(false)
    expect(await deletionsApproved(warehouse, { account, stream: whiteboards, ...other })).toBe(
      false,
    )
  })

  it('applies to runs after the one that held rows back', async () => {
    await trip(3, 90)
    await approve(3)
    expect(await allows(3, 90)).toBe(false)
    expect(await allows(2, 90)).toBe(false)
    expect(await allows(4, 90)).toBe(true)
  })

  it('applies to all slices of one run and its resumed runs, and to no other', async () => {
    await trip(1, 90)
    await approve(1)
    await spend(4)
    expect(await allows(4, 90)).toBe(true)
    expect(await allows(5, 90, 4)).toBe(true)
    expect(await allows(5, 90)).toBe(false)
    await spend(5)
    expect(await allows(5, 90)).toBe(false)
  })

  it('is granted once, and only for held-back rows', async () => {
    await trip(1, 90)
    expect(await approve(2)).toEqual([])
    expect(await approve(1)).toEqual(['users'])
    expect(await approve(1)).toEqual([])
  })
})

describe('an unused approval', () => {
  const idle = (chainRunId: number) => hasIdleApproval(warehouse, { account, stream, chainRunId })
  it('exists once the drop of an earlier run is approved, until a run uses the approval', async () => {
    expect(await idle(2)).toBe(false)
    await trip(1, 90)
    expect(await idle(2)).toBe(false)
    await approve(1)
    expect(await idle(2)).toBe(true)
    await spend(2)
    expect(await idle(3)).toBe(false)
  })

  it('does not exist while this run, or a run that it resumes, holds rows back', async () => {
    await trip(1, 90)
    await approve(1)
    await trip(3, 5)
    expect(await idle(3)).toBe(false)
    expect(await idle(2)).toBe(false)
    expect(await idle(4)).toBe(true)
  })
})

it('a resumed run holds back the same rows as before until an approval', async () => {
  await trip(1, 10)
  await trip(3, 30)
  await trip(4, 40)
  const held = async (chainRunId: number) =>
    (await trippedInChain(warehouse, { account, runId: 5, chainRunId })).map((one) => one.missing)
  expect(await held(3)).toEqual([30, 40])
  await trip(5, 50)
  expect(await held(3)).toEqual([30, 40])
  await approve(3)
  expect(await held(3)).toEqual([40])
  expect(await held(5)).toEqual([])
})
