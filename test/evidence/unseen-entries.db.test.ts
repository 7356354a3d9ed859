import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addEntries } from '../../src/evidence/add-entries.ts'
import { erasureOf } from '../../src/evidence/log/erased-kinds.ts'
import {
  ACCOUNT,
  ADDED,
  addRun,
  addSession,
  type EvidenceStage,
  FILLED,
  fillStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'

/** A stage with `FILLED` entries under a checkpoint. */
let stage: EvidenceStage
beforeEach(async () => {
  stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
})
afterEach(() => stage.close())

const erasureOn = (id: string) =>
  ({
    kind: 'erasure',
    subject: `whiteboard_activities/s-1/${id}`,
    ...erasureOf(['record']),
  }) as const
/** Adds an erasure entry without a key, as anyone who can write the tables could. */
async function forge(): Promise<void> {
  await stage.warehouse.transaction((tx) => addEntries(tx, ACCOUNT, [erasureOn('a-2')]))
}

/** Appends, waiting for the statement `first` of another transaction. Runs `meanwhile` then. */
async function appendBehind(first: string, meanwhile: () => Promise<void>) {
  const { pool } = stage.warehouse
  const other = await pool.connect()
  try {
    await other.query('begin')
    await other.query(first)
    const appended = stage.append()
    await untilOneWaits()
    await meanwhile()
    await other.query('rollback')
    return await appended
  } finally {
    other.release()
  }
}

async function untilOneWaits(): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query !~ 'pg_sleep'`.execute(
      stage.warehouse.db,
    )
    if (rows.length > 0) return
    await sql`select pg_sleep(0.02)`.execute(stage.warehouse.db)
  }
  throw new Error('the append waits for nothing')
}

async function signedTo(): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select max(size) as last from callsheet.checkpoints`.execute(stage.warehouse.db)
  return rows[0]?.last ?? 0
}

const codes = async () => (await stage.verify()).findings.map(({ code }) => code)

describe('an erasure entry forged with plain SQL while a checkpoint is being signed', () => {
  it('is not signed if it appears while the signing waits for another transaction', async () => {
    await addSession(stage, { runId: await addRun(stage), id: 'later' })
    const rival = `insert into callsheet.checkpoints
      select account, origin, ${FILLED + ADDED}, note, key, at from callsheet.checkpoints`
    const { signed, unexplained } = await appendBehind(rival, forge)
    expect({ signed, unexplained }).toEqual({ signed: 1, unexplained: 0 })
    expect(await stage.append()).toMatchObject({ signed: 0, unexplained: 1 })
    expect(await signedTo()).toBe(FILLED + ADDED)
    expect(await codes()).toContain('entry_unexplained')
  })

  it('is not signed if it appears between the check and the growth of the tree', async () => {
    await stage.vouch([erasureOn('a-3')])
    const tiles = 'lock table callsheet.tree_tiles in access exclusive mode'
    const { signed, unexplained } = await appendBehind(tiles, forge)
    expect({ signed, unexplained }).toEqual({ signed: 1, unexplained: 0 })
    expect(await stage.append()).toMatchObject({ signed: 0, unexplained: 1 })
    expect(await signedTo()).toBe(FILLED + 1)
    expect(await codes()).toContain('entry_unexplained')
  })
})
