import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findUnexplained, rejectUnexplained } from '../../../src/audit/verify/settle-unexplained.ts'
import { addEntries } from '../../../src/evidence/add-entries.ts'
import { erasureOf } from '../../../src/evidence/log/erased-kinds.ts'
import {
  ACCOUNT,
  ADDED,
  addRun,
  addSession,
  type EvidenceStage,
  FILLED,
  fillStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'

/** A stage with `FILLED` entries under a checkpoint. */
let stage: EvidenceStage
beforeEach(async () => {
  stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
})
afterEach(() => stage.close())

const FORGED = FILLED + 1
/** The entry of a later session, which follows the statements about its run and its rows. */
const LATER = FORGED + ADDED
const vouching = () => ({ account: ACCOUNT, key: stage.key, basis: 'a person' })
const erasureOn = (id: string) =>
  ({
    kind: 'erasure',
    subject: `whiteboard_activities/s-1/${id}`,
    ...erasureOf(['record']),
  }) as const
/** Adds an erasure entry without a key, as anyone who can write the tables could. */
const forge = (id: string) =>
  stage.warehouse.transaction((tx) => addEntries(tx, ACCOUNT, [erasureOn(id)]))
const find = () => stage.warehouse.transaction((tx) => findUnexplained(tx, vouching()))
const reject = (found: Awaited<ReturnType<typeof find>>) =>
  stage.warehouse.transaction((tx) => rejectUnexplained(tx, vouching(), found))
const subjects = async () => (await find()).entries.map(({ subject }) => subject)

describe('the rejection of an entry by a person', () => {
  it('does not cover entries added after the listing', async () => {
    await forge('a-2')
    const found = await find()
    await stage.vouch([erasureOn('a-3')])
    await forge('a-4')
    await reject(found)
    expect(await subjects()).toEqual(['whiteboard_activities/s-1/a-4'])
    expect(await stage.append()).toMatchObject({ signed: 1, unexplained: 1 })
  })

  it('fails if another entry has meanwhile taken its place', async () => {
    await forge('a-2')
    const found = await find()
    await stage.tamper(`delete from callsheet.manifest where seq = ${FORGED}`)
    await stage.vouch([erasureOn('a-3')])
    await expect(reject(found)).rejects.toThrow(`entry ${FORGED}`)
  })

  it.each([
    ['cannot be read', `line = 'x' || line`],
    ['differs from its row', `subject = 'whiteboard_sessions/other'`],
  ])('fails if a later line %s', async (_what, change) => {
    await forge('a-2')
    await addSession(stage, { runId: await addRun(stage), id: 'later' })
    await stage.append()
    await stage.tamper(`update callsheet.manifest set ${change} where seq = ${LATER}`)
    const found = await find()
    expect(found.entries.map(({ seq }) => seq)).toEqual([FORGED])
    await expect(reject(found)).rejects.toThrow(`entry ${LATER}`)
    const { rows } = await sql<{ seq: number }>`
      select seq from callsheet.manifest where seq > ${FILLED} order by seq`.execute(
      stage.warehouse.db,
    )
    expect(rows).toEqual([FORGED, FORGED + 1, FORGED + 2, LATER].map((seq) => ({ seq })))
  })
})

it('the list of unexplained entries waits for a transaction that is adding entries', async () => {
  const { warehouse } = stage
  let entered = (): void => {}
  const added = new Promise<void>((resolve) => (entered = resolve))
  const adding = warehouse.transaction(async (tx) => {
    await addEntries(tx, ACCOUNT, [erasureOn('a-2')])
    entered()
    await untilOneWaits()
  })
  await added
  const found = find()
  await adding
  expect((await found).entries).toHaveLength(1)
})

async function untilOneWaits(): Promise<void> {
  const { db } = stage.warehouse
  for (let tries = 0; tries < 500; tries++) {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    if (rows.length > 0) return
    await sql`select pg_sleep(0.01)`.execute(db)
  }
  throw new Error('nobody waits')
}
