import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { placeHold, readHolds, releaseHold } from '../../src/archive/sql/holds.ts'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import { caseHold } from '../../src/cli/case-hold.ts'
import {
  ACCOUNT,
  type EvidenceStage,
  fillStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { readMembers } from '../helpers/rewrite-zip.ts'

let stage: EvidenceStage
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callsheet-case-'))
  stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
})
afterAll(async () => {
  await stage.close()
  await rm(folder, { recursive: true })
})

const holdFor = (name: string | undefined, whiteboard?: string) =>
  caseHold(stage.warehouse, { account: ACCOUNT, whiteboard }, name)

describe('an export for a case', () => {
  it('states the reason and the end of the hold in the bundle', async () => {
    await placeHold(stage.warehouse, {
      account: ACCOUNT,
      name: 'case-7',
      reason: 'litigation 12/2026',
      placedBy: 'a test',
      endsAtMs: Date.parse('2099-04-01T00:00:00Z'),
    })
    const path = join(folder, 'case.zip')
    const { facts } = await exportStage(stage, path, { forCase: await holdFor('case-7') })
    expect(facts.case).toMatchObject({ name: 'case-7', exported_by: 'a test' })
    const members = await readMembers(path)
    const readme = String(members.get('README.txt'))
    expect(readme).toContain('“case-7”: litigation 12/2026')
    expect(readme).toMatch(/on legal hold until 2099-04-01/)
    const verified = await verifyBundle(path, { key: stage.key.publicKey.fingerprint })
    expect(verified.findings).toEqual([])
    expect(verified.facts?.case?.name).toBe('case-7')
  })

  it('refuses a case that no hold is named after, and places none', async () => {
    await expect(holdFor('case-8')).rejects.toThrow(/has no hold of this name/)
    const names = (await readHolds(stage.warehouse, ACCOUNT)).map(({ name }) => name)
    expect(names).not.toContain('case-8')
  })

  it('refuses a hold that has ended, and one that covers less than the bundle', async () => {
    const one = { account: ACCOUNT, reason: 'x', placedBy: 'a test' }
    await placeHold(stage.warehouse, { ...one, name: 'one-board', whiteboardId: 'wb-1' })
    await expect(holdFor('one-board')).rejects.toThrow(/covers only a part/)
    expect(await holdFor('one-board', 'wb-1')).toMatchObject({ name: 'one-board' })
    await releaseHold(stage.warehouse, { account: ACCOUNT, name: 'one-board', releasedBy: 'y' })
    await expect(holdFor('one-board', 'wb-1')).rejects.toThrow(/hold has ended/)
  })

  it('is an ordinary export without a case name', async () => {
    expect(await holdFor(undefined)).toBeUndefined()
    const { facts } = await exportStage(stage, join(folder, 'none.zip'))
    expect(facts.case).toBeUndefined()
  })
})
