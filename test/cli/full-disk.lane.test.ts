import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storedFiles } from '../helpers/archive-files.ts'
import { noSmallDisk, openSmallDisk, type SmallDisk } from '../helpers/small-disk.ts'
import { openBucket } from '../store/bucket.ts'
import { type Ended, openWorkbench, type Workbench } from './workbench.ts'

/** About 150 small files and 40 large ones, with 4 MB in total. */
const SIZES = {
  users: 5,
  sessions: 5,
  whiteboards: 20,
  activities: 200,
  recordings: 30,
  numbers: 5,
}
const FILES = 'files: true, recordings: true, recordingsDays: 3000'
const SMALL_KB = 900
const LARGE_KB = 20_000
const DAYS = ['--from', '2026-01-01', '--to', '2026-12-31']

const missing = noSmallDisk()
const title = missing === undefined ? '' : `, which is NOT TRIED here: ${missing}`

describe.skipIf(missing !== undefined)(`a full disk${title}`, () => {
  let bench: Workbench
  let disk: SmallDisk
  beforeEach(async () => {
    disk = await openSmallDisk(SMALL_KB)
    bench = await openWorkbench({ sizes: SIZES, recordingBytes: 200_000 })
  })
  afterEach(async () => {
    await bench.close()
    await disk.close()
  })

  const run = (...args: string[]): Promise<Ended> =>
    bench.startWith({ within: disk.within(bench.folder) }, ...args).ended
  const place = () => join(disk.folder, 'archive', 'main')
  const stored = () => storedFiles(join(disk.seen, 'archive', 'main'))
  const configure = (archive: string, ...more: string[]): void =>
    bench.configure({ top: [`archive: {${FILES}, ${archive}}`, ...more] })

  it('stops archiving without partial files; the files are fetched once there is room', async () => {
    configure(`directory: ${disk.folder}/archive`)
    const full = await run('sync', 'whiteboard-archives', 'recordings', '--json')
    expect(full.code).toBe(4)
    expect(full.stderr).toContain(`Storing a file in ${place()}: the disk is full\n`)
    expect(full.stderr).toMatch(/^ {2}what to do: free some space/m)
    expect(full.stderr).not.toContain('api.failed')
    const before = stored()
    expect(before).toMatchObject({ wrong: [], left: [] })
    expect(before.names.length).toBeGreaterThan(5)
    const runs = (JSON.parse(full.stdout) as Synced).accounts[0]?.runs ?? []
    const files = runs.flatMap((one) => (one.files === undefined ? [] : [one.files]))
    expect(files.map(({ pending }) => pending > 0)).toEqual([true, true])
    expect(sum(files.map((one) => one.stored))).toBeGreaterThanOrEqual(before.names.length)
    // The stored files match the ledger, although the newest checkpoint's note may not have been stored.
    expect((await run('verify')).code).toBe(0)

    disk.resize(LARGE_KB)
    const more = await run('archive', '--json')
    expect(more.code).toBe(0)
    expect(JSON.parse(more.stdout)).toMatchObject({
      accounts: [{ state: 'complete', files: { pending: 0 } }],
    })
    const after = stored()
    expect(after).toMatchObject({ wrong: [], left: [] })
    expect(after.names).toEqual(expect.arrayContaining(before.names))
    const verified = await run('verify', '--json')
    expect(verified.code).toBe(0)
    const [account] = (JSON.parse(verified.stdout) as Verified).accounts
    expect(account).toMatchObject({ findings: [], checked: { files: after.names.length } })
    expect(account?.notJudged.join()).not.toContain('note of the newest checkpoint')
  })

  it('makes an export fail with a message, and keeps the previous bundle', async () => {
    configure(`directory: ${bench.folder}/archive`)
    expect((await run('sync', 'whiteboard-archives')).code).toBe(0)
    disk.resize(LARGE_KB)
    const toDisk = ['audit', 'export', ...DAYS, '--out', join(disk.folder, 'out')]
    expect((await run(...toDisk)).code).toBe(0)
    const out = join(disk.seen, 'out')
    const names = readdirSync(out)
    const [name = '', ...others] = names
    expect([name.slice(-4), others]).toEqual(['.zip', []])
    const before = readFileSync(join(out, name))
    fill()
    const full = await run(...toDisk)
    expect(full.code).toBe(1)
    expect(full.stderr).toMatch(/^error: Writing reports to .*: the disk is full$/m)
    expect(full.stderr).toContain('--out')
    expect(readdirSync(out)).toEqual(names)
    expect(readFileSync(join(out, name)).equals(before)).toBe(true)
  })

  it('is not reported as a failure of the bucket if archive files are only drafted on the disk', async () => {
    const bucket = await openBucket()
    try {
      writeFileSync(join(bench.folder, 'bucket.key'), 'S3RVER', { mode: 0o600 })
      const keys = 'accessKeyId: S3RVER, secretAccessKey: "file:bucket.key"'
      const s3 = `s3: {bucket: archive-bucket, endpoint: "${bucket.endpoint}", ${keys}}`
      configure(`store: s3, ${s3}`, `stateDirectory: ${disk.folder}/state`)
      fill()
      const keyless = await run('init')
      expect(keyless).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/the disk is full$/m),
      })
      expect(keyless.stderr).toContain(`Using ${disk.folder}/state/`)
      rmSync(join(disk.seen, 'filler'))
      expect((await run('init')).code).toBe(0)
      fill()
      const drafts = join(disk.folder, 'state', 'drafts', 'main')
      const full = await run('sync', 'whiteboard-archives')
      expect(full).toMatchObject({ code: 4 })
      expect(full.stderr).toContain(`Storing a draft for the bucket in ${drafts}: the disk is full`)
      expect(full.stderr).toContain('stateDirectory')
      expect(full.stderr).not.toContain('api.failed')
      expect(readdirSync(join(disk.seen, 'state', 'drafts', 'main'))).toEqual([])
      disk.resize(LARGE_KB)
      expect((await run('archive', '--json')).code).toBe(0)
      expect(readdirSync(join(disk.seen, 'state', 'drafts', 'main'))).toEqual([])
    } finally {
      await bucket.close()
    }
  })

  /** Fills the disk completely. */
  function fill(): void {
    const block = Buffer.alloc(2 ** 20)
    const fillOn = (): void => {
      for (;;) appendFileSync(join(disk.seen, 'filler'), block)
    }
    expect(fillOn).toThrow('ENOSPC')
  }
})

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

interface Synced {
  accounts: { runs: { files?: { stored: number; pending: number } }[] }[]
}

interface Verified {
  accounts: { notJudged: string[] }[]
}
