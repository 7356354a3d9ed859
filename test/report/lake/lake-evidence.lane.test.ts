import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLakeFolder } from '../../../src/store/lake-folder.ts'
import { erase } from '../../erasure/stage.ts'
import { openWorld, TINY } from '../../helpers/world.ts'
import { account, exportStream, type LakeStage, verifyLake } from './lake-stage.ts'

let stage: LakeStage
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callsheet-lake-'))
  const world = await openWorld({ sizes: TINY, archive: {} })
  await world.sync()
  stage = { world, lake: createLakeFolder(join(folder, 'lake')), directory: join(folder, 'out') }
})
afterAll(async () => {
  await stage.world.close()
  await rm(folder, { recursive: true })
})

const metadataFolder = () => join(folder, 'lake/svc/users/metadata')

const verify = () => verifyLake(stage)

describe('a snapshot in the evidence log', () => {
  it('is the entry that its summary names, and the next run signs it', async () => {
    const { snapshot } = await exportStream(stage, 'users')
    const { rows } = await sql<{ seq: number; subject: string; basis: string }>`
      select seq, subject, basis from callsheet.manifest where account = ${account}
      order by seq desc limit 1`.execute(stage.world.warehouse.db)
    expect(rows).toEqual([{ seq: expect.any(Number), subject: snapshot?.entry, basis: 'lake' }])
    expect(snapshot?.entry).toMatch(/^ledger\/lakes\/\d+$/)
    const text = await readFile(join(metadataFolder(), 'v1.metadata.json'), 'utf8')
    expect(JSON.parse(text).snapshots[0].summary).toMatchObject({
      'callsheet.log_entry': snapshot?.entry,
      'callsheet.whole': 'true',
    })
    await stage.world.sync()
    const { rows: signed } = await sql<{ size: number }>`select max(size) as size
      from callsheet.checkpoints where account = ${account}`.execute(stage.world.warehouse.db)
    expect(signed[0]?.size).toBeGreaterThanOrEqual(rows[0]?.seq ?? Infinity)
  })

  it('is verified with all its files', async () => {
    await exportStream(stage, 'phone_numbers')
    const { found, checked } = await verify()
    expect(found).toEqual([])
    expect(checked.lakeFiles).toBeGreaterThanOrEqual(8)
  })

  it('is named if its record is changed in the database', async () => {
    const { db } = stage.world.warehouse
    const swap = (from: string, to: string) =>
      sql`update callsheet.published_reports set params = jsonb_set(params, '{version}', ${to}::jsonb)
        where report = 'lake-export' and params ->> 'stream' = 'users'
          and params -> 'version' = ${from}::jsonb`.execute(db)
    await swap('1', '7')
    const codes = (await verify()).found.map(([code]) => code)
    expect(codes).toContain('stated_otherwise')
    await swap('7', '1')
    expect((await verify()).found).toEqual([])
  })

  it('is missing for a place that this database did not write', async () => {
    const other = { ...stage, lake: createLakeFolder(join(folder, 'elsewhere')) }
    const { lake } = stage
    stage = other
    const { found } = await verify()
    stage = { ...other, lake }
    expect(found).toEqual([['lake_unknown', join(folder, 'elsewhere')]])
  })
})

describe('a person who is erased', () => {
  it('stays in earlier snapshots, which the erasure names until somebody deals with them', async () => {
    const { rows } = await sql<{ id: string; email: string }>`select id, email from svc.users
      where account = ${account} and email is not null order by id desc limit 1`.execute(
      stage.world.warehouse.db,
    )
    const { id = '', email = '' } = rows[0] ?? {}
    const [erased] = await erase(stage.world, { persons: [id] })
    const users = join(folder, 'lake/svc/users')
    expect(erased?.outcome.reports.undecided).toEqual(
      expect.arrayContaining([
        { file: users, why: expect.stringMatching(/^its snapshots may have/) },
      ]),
    )
    const named = erased?.outcome.reports.undecided.filter(({ file }) => file === users)
    expect(named).toHaveLength(1)
    await rm(users, { recursive: true })
    const [again] = await erase(stage.world, { settled: true })
    expect(again?.outcome.reports.settled.map(({ file }) => file)).toContain(users)
    expect(await exportStream(stage, 'users')).toMatchObject({ snapshot: { version: 1 } })
    const files = await readdir(users, { recursive: true, withFileTypes: true })
    const contents = await Promise.all(
      files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name))),
    )
    expect(contents.length).toBeGreaterThan(4)
    expect(contents.filter((bytes) => bytes.includes(email))).toEqual([])
    const { found, notJudged } = await verify()
    expect(found).toEqual([])
    expect(notJudged).toContainEqual(expect.stringMatching(/^Whether 1 snapshots? of an earlier/))
  })
})
