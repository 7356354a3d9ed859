import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../src/evidence/log/digest.ts'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import { createS3Store } from '../../src/store/s3-store.ts'
import {
  type EvidenceStage,
  FILLED,
  fillStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { bucketAt } from './bucket.ts'
import { type LockingServer, refuse, serveLocking } from './locking-server.ts'

const [ODD, FLIPPED] = ['file of s-1 a-1', 'file of s-1 a-2'].map(sha256Hex) as [string, string]
const NAMED = 'the file of whiteboard_activities/s-1/a-1'
const CHANGED = ['file_changed', 'the file of whiteboard_activities/s-1/a-2']
const NOTE = `the store's note of the checkpoint over ${FILLED} entries`

describe('verify of a folder', () => {
  let directory: string
  let stage: EvidenceStage
  const pathOf = (digest: string): string => join(directory, 'files', digest.charAt(0), digest)
  const noteOf = (): string => join(directory, 'notes', `checkpoint-0000${FILLED}`)
  const instead = (path: string, put: (path: string) => unknown): void => {
    rmSync(path)
    put(path)
  }
  const fifo = (path: string) => execFileSync('mkfifo', [path])
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'callsheet-odd-'))
    const store = createDirectoryStore(directory)
    stage = await openEvidenceStage(undefined, { directory, store })
    await fillStage(stage)
    await stage.append()
    writeFileSync(pathOf(FLIPPED), 'gile of s-1 a-2')
  })
  afterEach(async () => {
    await stage.store.close()
    await stage.close()
  })
  const found = async () =>
    (await stage.verify()).findings.toSorted(byCode).map(({ code, what }) => [code, what])

  it.each([
    ['folder', (path: string) => mkdirSync(path)],
    ['pipe', fifo],
    ['link', (path: string) => symlinkSync('/dev/null', path)],
  ])('names a file that was replaced by a %s, along with other findings', async (_what, put) => {
    instead(pathOf(ODD), put)
    expect(await found()).toEqual([CHANGED, ['file_missing', NAMED]])
  })

  it.each([
    ['folder', (path: string) => mkdirSync(path)],
    ['pipe', fifo],
  ])('names a note that was replaced by a %s, along with other findings', async (_what, put) => {
    instead(noteOf(), put)
    expect(await found()).toEqual([CHANGED, ['note_unreadable', NOTE]])
  })

  it('names each missing file if a folder was replaced by a file', async () => {
    const folder = join(directory, 'files', ODD.charAt(0))
    renameSync(folder, `${directory}-moved`)
    writeFileSync(folder, '')
    const findings = await found()
    rmSync(`${directory}-moved`, { recursive: true })
    expect(findings).toContainEqual(['file_missing', NAMED])
    expect(findings).toContainEqual(['folder_unreadable', `a folder of ${directory}`])
    expect(findings).toContainEqual(CHANGED)
  })
})

describe('an audit export', () => {
  it('omits a file that was replaced by a pipe, and reports this', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callsheet-odd-'))
    const store = createDirectoryStore(directory)
    const stage = await openEvidenceStage(undefined, { directory, store })
    try {
      await fillStage(stage)
      await stage.append()
      const path = join(directory, 'files', ODD.charAt(0), ODD)
      rmSync(path)
      execFileSync('mkfifo', [path])
      const { problems, facts } = await exportStage(stage, join(directory, 'odd.zip'))
      expect(facts.files).toBe(11)
      expect(problems).toEqual([
        expect.stringMatching(new RegExp(`^the store cannot read \\(.+\\) the file ${ODD}`)),
      ])
    } finally {
      await store.close()
      await stage.close()
    }
  })
})

describe('verify of a bucket', () => {
  let folder: string
  let server: LockingServer
  let stage: EvidenceStage
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'callsheet-cold-'))
    server = await serveLocking()
    const store = createS3Store(bucketAt(server.endpoint, folder).options())
    stage = await openEvidenceStage(undefined, { store })
    await fillStage(stage)
    await stage.append()
    const version = server.versions.get(`callsheet/main/${FLIPPED.slice(0, 2)}/${FLIPPED}`)?.at(-1)
    if (version === undefined) throw new Error('the bucket has no such object')
    version.body = Buffer.from('gile of s-1 a-2')
  })
  afterEach(async () => {
    await stage.close()
    await server.close()
    rmSync(folder, { recursive: true })
  })
  const refusing = (code: string): void => {
    server.disturb = ({ method, url = '' }, response) => {
      if (method !== 'GET' || !url.includes(ODD)) return false
      refuse(response, code === 'NoSuchBucket' ? 404 : 403, code)
      return true
    }
  }

  it('names an object in cold storage, along with other findings', async () => {
    refusing('InvalidObjectState')
    const { findings } = await stage.verify()
    const cold = expect.stringMatching(/^the object is in cold storage.*InvalidObjectState\]$/)
    expect(findings.toSorted(byCode)).toMatchObject([
      { code: CHANGED[0], what: CHANGED[1] },
      { code: 'file_unreadable', what: NAMED, found: cold as string },
    ])
  })

  it('fails if no object can be read', async () => {
    refusing('NoSuchBucket')
    await expect(stage.verify()).rejects.toMatchObject({ code: 'store_missing' })
  })
})

function byCode(a: { code: string }, b: { code: string }): number {
  return a.code < b.code ? -1 : 1
}
