import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import { readCheckpoint, signCheckpoint } from '../../src/evidence/log/checkpoint.ts'
import { verifierKey } from '../../src/evidence/log/note.ts'
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
import { signSums } from './sign-anew.ts'

let folder: string
let stage: EvidenceStage
/** The key that signed the first checkpoint; `key` signed the second. */
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

/** The bundle with its checkpoint signed by another key, as a stranger could make it. */
function forged(by: SigningKey): Members {
  const all = new Map(members)
  const log = readCheckpoint(String(all.get('checkpoint')))
  if (log === undefined) throw new Error('no checkpoint')
  all.set('checkpoint', Buffer.from(signCheckpoint(by, log)))
  all.set('checkpoint.vkey', Buffer.from(`${verifierKey(log.origin, by.publicKey)}\n`))
  return all
}

describe('a bundle made after a key rotation', () => {
  it('needs only the new key’s checkpoint, which covers all earlier entries', async () => {
    expect(problems).toEqual([])
    expect(String(members.get('older.ndjson')).trimEnd().split('\n')).toHaveLength(1)
    expect(await verified(members)).toEqual([])
  })

  it('trusts no key that its own key does not vouch for', async () => {
    const other = newKey()
    const all = forged(other)
    expect(await verified(all)).toEqual([
      'key_exchanged checkpoint.vkey',
      'member_changed checkpoint',
      'member_changed checkpoint.vkey',
      'signature_wrong checkpoint',
    ])
    signSums(all, other)
    expect(await verified(all)).toEqual(['signature_wrong SHA256SUMS'])
  })

  it('trusts no checkpoint signed by a key other than the named one', async () => {
    const all = forged(before)
    all.set('checkpoint.vkey', members.get('checkpoint.vkey') ?? Buffer.alloc(0))
    // The finding does not depend on wrong sums.
    signSums(all, key)
    expect(await verified(all)).toEqual(['signature_wrong checkpoint'])
  })
})

describe('a previous key', () => {
  it('that leaked cannot sign a newer checkpoint, because an export ignores it', async () => {
    const log = readCheckpoint(String(members.get('checkpoint')))
    if (log === undefined) throw new Error('no checkpoint')
    const later = { ...log, size: log.size + 1 }
    await stage.tamper(`insert into callsheet.checkpoints
      select account, origin, ${later.size}, '${signCheckpoint(before, later)}',
        '\\x${before.publicKey.der.toString('hex')}', at
      from callsheet.checkpoints where size = ${log.size}`)
    const path = join(folder, 'leaked.zip')
    const previousKeys = [before.publicKey.fingerprint]
    const leaked = await exportStage(stage, path, { key, previousKeys })
    expect(leaked.problems).toContainEqual(
      expect.stringMatching(
        /^the checkpoint over \d+ entries was left out, because the current key/,
      ),
    )
    expect(String((await readMembers(path)).get('checkpoint'))).toBe(
      String(members.get('checkpoint')),
    )
    await stage.tamper(`delete from callsheet.checkpoints where size = ${later.size}`)
  })

  it('is reported if it signed the newest checkpoint', async () => {
    const other = newKey()
    const path = join(folder, 'unsigned.zip')
    const previousKeys = [key, before].map(({ publicKey }) => publicKey.fingerprint)
    await exportStage(stage, path, { key: other, previousKeys })
    const pinned = { key: other.publicKey.fingerprint }
    const { findings, notJudged, checkpoint } = await verifyBundle(path, pinned)
    expect(findings).toEqual([])
    const said = `the earlier key ${key.publicKey.fingerprint}`
    expect(notJudged).toContainEqual(expect.stringContaining(said))
    expect((await verifyBundle(path, { ...pinned, checkpoint })).notJudged).toEqual([])
  })
})

describe('an audit export', () => {
  it('vouches for no key that is missing in the configuration', async () => {
    const path = join(folder, 'strange.zip')
    const other = newKey()
    const strange = await exportStage(stage, path, { key: other })
    const { fingerprint } = key.publicKey
    expect(strange.problems).toEqual([
      expect.stringContaining(`the checkpoint was signed by an unknown key, ${fingerprint}`),
    ])
    const { findings } = await verifyBundle(path, { key: other.publicKey.fingerprint })
    expect(findings.map(({ code, what }) => `${code} ${what}`)).toEqual([
      'signature_wrong checkpoint',
    ])
  })
})
