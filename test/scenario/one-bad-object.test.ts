import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { fileRows, untrueFiles } from '../helpers/archive-files.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { type LockingServer, refuse, serveLocking } from '../store/locking-server.ts'

let bucket: LockingServer
let world: World
const folder = mkdtempSync(join(tmpdir(), 'callsheet-object-'))
beforeAll(async () => {
  bucket = await serveLocking()
  writeFileSync(join(folder, 'key'), 'S3RVER', { mode: 0o600 })
  const s3 = {
    bucket: 'archive-bucket',
    endpoint: bucket.endpoint,
    accessKeyId: 'S3RVER',
    secretAccessKey: `file:${join(folder, 'key')}`,
  }
  world = await openWorld({ sizes: TINY, archive: { files: true, store: 's3', s3 } })
})
afterAll(async () => {
  await world.close()
  await bucket.close()
  rmSync(folder, { recursive: true })
})

const sync = async () => (await world.sync({ jobs: [whiteboardArchives] }))[0]

it('one refused object does not stop other files from being stored', async () => {
  const [bad] = [...world.sandbox.files('activity')].filter(({ sha256 }) => sha256 !== undefined)
  for (const [status, code] of [
    [403, 'AccessDenied'],
    [500, 'InternalError'],
    [400, 'BadDigest'],
  ] as const) {
    bucket.disturb = (request, response) => {
      if (request.url?.includes(bad?.sha256 ?? 'none') !== true) return false
      refuse(response, status, code)
      return true
    }
    const run = await sync()
    expect(run).toMatchObject({ state: 'incomplete', files: { pending: 1 } })
    expect(run?.problems.join()).toContain('could not be downloaded')
    const rows = await fileRows(world.warehouse)
    expect(rows.filter(({ state }) => state === 'pending')).toMatchObject([{ item: bad?.item }])
    expect(rows.filter(({ state }) => state === 'stored').length).toBeGreaterThan(10)
  }
  bucket.disturb = undefined
  expect(await sync()).toMatchObject({ state: 'complete', files: { stored: 1, pending: 0 } })
  expect((await untrueFiles(world.warehouse, world.sandbox)).untrue).toEqual([])
})

it('an unavailable bucket stops the downloads, and the next run resumes them', async () => {
  await world.mutate({ seed: 3 })
  bucket.disturb = (_request, response) => {
    refuse(response, 403, 'AccessDenied')
    return true
  }
  const run = await sync()
  expect(run?.state).toBe('incomplete')
  expect(run?.problems.join()).toContain('grant the key the rights')
  bucket.disturb = undefined
  expect((await sync())?.state).toBe('complete')
})
