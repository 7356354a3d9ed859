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

const NOW_MS = Date.parse('2026-07-01T00:00:00Z')
const NEW = { case: 'case-7', reason: 'litigation 12/2026', askedBy: 'the court of X' }
const holdFor = (options: Parameters<typeof caseHold>[2], whiteboard?: string) =>
  caseHold(stage.warehouse, { account: ACCOUNT, whiteboard, nowMs: NOW_MS }, options)

describe('an export for a case', () => {
  it('places a hold on the files, and states its requester, reason and end in the bundle', async () => {
    const untilMs = Date.parse('2099-04-01T00:00:00Z')
    const forCase = await holdFor({ ...NEW, until: untilMs })
    const hold = (await readHolds(stage.warehouse, ACCOUNT)).find(({ name }) => name === 'case-7')
    expect(hold).toMatchObject({ active: true, reason: expect.stringContaining('litigation') })
    expect(hold?.files).toBeGreaterThan(0)
    expect(Date.parse(hold?.ends ?? '')).toBe(untilMs)

    const path = join(folder, 'case.zip')
    const { facts } = await exportStage(stage, path, { forCase })
    expect(facts.case).toMatchObject({ name: 'case-7', exported_by: 'a test' })
    const members = await readMembers(path)
    const readme = String(members.get('README.txt'))
    expect(readme).toContain('“case-7”: litigation 12/2026 (asked for by the court of X)')
    expect(readme).toMatch(/on legal hold until 2099-04-01/)
    const verified = await verifyBundle(path, { key: stage.key.publicKey.fingerprint })
    expect(verified.findings).toEqual([])
    expect(verified.facts?.case?.name).toBe('case-7')
  })

  it('uses the existing hold of a known case, and refuses a new reason for it', async () => {
    expect(await holdFor({ case: 'case-7' })).toMatchObject({
      reason: 'litigation 12/2026 (asked for by the court of X)',
    })
    await expect(holdFor(NEW)).rejects.toMatchObject({ code: 'case_unusable' })
  })

  it('places no hold without a case, reason and requester, or with an end in the past', async () => {
    await expect(holdFor({ case: 'case-8' })).rejects.toThrow(/--reason or --asked-by is missing/)
    await expect(holdFor({ case: 'case-8', reason: 'x' })).rejects.toThrow(/--asked-by/)
    await expect(holdFor({ reason: 'x' })).rejects.toMatchObject({ code: 'case_missing' })
    await expect(holdFor({ ...NEW, case: 'case-8', until: NOW_MS })).rejects.toMatchObject({
      code: 'hold_over',
    })
    const names = (await readHolds(stage.warehouse, ACCOUNT)).map(({ name }) => name)
    expect(names).not.toContain('case-8')
  })

  it('refuses a hold that has ended, and one that covers less than the bundle', async () => {
    const one = { account: ACCOUNT, reason: 'x', placedBy: 'a test' }
    await placeHold(stage.warehouse, { ...one, name: 'one-board', whiteboardId: 'wb-1' })
    await expect(holdFor({ case: 'one-board' })).rejects.toThrow(/covers only a part/)
    expect(await holdFor({ case: 'one-board' }, 'wb-1')).toMatchObject({ name: 'one-board' })
    await releaseHold(stage.warehouse, { account: ACCOUNT, name: 'one-board', releasedBy: 'y' })
    await expect(holdFor({ case: 'one-board' }, 'wb-1')).rejects.toThrow(/legal hold has ended/)
  })

  it('is an ordinary export without a case name', async () => {
    expect(await holdFor({})).toBeUndefined()
    const { facts } = await exportStage(stage, join(folder, 'none.zip'))
    expect(facts.case).toBeUndefined()
  })
})
