import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createS3Lake } from '../../../src/store/s3-lake.ts'
import { openWorld, TINY, type World } from '../../helpers/world.ts'
import { openBucket } from '../../store/bucket.ts'
import { exportStream, inMillis, rowsInTable, rowsOfReader } from './lake-stage.ts'
import { rowsInLake, servedLake } from './read-lake.ts'

let stage: { world: World; directory: string }
beforeAll(async () => {
  const world = await openWorld({ sizes: TINY })
  await world.sync()
  stage = { world, directory: await mkdtemp(join(tmpdir(), 'callsheet-lake-')) }
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await stage.world.close()
  await rm(stage.directory, { recursive: true })
})

it('a lake in a bucket has the rows of Postgres, and an export names a missing bucket', async () => {
  const bucket = await openBucket()
  const options = bucket.options('', { prefix: 'our/lake' })
  const lake = createS3Lake(options)
  vi.stubGlobal('fetch', servedLake(lake, fetch))
  try {
    const name = 'session_reports'
    const before = await rowsInTable(stage.world, name)
    await exportStream({ ...stage, lake }, name)
    await sql`update svc.session_reports set session_name = session_name || ' again'`.execute(
      stage.world.warehouse.db,
    )
    const done = await exportStream({ ...stage, lake }, name)
    const tableUrl = `s3://${options.bucket}/our/lake/svc/${name}`
    expect(done).toMatchObject({ location: tableUrl, snapshot: { version: 2 } })
    const expected = inMillis(await rowsInTable(stage.world, name))
    expect(rowsOfReader(await rowsInLake(tableUrl), name)).toEqual(expected)
    expect(rowsOfReader(await rowsInLake(tableUrl, 1), name)).toEqual(inMillis(before))
    expect(await exportStream({ ...stage, lake }, name)).toMatchObject({ snapshot: undefined })
    const none = createS3Lake({ ...options, bucket: 'nowhere' })
    await expect(exportStream({ ...stage, lake: none }, name)).rejects.toMatchObject({
      code: 'store_missing',
    })
  } finally {
    await bucket.close()
  }
})
