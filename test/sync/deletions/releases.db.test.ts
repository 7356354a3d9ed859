import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stateDecision } from '../../../src/evidence/enter-rows.ts'
import { users } from '../../../src/resources/users.ts'
import { restateRelease } from '../../../src/sync/deletions/restate-release.ts'
import { approveDeletions, tripGuard } from '../../../src/sync/ledger/deletion-guard.ts'
import {
  ACCOUNT,
  addRun,
  type EvidenceStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'

let stage: EvidenceStage
let runId: number
beforeEach(async () => {
  stage = await openEvidenceStage()
  runId = await addRun(stage)
  await stage.append()
})
afterEach(() => stage.close())

/** Trips the guard like a run that holds back the rows of another slice. */
async function trip(missing: number): Promise<void> {
  const evidence = { key: stage.key, previousKeys: [], streams: [] }
  const archive = { settings: { files: true, recordings: false } }
  const run = { account: ACCOUNT, runId, archive, evidence: () => evidence }
  await stage.warehouse.transaction(async (tx) => {
    await tripGuard(tx, { account: ACCOUNT, stream: users, runId, missing, owned: 100 })
    await restateRelease(tx, run as unknown as Parameters<typeof restateRelease>[1], users)
  })
}

const approve = () =>
  approveDeletions(stage.warehouse, {
    account: ACCOUNT,
    runId,
    onDecided: async (tx, streams) => {
      const own = { account: ACCOUNT, key: () => stage.key, ledger: 'releases' } as const
      await stateDecision(
        tx,
        own,
        streams.map((stream) => `${stream}/${runId}`),
      )
    },
  })

test('a release of held-back deletions is signed, even if it grows during the run', async () => {
  await trip(20)
  expect(await approve()).toEqual(['users'])
  expect((await stage.verify()).findings).toEqual([])
  await trip(5)
  const { rows } = await sql`select missing from callsheet.deletion_guards`.execute(
    stage.warehouse.db,
  )
  expect(rows).toEqual([{ missing: 25 }])
  expect((await stage.verify()).findings).toEqual([])
  await stage.tamper('update callsheet.deletion_guards set missing = 20')
  expect((await stage.verify()).findings).toMatchObject([{ code: 'stated_otherwise' }])
})
