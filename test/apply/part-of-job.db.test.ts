import { afterEach, beforeEach, expect, test } from 'vitest'
import job from '../../jobs/whiteboards.ts'
import { jobs } from '../../src/account/catalog.ts'
import { desiredLabels } from '../../src/apply/desired/labels.ts'
import { readAccount } from '../../src/apply/read-account.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { openDisputes } from '../../src/evidence/disputes.ts'
import { readCoverage, type StreamCoverage } from '../../src/report/report-coverage.ts'
import { readMoment } from '../../src/report/report-moment.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { readRuns } from '../../src/serve/health/read-runs.ts'
import { readStatus } from '../../src/serve/health/read-status.ts'
import { attemptsInLedger } from '../../src/serve/ledger/attempts.ts'
import { dispatchByQueue } from '../../src/serve/queue/dispatch-by-queue.ts'
import type { Work } from '../../src/serve/queue/dispatcher.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import { openChain } from '../../src/warehouse/ledger/runs.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { queueHere } from '../serve/queue/queue-here.ts'
import { wanted } from './apply-bench.ts'

const account = 'account-0'
const HOUR_MS = 3_600_000

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: { ...TINY, whiteboards: 60 } })
})
afterEach(() => world.close())

test('a part of a job that apply reads does not change the coverage of the job’s other streams', async () => {
  await world.faults([{ kind: 'status', status: 400, operation: 'whiteboard_content.get' }])
  const first = await sync()
  expect(first).toMatchObject({ state: 'incomplete', trippedGuards: [] })
  // The collaborators were read completely, although reading the boards' content failed.
  const asBefore = { run: { id: first.runId, state: 'incomplete' }, incomplete: 0, whole: true }
  await world.faults([])
  const modifiedMs = Date.parse(WORLD_NOW) - HOUR_MS
  await world.mutate({
    ops: [
      { kind: 'boards', action: 'change', index: 2, patch: { collaborators: 0, modifiedMs } },
      { kind: 'labels', action: 'remove', index: 1 },
    ],
  })
  const trippedGuards = await sync({ share: 0, rows: 0 })
  expect(trippedGuards).toMatchObject({
    state: 'incomplete',
    trippedGuards: [{ stream: 'classification_labels' }, { stream: 'whiteboard_collaborators' }],
  })
  expect(await coverage()).toMatchObject(asBefore)
  await applyReads()
  expect(await coverage()).toMatchObject(asBefore)
  const nowMs = world.account.deps.clock.now()
  const status = await readStatus(world.warehouse, { account, jobs: [job], nowMs })
  expect(status.jobs[0]).toMatchObject({
    lastRun: { id: trippedGuards.runId + 1, state: 'complete', partial: true },
    lastComplete: undefined,
  })
  expect(status.trippedGuards).toMatchObject([
    { runId: trippedGuards.runId, stream: 'whiteboard_collaborators' },
  ])
  const runs = await readRuns(world.warehouse, { accounts: [account], limit: 2 })
  expect(runs.map(({ id, partial }) => ({ id, partial }))).toEqual([
    { id: trippedGuards.runId + 1, partial: true },
    { id: trippedGuards.runId, partial: false },
  ])
})

test('a part of a job that apply reads does not replace the nightly run', async () => {
  await sync()
  expect(await caughtUp()).toEqual([])
  await world.advance(2 * HOUR_MS)
  await applyReads()
  expect(await caughtUp()).toEqual([job.name])
  await sync()
  expect(await caughtUp()).toEqual([])
})

test('a part of a job that apply reads neither ends nor begins a chain of resumed runs', async () => {
  await world.faults([
    { kind: 'daily-limit', operation: 'whiteboard_collaborators.list', after: 12 },
  ])
  const cutOff = await sync()
  expect(cutOff.state).toBe('paused')
  await world.faults([])
  await world.advance(24 * HOUR_MS)
  await applyReads()
  expect(await chain()).toBe(cutOff.runId)
  const rest = await sync()
  expect(rest.state).toBe('complete')
  expect(rest.slices.whiteboards?.planned).toBeLessThan(cutOff.slices.whiteboards?.planned ?? 0)
  expect(await chain()).toBeUndefined()
  const stopped = applyReads(AbortSignal.abort(new Error('stopped by SIGINT')))
  await expect(stopped).rejects.toThrow('stopped by SIGINT')
  expect(await chain()).toBeUndefined()
  const [last] = await readRuns(world.warehouse, { accounts: [account], limit: 1 })
  expect(last).toMatchObject({ job: job.name, state: 'interrupted', partial: true })
})

async function sync(deletionGuard = world.account.deps.deletionGuard): Promise<RunResult> {
  const { signal } = new AbortController()
  const deps = { ...world.account.deps, deletionGuard }
  const [result] = await syncAccount(deps, { account, jobs: [job], signal })
  if (result === undefined) throw new Error('No run')
  return result
}

/** Reads what an apply of a file with only labels reads. */
async function applyReads(signal = new AbortController().signal): Promise<void> {
  await readAccount(world.account.deps, { account, jobs, wanted: [wanted(desiredLabels)], signal })
}

async function coverage(): Promise<StreamCoverage | undefined> {
  const report = { needs: [whiteboardCollaborators] } as const
  return await world.warehouse.transaction(async (tx) => {
    const moment = await readMoment(tx, account, report)
    const source = { account, moment, disputes: openDisputes(tx, account) }
    const [covered] = await readCoverage(tx, source, { report, period: undefined })
    return covered
  })
}

async function chain(): Promise<number | undefined> {
  return await openChain(world.warehouse.db, { account, job: job.name })
}

/** Returns what a schedule started now runs before a job that never ran. */
async function caughtUp(): Promise<string[]> {
  const { warehouse, sandbox } = world
  const work: Work = { account, job: job.name, schedule: job.schedule, timezone: 'UTC' }
  const stop = new AbortController()
  const ran: string[] = []
  await dispatchByQueue(
    {
      clock: { ...systemClock, now: () => sandbox.clock.now() },
      observer: silentObserver,
      queue: queueHere(),
      accountsAtOnce: 1,
      attempts: (works) => attemptsInLedger(warehouse, works),
      run: async ({ job: name }) => {
        if (name === 'never-run') stop.abort()
        else ran.push(name)
        return { kind: 'done' }
      },
    },
    [work, { ...work, job: 'never-run' }],
    stop.signal,
  )
  return ran
}
