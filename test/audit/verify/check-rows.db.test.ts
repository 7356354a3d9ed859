import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  ACCOUNT,
  addActivity,
  addRun,
  addSession,
  type EvidenceStage,
  fillStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'
import { statingRows } from '../../helpers/stated-rows.ts'

let stage: EvidenceStage
beforeAll(async () => {
  stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
  const runId = await addRun(stage)
  await addSession(stage, { runId, id: 'later' })
  await addActivity(stage, { runId, session: 'later', id: 'a-1' })
  await stage.append()
})
afterAll(() => stage.close())

const found = async () =>
  (await stage.verify()).findings.map(({ code, what }) => `${code} ${what}`).toSorted()

it('finds nothing where all rows are as they were stated', async () => {
  expect(await found()).toEqual([])
})

it.each([
  ['_run_id', '9999999'],
  ['_first_seen_at', `_first_seen_at - interval '90 days'`],
  ['_changed_at', `_changed_at + interval '1 microsecond'`],
  ['_salt', 'uuid_send(gen_random_uuid())'],
])('names the row whose %s was changed', async (column, value) => {
  const where = `where session_id = 'later' and id = 'a-1'`
  const kept = `create table if not exists public.kept as
    select * from svc.whiteboard_activities ${where}`
  await stage.tamper(kept)
  // As the writer can, whose changes the database notes.
  await stage.warehouse.withClient((client) =>
    client.query(`update svc.whiteboard_activities set ${column} = ${value} ${where}`),
  )
  expect(await found()).toEqual([
    'row_changed the row whiteboard_activities/later/a-1',
    expect.stringMatching(/^row_missing 1 of svc.whiteboard_activities, of batch \S+$/),
  ])
  await stage.warehouse.withClient((client) =>
    client.query(`update svc.whiteboard_activities t set ${column} = k.${column} from public.kept k
      where t.session_id = 'later' and t.id = 'a-1'`),
  )
  expect(await found()).toEqual([])
})

it('finds nothing where a transaction that is stated changed rows and took some', async () => {
  await statingRows({ ...stage, account: ACCOUNT }, async (tx) => {
    await sql`update svc.whiteboard_activities set _run_id = _run_id`.execute(tx)
  })
  expect(await found()).toEqual([])
})
