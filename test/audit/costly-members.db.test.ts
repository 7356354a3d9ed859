import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import type { SigningKey } from '../../src/evidence/log/signing-key.ts'
import { signSums } from '../evidence/sign-anew.ts'
import { fillStage, openEvidenceStage } from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { type Members, readMembers, writeMembers } from '../helpers/rewrite-zip.ts'

/** Compresses a thousand to one, and no line of it is valid in a bundle. */
const LINES = Buffer.alloc(2 ** 19, '\n')
const RECORDS = 'records/whiteboard_activities.ndjson'

let folder: string
let key: SigningKey
let members: Members
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-costly-'))
  const stage = await openEvidenceStage()
  key = stage.key
  await fillStage(stage)
  await stage.append()
  await exportStage(stage, join(folder, 'whole.zip'))
  members = await readMembers(join(folder, 'whole.zip'))
  await stage.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

const path = (): string => join(folder, 'costly.zip')

async function verified(change: (all: Members) => void = () => undefined) {
  const all = new Map(members)
  change(all)
  await writeMembers(path(), all)
  return await checked()
}

async function checked() {
  const { findings, findingCount, notJudged } = await verifyBundle(path(), {
    key: key.publicKey.fingerprint,
    account: 'main',
  })
  const found = findings.map(({ code, what }) => `${code} ${what}`)
  return { found, findingCount, notJudged }
}

const said = (all: Members) =>
  JSON.parse(all.get('bundle.json')?.toString() ?? '') as { sizes?: Record<string, number> }

describe('a member missing from the signed sums', () => {
  it.each([
    'records/whiteboard_boards.ndjson',
    `records/${'a'.repeat(64)}.json`,
    `files/${'b'.repeat(64)}`,
    'anchors/000009.note',
    'anchors/000001.txt',
    'manifest.ndjson.bak',
  ])('is reported but not read: %s', async (name) => {
    expect(await verified((all) => void all.set(name, LINES))).toMatchObject({
      found: [`member_extra ${name}`],
      findingCount: 1,
    })
  })

  it('is not unpacked, so that a broken member causes no further finding', async () => {
    const name = 'records/whiteboard_boards.ndjson'
    await writeMembers(
      path(),
      new Map(members).set(name, Buffer.from('packed, then broken '.repeat(99))),
    )
    const zip = readFileSync(path())
    const at = zip.indexOf(name) + name.length
    zip.fill(0xff, at, at + 8)
    writeFileSync(path(), zip)
    expect((await checked()).found).toEqual([`member_extra ${name}`])
  })

  it('is not read if only unsigned sums name it', async () => {
    const { found, findingCount, notJudged } = await verified((all) => {
      all.set('records/whiteboard_boards.ndjson', LINES)
      const signature = all.get('SHA256SUMS.sig') ?? Buffer.alloc(0)
      signSums(all, key)
      all.set('SHA256SUMS.sig', signature)
    })
    expect({ found, findingCount }).toEqual({
      found: ['signature_wrong SHA256SUMS'],
      findingCount: 1,
    })
    expect(notJudged).toContainEqual(expect.stringMatching(/^Anything in the bundle/))
  })

  it('is reported each time, even among thousands', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => [`x/${n}`, Buffer.alloc(0)] as const)
    const { findingCount } = await verified((all) => {
      for (const [name, content] of many) all.set(name, content)
    })
    expect(findingCount).toBe(many.length)
  })
})

describe('a member larger than its signed size', () => {
  it.each([RECORDS, 'manifest.ndjson', 'files.ndjson', 'README.txt'])(
    'is read only up to its signed size: %s',
    async (name) => {
      const bytes = members.get(name)?.length ?? 0
      const { found, findingCount } = await verified((all) => void all.set(name, LINES))
      expect(found).toContain(`member_changed ${name}`)
      expect(findingCount).toBeLessThanOrEqual(bytes + 50)
    },
  )

  it('is also reported as a changed file, if it is an archived file', async () => {
    const name = [...members.keys()].find((one) => one.startsWith('files/')) ?? ''
    const { found } = await verified((all) => void all.set(name, LINES))
    expect(found).toHaveLength(2)
    expect(found).toContainEqual(expect.stringMatching(`^file_changed ${name}, of whiteboard_act`))
    expect(found).toContain(`member_changed ${name}`)
  })

  it('is read only up to the size that the zip file declares, if that size is too small', async () => {
    const length = members.get(RECORDS)?.length ?? 0
    await writeMembers(path(), new Map(members).set(RECORDS, LINES))
    const zip = readFileSync(path())
    const size = Buffer.alloc(4)
    size.writeUInt32LE(LINES.length)
    for (let at = zip.indexOf(size); at >= 0; at = zip.indexOf(size, at + 4))
      zip.writeUInt32LE(length, at)
    writeFileSync(path(), zip)
    const { found, findingCount } = await checked()
    expect(found).toContain(`member_unreadable ${RECORDS}`)
    expect(findingCount).toBeLessThanOrEqual(length + 50)
  })

  it('is not read to its end after thousands of findings, even if it is signed', async () => {
    const { found, findingCount } = await verified((all) => {
      all.set('manifest.ndjson', LINES)
      const facts = said(all)
      const sizes = { ...facts.sizes, 'manifest.ndjson': LINES.length }
      all.set('bundle.json', Buffer.from(JSON.stringify({ ...facts, sizes })))
      signSums(all, key)
    })
    expect(found.length).toBeGreaterThan(900)
    expect(findingCount).toBeLessThan(5_000)
  })
})
