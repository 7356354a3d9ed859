import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  confirmUnexplained,
  findUnexplained,
  ofKind,
} from '../../../src/audit/verify/settle-unexplained.ts'
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

it('verify finds nothing if every row equals its statement', async () => {
  expect(await found()).toEqual([])
})

/** Runs statements as the writer, whose changes the database records. */
const asWriter = (...statements: string[]) =>
  stage.warehouse.withClient(async (client) => {
    for (const statement of statements) await client.query(statement)
  })
const confirm = () =>
  stage.warehouse.transaction(async (tx) => {
    const vouching = { account: ACCOUNT, key: stage.key, basis: 'a person' }
    const all = await findUnexplained(tx, vouching)
    await confirmUnexplained(tx, vouching, ofKind(all, 'rows'))
  })
const ONE = `where session_id = 'later' and id = 'a-1'`
const DID = /^stated_nowhere changes to svc.whiteboard_activities by batch \S+$/

it.each([
  ['_run_id', '9999999'],
  ['_first_seen_at', `_first_seen_at - interval '90 days'`],
  ['_changed_at', `_changed_at + interval '1 microsecond'`],
  ['_salt', 'uuid_send(gen_random_uuid())'],
])('verify reports a row with a changed %s until a person confirms it', async (column, value) => {
  await asWriter(
    `create table if not exists public.kept as select * from svc.whiteboard_activities ${ONE}`,
    `update svc.whiteboard_activities set ${column} = ${value} ${ONE}`,
  )
  const changed = [
    'row_changed the row whiteboard_activities/later/a-1',
    expect.stringMatching(DID),
  ]
  expect(await found()).toEqual(changed)
  await asWriter(`update svc.whiteboard_activities t set ${column} = k.${column} from public.kept k
    where t.session_id = 'later' and t.id = 'a-1'`)
  expect(await found()).toEqual([expect.stringMatching(DID), expect.stringMatching(DID)])
  await confirm()
  expect(await found()).toEqual([])
  await stage.append()
  expect(await found()).toEqual([])
})

it('verify reports missing rows in addition to a changed row', async () => {
  const other = `session_id = 's-1' and id = 'a-2'`
  await asWriter(
    `create table public.both as select * from svc.whiteboard_activities ${ONE} or ${other}`,
    `with taken as (delete from svc.whiteboard_activities where ${other})
      update svc.whiteboard_activities set _run_id = 9999999 ${ONE}`,
  )
  const missing = expect.stringMatching(
    /^row_missing 1 row of svc.whiteboard_activities that batch /,
  )
  expect(await found()).toEqual([
    expect.stringMatching(/^record_missing /),
    'row_changed the row whiteboard_activities/later/a-1',
    missing,
    missing,
    expect.stringMatching(DID),
  ])
  await asWriter(
    `update svc.whiteboard_activities set _run_id = (select _run_id from public.both ${ONE}) ${ONE}`,
    `insert into svc.whiteboard_activities select * from public.both where ${other}`,
  )
  await confirm()
  expect(await found()).toEqual([])
})

it('verify finds nothing if a stated transaction changed the rows', async () => {
  await statingRows({ ...stage, account: ACCOUNT }, async (tx) => {
    await sql`update svc.whiteboard_activities set _run_id = _run_id`.execute(tx)
  })
  expect(await found()).toEqual([])
})
