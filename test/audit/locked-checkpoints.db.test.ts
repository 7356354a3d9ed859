import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import type { BundleFacts } from '../../src/audit/proof/bundle-format.ts'
import { frozenClock, systemClock } from '../../src/core/time/clock.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { sha256Hex } from '../../src/evidence/log/digest.ts'
import { createTimestamp } from '../../src/evidence/witness/timestamp.ts'
import { createS3Store } from '../../src/store/s3-store.ts'
import { edit, signSums } from '../evidence/sign-anew.ts'
import {
  addRun,
  addSession,
  type EvidenceStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { type Members, readMembers, writeMembers } from '../helpers/rewrite-zip.ts'
import { startTimestampServer } from '../helpers/timestamp-server.ts'
import { bucketAt } from '../store/bucket.ts'
import { type LockingServer, serveLocking } from '../store/locking-server.ts'

const NOW = Date.parse('2026-07-08T02:30:00Z')
const UNTIL = new Date(NOW + 30 * DAY_MS).toISOString()
/** The bucket's key of the note of the first (1) or second (2) checkpoint. */
const noteKey = (number: number) => `callsheet/main/notes/checkpoint-${sizes[number - 1]}`
const anchorOf = (number: number) => `anchors/${sizes[number - 1]}`

let folder: string
let server: LockingServer
let stage: EvidenceStage
let sizes: string[]
/** Signs two checkpoints, both locked in the bucket. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-locked-'))
  server = await serveLocking()
  stage = await openEvidenceStage(undefined, { store: storeWith(30) })
  for (const id of ['s-1', 's-2']) {
    await addSession(stage, { runId: await addRun(stage), id })
    const { signed, problems } = await stage.append({ locked: true })
    await noteSizes()
    if (signed !== 1 || problems.length > 0) throw new Error(`signed ${signed}: ${problems.join()}`)
  }
})
afterAll(async () => {
  await stage.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

const storeWith = (lockDays: number | undefined) =>
  createS3Store(
    bucketAt(server.endpoint, folder).options('main', { clock: frozenClock(NOW), lockDays }),
  )

async function noteSizes(): Promise<void> {
  const notes = (await stage.store.listNotes()).filter((name) => /^checkpoint-\d+$/.test(name))
  sizes = notes.toSorted().map((name) => name.slice('checkpoint-'.length))
}

async function exported(): Promise<Members> {
  const path = join(folder, 'whole.zip')
  expect((await exportStage(stage, path)).problems).toEqual([])
  return await readMembers(path)
}

async function verified(members: Members) {
  const path = join(folder, 'changed.zip')
  await writeMembers(path, members)
  const { checkpoint } = JSON.parse(String(members.get('bundle.json'))) as BundleFacts
  const { findings, notJudged } = await verifyBundle(path, {
    key: stage.key.publicKey.fingerprint,
    checkpoint,
  })
  return { found: findings.map(({ code, what, ...rest }) => [code, what, rest]), notJudged }
}

describe('a bundle with checkpoints locked in a bucket', () => {
  it('states each lock’s place and end, and that only the bucket can confirm it', async () => {
    const members = await exported()
    for (const number of [1, 2])
      expect(
        members
          .get(`${anchorOf(number)}.txt`)
          ?.toString()
          .split('\n'),
      ).toEqual([
        `object: s3://archive-bucket/${noteKey(number)}`,
        `endpoint: ${server.endpoint}`,
        `version: v1`,
        `locked until: ${UNTIL}`,
        `sha256: ${sha256Hex(members.get(`${anchorOf(number)}.note`) ?? '')}`,
        '',
      ])
    expect(await verified(members)).toEqual({
      found: [],
      notJudged: [
        'Whether a bucket really locks the checkpoints (2): ask its owner, or follow CHECK.txt.',
      ],
    })
  })

  it('explains how a third party can fetch the locked note from the bucket', async () => {
    const members = await exported()
    const steps = members.get('CHECK.txt')?.toString() ?? ''
    const hash = sha256Hex(members.get(`${anchorOf(2)}.note`) ?? '')
    const one = `--bucket archive-bucket --key ${noteKey(2)} --version-id v1`
    expect(steps).toContain(`${hash}\n     aws s3api get-object ${one}`)
    expect(steps).toContain(`aws s3api head-object ${one} --endpoint-url ${server.endpoint}`)
    // Sends the request of such a tool, without our code.
    const answer = await fetch(`${server.endpoint}/archive-bucket/${noteKey(2)}?versionId=v1`)
    expect(sha256Hex(Buffer.from(await answer.arrayBuffer()))).toBe(hash)
  })

  const changing = (change: (text: string) => string) => (all: Members) =>
    edit(`${anchorOf(1)}.txt`, change)(all)
  it.each<[string, (all: Members) => void, RegExp | string]>([
    ['changed', changing((text) => text.replace(/: (.)(.{63})$/m, ': $2$1')), /^[0-9a-f]{64}$/],
    [
      'replaced by the record of another checkpoint',
      (all) => void all.set(`${anchorOf(1)}.txt`, all.get(`${anchorOf(2)}.txt`) ?? Buffer.alloc(0)),
      /^[0-9a-f]{64}$/,
    ],
    [
      'pointed at another object',
      changing((text) => text.replace(noteKey(1), noteKey(2))),
      /^s3:\/\/archive-bucket\/callsheet\/main\/notes\/checkpoint-/,
    ],
    [
      'given an invalid end time',
      changing((text) => text.replace(/until: .*/, `until: ${'-'.repeat(24)}`)),
      'not in the form that Callsheet writes',
    ],
    ['emptied', changing(() => ''), 'not in the form that Callsheet writes'],
  ])(
    'reports a lock record that was %s, even if the bundle is signed again with the key',
    async (_what, change, came) => {
      const members = await exported()
      change(members)
      const found = typeof came === 'string' ? came : (expect.stringMatching(came) as string)
      const wrong = [
        'anchor_wrong',
        `${anchorOf(1)}.txt`,
        { expected: expect.any(String) as string, found },
      ]
      const bare = await verified(members)
      expect(bare.found).toContainEqual(wrong)
      expect(bare.found.map(([code]) => code)).toContain('member_changed')
      signSums(members, stage.key)
      expect((await verified(members)).found).toEqual([wrong])
    },
  )
})

describe('verify with checkpoints locked in a bucket', () => {
  it('asks the bucket whether it locks the checkpoints', async () => {
    expect(await stage.verify()).toMatchObject({ findings: [], checked: { anchors: 2 } })
    const { findings, checked, notJudged } = await stage.verify({ store: otherStore() })
    expect({ findings, anchors: checked.anchors }).toEqual({ findings: [], anchors: 0 })
    expect(notJudged.join()).toContain('the configured store is another one')
  })

  it('does not judge the locks of a bucket of the same name at another address', async () => {
    const at = (endpoint: string) =>
      stage.verify({ store: createS3Store(bucketAt(endpoint, folder).options('main', {})) })
    const renamed = await at(server.endpoint.replace('127.0.0.1', 'localhost'))
    expect(renamed).toMatchObject({ findings: [], checked: { anchors: 2 } })
    const other = await serveLocking()
    const { findings, checked, notJudged } = await at(other.endpoint)
    await other.close()
    expect(findings.filter(({ code }) => code === 'anchor_wrong')).toEqual([])
    expect(checked.anchors).toBe(0)
    expect(notJudged.join()).toContain('has another address')
  })

  it('reports a shortened lock and a missing object', async () => {
    const [version] = server.versions.get(noteKey(1)) ?? []
    if (version === undefined) throw new Error('no version')
    const { lockedUntilMs } = version
    version.lockedUntilMs = NOW
    const { findings } = await stage.verify()
    expect(findings).toMatchObject([
      { code: 'anchor_wrong', expected: `version v1, locked until ${UNTIL}` },
    ])
    version.lockedUntilMs = lockedUntilMs
    // Somebody added a newer version; the locked version still exists.
    server.versions.set(noteKey(1), [
      version,
      { id: 'v2', body: Buffer.from('x'), lockedUntilMs: 0 },
    ])
    expect((await stage.verify()).findings).toMatchObject([{ code: 'note_differs' }])
    server.versions.set(noteKey(1), [{ ...version, id: 'v9' }])
    expect((await stage.verify()).findings).toMatchObject([
      { code: 'anchor_wrong', found: 'no such object' },
    ])
    server.versions.set(noteKey(1), [version])
    expect((await stage.verify()).findings).toEqual([])
  })

  const otherStore = () =>
    createS3Store(bucketAt(server.endpoint, folder).options('main', { bucket: 'another' }))
})

describe('a checkpoint that the bucket does not lock', () => {
  it('is reported, and is not in a bundle until the bucket locks it', async () => {
    await addSession(stage, { runId: await addRun(stage), id: 's-3' })
    const bare = await stage.append({ locked: true, store: storeWith(undefined) })
    expect(bare.problems).toEqual([
      expect.stringMatching(/did not confirm the lock of the checkpoint over \d+ entries/),
    ])
    await noteSizes()
    expect((await exported()).has(`${anchorOf(3)}.txt`)).toBe(false)
    expect(await stage.append({ locked: true })).toMatchObject({ signed: 0, problems: [] })
    expect((await exported()).has(`${anchorOf(3)}.txt`)).toBe(true)
    expect((await stage.verify()).findings).toEqual([])
  })
})

describe('a bundle whose checkpoint has a time stamp', () => {
  it('says that the stamp’s signer is unknown, and reports a stamp of another checkpoint', async () => {
    const service = await startTimestampServer()
    const timestamp = createTimestamp({ url: service.url, clock: systemClock })
    for (const id of ['s-4', 's-5']) {
      await addSession(stage, { runId: await addRun(stage), id })
      expect(await stage.append({ locked: true, timestamp })).toMatchObject({ problems: [] })
    }
    await service.close()
    await noteSizes()
    const members = await exported()
    const steps = String(members.get('CHECK.txt'))
    expect(steps).toContain(`-in ${anchorOf(5)}.tsr `)
    expect(steps).toMatch(/^5\. A time-stamp [^]*^6\. A bucket keeps a checkpoint /m)
    const whole = await verified(members)
    expect(whole).toEqual({
      found: [],
      notJudged: [
        expect.stringMatching(/^Who made the 2 time stamps, signed as CN=/),
        expect.stringMatching(/^Whether a bucket really locks the checkpoints \(5\)/),
      ],
    })
    members.set(`${anchorOf(4)}.tsr`, members.get(`${anchorOf(5)}.tsr`) ?? Buffer.alloc(0))
    signSums(members, stage.key)
    expect((await verified(members)).found).toEqual([
      ['anchor_wrong', `${anchorOf(4)}.tsr`, expect.anything()],
      ['anchor_wrong', `${anchorOf(4)}.tsr`, expect.anything()],
    ])
  })
})
