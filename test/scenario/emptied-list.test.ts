import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import numberSettings from '../../jobs/number-settings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import whiteboards from '../../jobs/whiteboards.ts'
import { smsConsentNumbers } from '../../src/resources/sms-consents.ts'
import { readStatus } from '../../src/serve/health/read-status.ts'
import { approveDeletions } from '../../src/sync/ledger/deletion-guard.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'

const account = 'account-0'
const settings = { jobs: [numberSettings] }
let world: World
beforeEach(async () => {
  const sizes = { ...TINY, sessions: 700, numbers: 300, consents: 3, labels: 1 }
  world = await openWorld({ sizes })
})
afterEach(() => world.close())

/** From now on one consent policy has this number of numbers; nothing else changes. */
function policyHas(numbers: number) {
  const op = { kind: 'consents', action: 'change', index: 0, patch: { numbers } }
  return world.mutate({ ops: [op] })
}

async function sync(options: Parameters<World['sync']>[0] = settings): Promise<RunResult> {
  const [result] = await world.sync(options)
  if (result === undefined) throw new Error('there was no run')
  return result
}

async function shownGuards() {
  const jobs = [numberSettings]
  return (await readStatus(world.warehouse, { account, jobs, nowMs: Date.parse(WORLD_NOW) }))
    .trippedGuards
}

test.each([2, 50])('a policy that loses all its %i numbers needs no approval', async (of) => {
  await policyHas(of)
  expect(await sync()).toMatchObject({ state: 'complete' })
  await policyHas(0)
  expect(await sync()).toMatchObject({
    state: 'complete',
    trippedGuards: [],
    tables: { sms_consent_numbers: { deleted: of } },
  })
  await expectTruth(world.warehouse, world.sandbox, { account, streams: [smsConsentNumbers] })
})

test('a policy that loses all its 200 numbers is reported by every run until approval', async () => {
  await policyHas(200)
  const { tables } = await sync()
  const present = tables.sms_consent_numbers?.present
  await policyHas(0)
  const stream = 'sms_consent_numbers'
  const drop = { stream, missing: 200, owned: 200 }
  for (const night of [1, 2]) {
    const held = await sync()
    expect({ night, ...held }).toMatchObject({
      night,
      state: 'incomplete',
      trippedGuards: [drop],
      tables: { sms_consent_numbers: { deleted: 0, present } },
    })
    expect((await shownGuards())[0]).toMatchObject({ ...drop, runId: held.runId })
  }
  const [last] = await shownGuards()
  expect(await approveDeletions(world.warehouse, { account, runId: last?.runId ?? 0 })).toEqual([
    stream,
  ])
  expect(await sync()).toMatchObject({
    state: 'complete',
    trippedGuards: [],
    tables: { sms_consent_numbers: { deleted: 200 } },
  })
  expect(await shownGuards()).toEqual([])
  await expectTruth(world.warehouse, world.sandbox, { account, streams: [smsConsentNumbers] })
  // The approved list is not read again out of turn.
  const before = world.sandbox.stats().operations['sms_consent_numbers.list']
  await sync()
  expect(world.sandbox.stats().operations['sms_consent_numbers.list']).toBe(before)
})

test('many small lists that become empty together need an approval', async () => {
  for (const policy of [0, 1, 2]) {
    const op = { kind: 'consents', action: 'change', index: policy, patch: { numbers: 3 } }
    await world.mutate({ ops: [op] })
  }
  expect(await sync()).toMatchObject({
    state: 'complete',
    tables: { sms_consent_numbers: { present: 9 } },
  })
  await world.faults([{ kind: 'empty-list', operation: 'sms_consent_numbers.list' }])
  const stream = 'sms_consent_numbers'
  const held = await sync({ ...settings, full: true })
  expect(held).toMatchObject({
    state: 'incomplete',
    trippedGuards: [{ stream, missing: 9, owned: 9 }],
    tables: { sms_consent_numbers: { deleted: 0, present: 9 } },
  })
  expect(await approveDeletions(world.warehouse, { account, runId: held.runId })).toEqual([stream])
  expect(await sync()).toMatchObject({
    state: 'complete',
    trippedGuards: [],
    tables: { sms_consent_numbers: { deleted: 9, present: 0 } },
  })
})

test('a list that loses its only row needs no approval, and the row can return', async () => {
  const label = async () => {
    const [run] = await world.sync({ jobs: [whiteboards] })
    expect(run).toMatchObject({ state: 'complete', problems: [], trippedGuards: [] })
    return run?.tables.classification_labels
  }
  expect(await label()).toMatchObject({ inserted: 1, present: 1 })
  await world.faults([{ kind: 'empty-list', operation: 'classification_labels.list' }])
  expect(await label()).toMatchObject({ deleted: 1, present: 0 })
  await world.faults([])
  expect(await label()).toMatchObject({ updated: 1, present: 1 })
})

test('windows with held-back deletions are read again by the next run, whatever their age', async () => {
  const jobs = [sessionReports]
  await sync({ jobs })
  const { rows } = await sql<{ id: string }>`
    select id from svc.session_reports order by start_time offset 100 limit 150`.execute(
    world.warehouse.db,
  )
  await world.mutate({ ops: rows.map(({ id }) => ({ kind: 'sessions', action: 'remove', id })) })
  const { runId, trippedGuards } = await sync({ jobs, full: true })
  expect(trippedGuards.length).toBeGreaterThan(0)
  await world.advance(2 * 3_600_000)
  await approveDeletions(world.warehouse, { account, runId })
  expect(await sync({ jobs })).toMatchObject({
    state: 'complete',
    trippedGuards: [],
    tables: { session_reports: { deleted: 150 } },
  })
  await expectTruth(world.warehouse, world.sandbox, { account, streams: sessionReports.streams })
})
