import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { emptyDatabase } from '../helpers/database.ts'
import { fillStage, openEvidenceStage } from '../helpers/evidence-stage.ts'

/** Where the server has it beside it, as a package installs both. */
const PROGRAMS = process.env.CALLSHEET_TEST_POSTGRES

it.runIf(PROGRAMS !== undefined)('a dump restored has rows as they were stated', async () => {
  const stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
  const database = await emptyDatabase()
  const run = (name: string, args: string[], input = '') => {
    const done = spawnSync(join(PROGRAMS ?? '', name), args, { input, encoding: 'utf8' })
    expect({ name, status: done.status, stderr: done.stderr }).toMatchObject({ status: 0 })
    return done.stdout
  }
  // What the template was cloned from has grants for roles of this server, which is the same one.
  const dumped = run('pg_dump', [stage.databaseUrl])
  run('psql', ['-q', '-v', 'ON_ERROR_STOP=1', database.url], dumped)
  const { directory, store, pem } = stage
  const restored = await openEvidenceStage(database, { directory, store, pem })
  expect((await restored.verify()).findings).toEqual([])
  await sql`update svc.whiteboard_activities set _run_id = 9 where id = 'a-2'`.execute(
    restored.warehouse.db,
  )
  expect((await restored.verify()).findings.length).toBeGreaterThan(0)
  await restored.warehouse.close()
  await database.drop()
  await stage.close()
})
