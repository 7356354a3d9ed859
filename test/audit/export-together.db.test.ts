import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import { sha256Hex } from '../../src/evidence/log/digest.ts'
import { type EvidenceStage, fillStage, openEvidenceStage } from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'

let stage: EvidenceStage
let folder: string
let path: string
beforeAll(async () => {
  stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
})
afterAll(() => stage.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-together-'))
  path = join(folder, 'main-audit-2026-06-01-2026-06-30.zip')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Starts an export that stops before its last members; the returned function resumes it. */
async function begun(by: string) {
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const makeWorkbook = async (): Promise<string[]> => {
    reached.resolve()
    await go.promise
    return []
  }
  const ended = exportStage(stage, path, { by, makeWorkbook })
  await Promise.race([reached.promise, ended])
  return async () => {
    go.resolve()
    return await ended
  }
}

/** Expects a valid bundle at the path, with the digest and size that the export returned. */
async function expectWhole({ sha256, bytes }: { sha256: string; bytes: number }) {
  const content = readFileSync(path)
  expect({ sha256: sha256Hex(content), bytes: content.length }).toEqual({ sha256, bytes })
  const { findings } = await verifyBundle(path, { key: stage.key.publicKey.fingerprint })
  expect(findings).toEqual([])
}

describe('two exports of the same days at once', () => {
  it.each([
    ['the first', [0, 1] as const],
    ['the second', [1, 0] as const],
  ])('both produce a complete bundle if %s ends first', async (_which, [earlier, later]) => {
    const all = [await begun('one'), await begun('another')]
    for (const at of [earlier, later]) {
      const done = await all[at]?.()
      if (done === undefined) throw new Error('no export')
      expect(done.problems).toEqual([])
      await expectWhole(done)
    }
    expect(readdirSync(folder).toSorted()).toEqual([basename(path)])
  })
})
