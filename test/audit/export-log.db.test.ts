import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import {
  addRun,
  addSession,
  type EvidenceStage,
  fillStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { readMembers } from '../helpers/rewrite-zip.ts'

let folder: string
let stage: EvidenceStage
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-export-log-'))
  stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
})
afterEach(async () => {
  await stage.close()
  rmSync(folder, { recursive: true })
})

describe('the log in a bundle', () => {
  it('is reported if its tiles do not prove an entry, and proofs of other entries stay valid', async () => {
    await stage.tamper(`update callsheet.tree_tiles
      set hashes = set_byte(hashes, 32 * 26, get_byte(hashes, 32 * 26) # 1)`)
    const { problems, codes } = await exported()
    expect(problems).toEqual([
      expect.stringMatching(/^the stored tree does not prove that entry \d+ /),
    ])
    expect(new Set(codes)).toEqual(new Set(['proof_missing']))
    // The damaged hash is that of the last leaf, whose own proof does not contain it.
    expect(codes).toHaveLength(26)
  })

  it('is reported if its tiles are missing', async () => {
    await stage.tamper('delete from callsheet.tree_tiles')
    const { problems, codes } = await exported()
    expect(problems).toHaveLength(1)
    expect(codes).toEqual(Array.from({ length: 27 }, () => 'proof_missing'))
  })

  it('must have a checkpoint', async () => {
    await stage.tamper('delete from callsheet.checkpoints')
    await expect(exported()).rejects.toMatchObject({ code: 'nothing_signed' })
  })

  it('proves entries of all checkpoints under the newest checkpoint', async () => {
    await addSession(stage, { runId: await addRun(stage), id: 'later' })
    await stage.append()
    const { problems, codes, names, manifest } = await exported()
    expect([problems, codes]).toEqual([[], []])
    expect(names).toContain('checkpoint')
    expect(manifest.match(/"path":\["/g)).toHaveLength(28)
  })
})

async function exported() {
  const path = join(folder, 'bundle.zip')
  const { problems } = await exportStage(stage, path)
  const { findings } = await verifyBundle(path, { key: stage.key.publicKey.fingerprint })
  const members = await readMembers(path)
  const manifest = members.get('manifest.ndjson')?.toString() ?? ''
  return { problems, codes: findings.map(({ code }) => code), names: [...members.keys()], manifest }
}
