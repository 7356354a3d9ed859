import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createS3Store } from '../../src/store/s3-store.ts'
import type { FileStore } from '../../src/store/store.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { keep, retain } from '../archive/retained.ts'
import { BUCKET, type Bucket, openBucket } from '../store/bucket.ts'
import { all } from '../store/store-contract.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
let bucket: Bucket
let warehouse: Warehouse
let store: FileStore
beforeAll(async () => {
  bench = await openWorkbench()
  bucket = await openBucket()
  bench.configure({
    top: [archiveLine([{ keepDays: 30, whiteboards: ['wb-9'] }, { keepDays: 365 }])],
  })
  warehouse = connect({ url: bench.databaseUrl })
  const temporaryDirectory = mkdtempSync(join(tmpdir(), 'callsheet-drafts-'))
  store = createS3Store(bucket.options('main', { temporaryDirectory }))
  await store.open()
  const place = { warehouse, store, account: 'main' }
  await retain(place, { session: 's1', item: 'a', content: 'one', age: 500 })
  await retain(place, { session: 's2', item: 'b', content: 'two', age: 40, whiteboard: 'wb-9' })
  await retain(place, { session: 's3', item: 'c', content: 'young', age: 10 })
})
afterAll(async () => {
  await store.close()
  await warehouse.close()
  await bucket.close()
  await bench.close()
})

function archiveLine(retention: object[]): string {
  const s3 = {
    bucket: BUCKET,
    endpoint: bucket.endpoint,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
  }
  return `archive: ${JSON.stringify({ store: 's3', s3, retention })}`
}

describe('callsheet archive hold', () => {
  it('is placed with a reason and an end date, and reports what it keeps', async () => {
    const day = ['--until', '2090-12-31']
    const reason = ['--reason', 'request of the court']
    const placed = await bench.run(
      'archive',
      'hold',
      'add',
      'case-7',
      ...reason,
      ...day,
      '--session',
      's1',
    )
    expect(placed.stdout).toContain(
      'Hold case-7 of account main now protects 1 stored files (3 bytes)',
    )
    expect(placed.code).toBe(0)
    const listed = await bench.run('archive', 'hold', 'list')
    expect(listed.stdout).toMatch(
      /main +case-7 +session s1 +\S+ +to 2090-12-31 +1 +3 bytes +\S+@\S+ +request of the court/,
    )
  })

  it.each([
    ['without a reason', ['add', 'x'], /required option '--reason/],
    [
      'with a past end date',
      ['add', 'x', '--reason', 'r', '--until', '2001-01-01'],
      /already over/,
    ],
    ['with an invalid end date', ['add', 'x', '--reason', 'r', '--until', 'soon'], /yyyy-mm-dd/],
    [
      'with an existing name',
      ['add', 'case-7', '--reason', 'r'],
      /the account has, or had, a hold of this name/,
    ],
    ['that is unknown is not released', ['release', 'case-8'], /no active hold has this name/],
  ])('%s is refused', async (_what, args, said) => {
    const { code, stderr } = await bench.run('archive', 'hold', ...args)
    expect(stderr).toMatch(said)
    expect(code).toBe(2)
  })

  it('reports that it covers nothing yet', async () => {
    const args = ['add', 'typo', '--reason', 'r', '--whiteboard', 'wb-nine']
    const { stderr, code } = await bench.run('archive', 'hold', ...args)
    expect(stderr).toContain('It covers no stored file yet')
    expect(code).toBe(0)
  })
})

describe('callsheet archive prune', () => {
  it('requires --dry-run or --yes', async () => {
    const { code, stderr } = await bench.run('archive', 'prune')
    expect(stderr).toContain('both --dry-run and --yes are missing')
    expect(code).toBe(2)
  })

  it('previews the removals with their reasons, and the holds', async () => {
    const { stdout, code } = await bench.run('archive', 'prune', '--dry-run')
    expect(stdout).toMatch(/activity a in s1 of board wb-1, 3 bytes: held by case-7 \(else archive/)
    expect(stdout).toMatch(/activity b in s2 of board wb-9, 3 bytes: goes: archive\.retention\[0\]/)
    expect(stdout).not.toContain('activity c')
    expect(code).toBe(0)
    const { accounts } = JSON.parse(
      (await bench.run('archive', 'prune', '--dry-run', '--json')).stdout,
    ) as {
      accounts: { totals: object[]; files: { item: string; verdict: string }[] }[]
    }
    expect(accounts[0]?.totals).toEqual(
      expect.arrayContaining([
        { why: expect.stringMatching(/^goes: archive\.retention\[0\]/), files: 1, bytes: 3 },
        { why: expect.stringMatching(/^held by case-7/), files: 1, bytes: 3 },
      ]),
    )
    expect(accounts[0]?.files.map(({ item, verdict }) => `${item} ${verdict}`).toSorted()).toEqual([
      'a held',
      'b goes',
    ])
    expect(await all(store)).toHaveLength(3)
  })

  it('removes the files with --yes, and held ones after their release', async () => {
    const first = await bench.run('archive', 'prune', '--yes')
    expect(first.stdout).toContain('Removed 1 file (3 bytes): archive.retention[0]')
    expect(first.stdout).toContain('Held 1 file (3 bytes) by case-7.')
    expect(await all(store)).toHaveLength(2)
    expect((await bench.run('archive', 'hold', 'release', 'case-7')).code).toBe(0)
    const { stdout } = await bench.run('archive', 'prune', '--yes', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      dryRun: false,
      accounts: [{ byRule: [{ rule: 1, files: 1, bytes: 3 }], kept: [], finished: 0 }],
    })
    expect((await all(store)).map(({ size }) => size)).toEqual([5])
  })

  it('reports that nothing may be removed without a rule', async () => {
    bench.configure({ top: [archiveLine([])] })
    const { stdout, code } = await bench.run('archive', 'prune', '--yes')
    expect(stdout).toContain('archive.retention has no rule, so nothing may be removed.')
    expect(code).toBe(0)
    expect(await all(store)).toHaveLength(1)
  })

  it('keeps and reports a file that differs from its entry, and exits with 1', async () => {
    const place = { warehouse, store, account: 'main' }
    const ours = { session: 's4', item: 'd', whiteboard: 'wb-4', age: 40 }
    await retain(place, { ...ours, content: 'as it came' })
    await retain(place, { session: 's5', item: 'e', content: 'old', age: 400 })
    bench.configure({ top: [archiveLine([{ keepDays: 365 }])] })
    const first = await bench.run('archive', 'prune', '--yes')
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('Removed 1 file')])
    const other = await keep(store, 'of somebody')
    await sql`update callsheet.files set sha256 = decode(${other}, 'hex')
      where account = 'main' and item = 'd'`.execute(warehouse.db)
    bench.configure({ top: [archiveLine([{ keepDays: 30, whiteboards: ['wb-4'] }])] })
    const { code, stdout, stderr } = await bench.run('archive', 'prune', '--yes')
    expect(stdout).toContain(
      '1 file stays, because the removal could not be recorded (first: whiteboard_activities/s4/d)',
    )
    expect(stderr).toContain('1 file changed after being recorded')
    expect(stdout).not.toContain('Removed')
    expect(code).toBe(1)
    expect(await store.size(other)).toBe('of somebody'.length)
  })
})
