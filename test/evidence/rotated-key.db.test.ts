import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import { sha256Hex } from '../../src/evidence/log/digest.ts'
import { headLine, readHead } from '../../src/evidence/log/head.ts'
import type { SigningKey } from '../../src/evidence/log/signing-key.ts'
import {
  addRun,
  addSession,
  type EvidenceStage,
  newKey,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { type Members, readMembers, writeMembers } from '../helpers/rewrite-zip.ts'
import { edit, signSums } from './sign-anew.ts'

let folder: string
let stage: EvidenceStage
/** Of the first head; the second is by the key that followed. */
let before: SigningKey
let key: SigningKey
let members: Members
let problems: string[]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-rotated-'))
  stage = await openEvidenceStage()
  before = stage.key
  key = newKey()
  await addSession(stage, { runId: await addRun(stage), id: 's-1' })
  await stage.append()
  await addSession(stage, { runId: await addRun(stage), id: 's-2' })
  await stage.append({ key, previousKeys: [before.publicKey.fingerprint] })
  const path = join(folder, 'whole.zip')
  const previousKeys = [before.publicKey.fingerprint]
  ;({ problems } = await exportStage(stage, path, { key, previousKeys }))
  members = await readMembers(path)
})
afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true })
})

async function verified(all: Members) {
  const path = join(folder, 'changed.zip')
  await writeMembers(path, all)
  const { findings } = await verifyBundle(path, { key: key.publicKey.fingerprint })
  return findings.map(({ code, what }) => `${code} ${what}`).toSorted()
}

/** What a stranger does who has a bundle and a key of his own: the newest head by that key. */
function forged(other: SigningKey): Members {
  const all = new Map(members)
  const { fingerprint, pem } = other.publicKey
  const head = readHead(all.get('heads/000002.json')?.toString() ?? '')
  const line = JSON.stringify({ ...head, key: fingerprint })
  all.set('heads/000002.json', Buffer.from(line))
  all.set('heads/000002.sig', other.sign(line))
  all.set(`keys/${fingerprint}.pem`, Buffer.from(pem))
  return all
}

describe('a bundle made after the key was changed', () => {
  it('holds the key of before, and is right under the new one', async () => {
    expect(members.has(`keys/${before.publicKey.fingerprint}.pem`)).toBe(true)
    expect(problems).toEqual([])
    expect(await verified(members)).toEqual([])
  })

  it('believes no key that its own does not vouch for', async () => {
    const other = newKey()
    const added = `keys/${other.publicKey.fingerprint}.pem`
    const all = forged(other)
    const distrusted = [`key_exchanged head 2`, `member_extra ${added}`, `signature_wrong head 2`]
    expect(await verified(all)).toEqual(expect.arrayContaining(distrusted))
    signSums(all, other)
    expect(await verified(all)).toEqual(['signature_wrong SHA256SUMS'])
  })

  it('believes no key under the name of another', async () => {
    const other = newKey()
    const name = `keys/${before.publicKey.fingerprint}.pem`
    const all = new Map(members).set(name, Buffer.from(other.publicKey.pem))
    // Also where the sums are right, as somebody made them who was shown other members.
    signSums(all, key)
    expect(await verified(all)).toEqual([
      'key_exchanged head 1',
      `key_foreign ${name}`,
      'signature_wrong head 1',
    ])
  })
})

describe('a key of before', () => {
  it('that leaked signs no newer head, also where an export took it along', async () => {
    const line = nextLine(members.get('heads/000002.json')?.toString() ?? '')
    const all = new Map(members)
    all.set('heads/000003.json', Buffer.from(line))
    all.set('heads/000003.sig', before.sign(line))
    edit('bundle.json', (text) => text.replace(/"head": "\w+"/, `"head": "${sha256Hex(line)}"`))(
      all,
    )
    signSums(all, key)
    expect(await verified(all)).toEqual([
      // Those of head 2, whose key is another one.
      'checkpoint_wrong checkpoint',
      'key_exchanged checkpoint.vkey',
      'key_exchanged head 3',
      'signature_wrong checkpoint',
    ])
  })

  it('whose head is the newest is told of, as its holder could have signed all anew', async () => {
    const other = newKey()
    const path = join(folder, 'unsigned.zip')
    const previousKeys = [key, before].map(({ publicKey }) => publicKey.fingerprint)
    await exportStage(stage, path, { key: other, previousKeys })
    const pinned = { key: other.publicKey.fingerprint }
    const { findings, notJudged, head } = await verifyBundle(path, pinned)
    expect(findings).toEqual([])
    const said = `the key of before, ${key.publicKey.fingerprint}`
    expect(notJudged).toContainEqual(expect.stringContaining(said))
    expect((await verifyBundle(path, { ...pinned, head: head?.hash })).notJudged).toEqual([])
  })

  /** A head over entries that nobody saw, after the one of the line. */
  function nextLine(line: string): string {
    const head = readHead(line)
    if (head === undefined) throw new Error('no head')
    const { number, last, key: same, ...rest } = head
    expect(same).toBe(key.publicKey.fingerprint)
    const next = { number: number + 1, first: last + 1, last: last + 1, prev_head: sha256Hex(line) }
    return headLine({ ...rest, ...next, key: before.publicKey.fingerprint })
  }
})

describe('an export', () => {
  it('vouches for no key that the configuration does not name', async () => {
    const path = join(folder, 'strange.zip')
    const strange = await exportStage(stage, path, { key })
    const { fingerprint } = before.publicKey
    expect(strange.problems).toEqual([
      expect.stringContaining(`head 1 is signed by the key ${fingerprint}`),
    ])
    const all = await readMembers(path)
    expect([...all.keys()].filter((name) => name.startsWith('keys/'))).toEqual([])
    expect(await verified(all)).toEqual(['key_exchanged head 1', 'signature_wrong head 1'])
  })
})
