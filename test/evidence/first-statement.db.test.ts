import { type RawBuilder, sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { stateWritten } from '../../src/evidence/enter-rows.ts'
import {
  ACCOUNT,
  addRun,
  type EvidenceStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'

let stage: EvidenceStage
beforeEach(async () => {
  stage = await openEvidenceStage()
})
afterEach(() => stage.close())

const participant = (user: string, runId: number): RawBuilder<unknown> => sql`
  insert into svc.whiteboard_participants (account, session_id, user_id, user_name, join_whiteboard_time,
    ordinal, _raw, _hash, _first_seen_at, _changed_at, _run_id)
  values (${ACCOUNT}, 's-1', ${user}, 'Anna', '2026-06-01T10:00:00Z', 0, '{}', '', now(), now(), ${runId})`

/** Stores a participant as a run does, whose account has stated nothing yet. */
async function read(user: string): Promise<void> {
  const runId = await addRun(stage)
  const settings = { files: true, recordings: false }
  const evidence = () => ({ key: stage.key, previousKeys: [], streams: [] })
  await stage.warehouse.transaction(async (tx) => {
    await participant(user, runId).execute(tx)
    await stateWritten(tx, { account: ACCOUNT, archive: { settings }, evidence })
  })
}

const found = async () =>
  (await stage.verify()).findings.map(({ code, what }) => `${code} ${what}`).toSorted()

it('the first run with evidence states the existing rows as they are', async () => {
  await participant('u-1', await addRun(stage)).execute(stage.warehouse.db)
  await read('u-2')
  await stage.append()
  expect(await found()).toEqual([])
})

it('the first run with evidence does not state rows that were tampered with during its read', async () => {
  await read('u-1')
  await sql`update svc.whiteboard_participants set user_name = 'Eve'`.execute(stage.warehouse.db)
  await read('u-2')
  await stage.append()
  expect(await found()).toEqual([
    expect.stringMatching(/^row_changed the row whiteboard_participants\/s-1\/u-1\/Eve\//),
    expect.stringMatching(/^stated_nowhere changes to svc.whiteboard_participants by batch \S+$/),
  ])
})
