import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../../src/account/catalog.ts'
import { createLakeFolder } from '../../../src/store/lake-folder.ts'
import { openWorld, TINY } from '../../helpers/world.ts'
import { exportStream, type LakeStage, verifyLake } from '../../report/lake/lake-stage.ts'
import { LAKE } from './lake.ts'
import { asFound } from './tamper.ts'

const NAME = 'session_reports'

let stage: LakeStage
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callsheet-lake-'))
  const world = await openWorld({ sizes: TINY })
  await world.sync({ jobs: jobs.filter(({ name }) => name === 'session-reports') })
  stage = { world, lake: createLakeFolder(join(folder, 'lake')), directory: join(folder, 'out') }
  await exportStream(stage, NAME)
  await sql`update svc.session_reports set duration = 1 where id in
    (select min(id) from svc.session_reports)`.execute(world.warehouse.db)
  await exportStream(stage, NAME)
  await cp(join(folder, 'lake'), join(folder, 'untouched'), { recursive: true })
}, 120_000)
afterAll(async () => {
  await stage.world.close()
  await rm(folder, { recursive: true })
})

/** The findings about the lake, in order. */
const found = async () =>
  (await verifyLake(stage)).findings
    .filter(({ code }) => code.startsWith('lake_'))
    .map(({ code, what }) => ({ code, what }))
    .toSorted((a, b) => (`${a.code} ${a.what}` < `${b.code} ${b.what}` ? -1 : 1))

describe('verify --lake', () => {
  it('finds nothing in an unchanged lake', async () => {
    expect(await found()).toEqual([])
  })

  it.each(LAKE)('reports exactly the expected findings: %s', async (_name, does, expected) => {
    await does(join(folder, 'lake/svc', NAME))
    expect(await found()).toEqual(asFound(expected))
    await rm(join(folder, 'lake'), { recursive: true })
    await cp(join(folder, 'untouched'), join(folder, 'lake'), { recursive: true })
  })
})
