import { afterEach, beforeEach, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { desiredLabels } from '../../src/apply/desired/labels.ts'
import { planWanted } from '../../src/apply/plan.ts'
import { readAccount } from '../../src/apply/read-account.ts'
import { readRuns } from '../../src/serve/health/read-runs.ts'
import { approveDeletions } from '../../src/sync/ledger/deletion-guard.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { brief, wanted } from './apply-bench.ts'

const account = 'account-0'
let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY })
})
afterEach(() => world.close())

const wish = wanted(desiredLabels, { name: 'Secret', color: '#AA0000', sensitivity_level: 7 })

/** Reads as apply does, with a deletion guard that any deletion trips; `taken` is its own calls' count. */
async function read(taken = 0): Promise<void> {
  const deps = { ...world.account.deps, deletionGuard: { share: 0, rows: 0 } }
  const { signal } = new AbortController()
  await readAccount(deps, { account, jobs, wanted: [wish], taken, signal })
}

it('an apply fails on held-back deletions, and treats the rows as deleted once approved', async () => {
  const secret = { kind: 'labels', action: 'change', index: 0, patch: { name: 'Secret' } }
  await world.mutate({ ops: [secret] })
  await read()
  await world.mutate({ ops: [{ kind: 'labels', action: 'remove', index: 0 }] })
  const held = await read().catch((error: unknown) => error)
  const [run] = await readRuns(world.warehouse, { accounts: [account], limit: 1 })
  expect(held).toMatchObject({ code: 'large_drop', exitCode: 4 })
  expect(String(held)).toMatch(/classification_labels: 1 of \d+ rows are missing/)
  expect(String(held)).toContain(`callsheet sync --approve ${run?.id}`)
  await expect(read()).rejects.toMatchObject({ code: 'large_drop' })
  await approveDeletions(world.warehouse, { account, runId: run?.id ?? 0 })
  await read()
  const plan = brief(await planWanted(world.account.deps, account, [wish]))
  expect(plan).toEqual(['add: #AA0000, sensitivity 7'])
})

it('rows deleted by our own calls do not trip the deletion guard', async () => {
  await read()
  await world.mutate({ ops: [{ kind: 'labels', action: 'remove', index: 0 }] })
  await read(1)
  expect((await readRuns(world.warehouse, { accounts: [account], limit: 1 }))[0]?.state).toBe(
    'complete',
  )
})
