import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { emptyDatabase } from '../helpers/database.ts'
import { fillStage, openEvidenceStage } from '../helpers/evidence-stage.ts'

/** The folder of the server's programs, which packages install together with pg_dump. */
const PROGRAMS = process.env.CALLSHEET_TEST_POSTGRES

it.runIf(PROGRAMS !== undefined)('rows restored from a dump match their log entries', async () => {
  const stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
  const database = await emptyDatabase()
  const run = (name: string, args: string[], input = '') => {
    const done = spawnSync(join(PROGRAMS ?? '', name), args, { input, encoding: 'utf8' })
    expect({ name, status: done.status, stderr: done.stderr }).toMatchObject({ status: 0 })
    return done.stdout
  }
  // The dump has grants for roles. They exist, because the server is the same.
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
