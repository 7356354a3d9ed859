import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { stateDecision } from '../../../src/evidence/enter-rows.ts'
import { users } from '../../../src/resources/users.ts'
import {
  approveDeletions,
  deletionsApproved,
  tripGuard,
} from '../../../src/sync/ledger/deletion-guard.ts'
import { ACCOUNT, type EvidenceStage, openEvidenceStage } from '../../helpers/evidence-stage.ts'

let stage: EvidenceStage
beforeAll(async () => {
  stage = await openEvidenceStage()
  await stage.append()
})
afterAll(() => stage.close())
beforeEach(async () => {
  await sql`truncate callsheet.deletion_guards`.execute(stage.warehouse.db)
})

const of = { account: ACCOUNT, stream: users }
const trip = (runId: number) =>
  stage.warehouse.transaction((tx) => tripGuard(tx, { ...of, runId, missing: 90, owned: 100 }))
const allows = (runId: number, missing = 90) =>
  deletionsApproved(stage.warehouse, { ...of, missing, runId, chainRunId: runId })

it('an approval is trusted if it was signed when granted, and its drop has not changed', async () => {
  await trip(1)
  await approveDeletions(stage.warehouse, {
    account: ACCOUNT,
    runId: 1,
    onDecided: (tx, streams) =>
      stateDecision(
        tx,
        { account: ACCOUNT, key: () => stage.key, ledger: 'releases' },
        streams.map((name) => `${name}/1`),
      ),
  })
  expect(await allows(2)).toBe(true)
  await stage.append()
  expect(await allows(2)).toBe(true)
  await sql`update callsheet.deletion_guards set missing = 99`.execute(stage.warehouse.db)
  expect(await allows(2)).toBe(false)
})

it('an approval inserted into the table is not trusted', async () => {
  await trip(3)
  await sql`update callsheet.deletion_guards set approved_at = now()`.execute(stage.warehouse.db)
  expect(await allows(4)).toBe(false)
})
