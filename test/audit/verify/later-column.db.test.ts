import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrations } from '../../../src/account/migrations.ts'
import { migrate } from '../../../src/warehouse/migrate.ts'
import {
  ACCOUNT,
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
  await migrate(stage.warehouse, { ...migrations, '9999_later': LATER })
})
afterAll(() => stage.close())

/** A table whose records have entries of their own, and one whose rows have none. */
const TABLES = ['whiteboard_activities', 'whiteboard_participants'] as const
const LATER = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const schema of ['svc', 'history'])
      for (const table of TABLES)
        await sql`alter table ${sql.table(`${schema}.${table}`)}
          add column later text, add column later_still bytea`.execute(db)
  },
}

const found = async () =>
  (await stage.verify()).findings.map(({ code, what }) => `${code} ${what}`).toSorted()
const write = (...statements: string[]) =>
  statingRows({ ...stage, account: ACCOUNT }, async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx)
  })
/** Changes a table without a statement, verifies, and reverts the change; returns the changed rows found. */
const tamper = async (table: string, change: string, back: string) => {
  await stage.warehouse.withClient((client) => client.query(`update svc.${table} set ${change}`))
  const said = await found()
  await stage.warehouse.withClient((client) => client.query(`update svc.${table} set ${back}`))
  return said.filter((text) => text.startsWith('row_changed'))
}

it.each(TABLES)(
  'a column added by a later migration does not change the statements about %s',
  async (table) => {
    expect(await found()).toEqual([])
    await write(`update svc.${table} set later = '', later_still = '\\xffffffff00000011ffffffff'
    where session_id = 's-1'`)
    await write(`update svc.${table} set later_still = null where session_id = 's-1'`)
    await write(`update svc.${table} set later = null where session_id = 's-1'`)
    await write(
      `update svc.${table} set later_still = '\\x00000011ffffffff' where session_id = 's-1'`,
    )
    expect(await found()).toEqual([])
  },
)

it.each(TABLES)(
  'verify finds unstated changes to %s after a migration added a column',
  async (table) => {
    const rows = await sql`select from ${sql.table(`svc.${table}`)}`.execute(stage.warehouse.db)
    const each = rows.rows.length
    expect(each).toBeGreaterThan(1)
    expect(await tamper(table, `_run_id = _run_id + 7`, `_run_id = _run_id - 7`)).toHaveLength(each)
    expect(await tamper(table, `later = 'x'`, `later = null`)).toHaveLength(each)
  },
)
