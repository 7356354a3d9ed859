import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time/clock.ts'
import { sha256Hex } from '../../../src/evidence/digest.ts'
import { acquireLease } from '../../../src/warehouse/ledgers/lease.ts'
import {
  ACCOUNT,
  addRun,
  addSession,
  fillStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'
import { type FrozenStage, freeze } from '../../helpers/frozen-stage.ts'
import { EXCHANGED } from '../exchanged-files.ts'
import { HIDDEN, SESSION_GONE } from '../hidden-records.ts'
import { TAKEN } from '../taken-records.ts'
import { TAMPERED_COLUMNS } from '../tampered-columns.ts'
import { TAMPERED_ENTRIES } from '../tampered-entries.ts'
import { TAMPERED } from '../tampered-evidence.ts'
import { TAMPERED_LOG } from '../tampered-log.ts'

/** Of 27 entries under two heads, and a third with two more. */
let frozen: FrozenStage
beforeAll(async () => {
  const stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
  for (const id of ['later', 'latest']) {
    await addSession(stage, { runId: await addRun(stage), id })
    await stage.append()
  }
  frozen = await freeze(stage)
})
afterAll(() => frozen.drop())

describe('verify', () => {
  it.each([
    ...TAMPERED,
    ...TAMPERED_ENTRIES,
    ...TAMPERED_LOG,
    ...EXCHANGED,
    ...TAMPERED_COLUMNS,
    ...HIDDEN,
    ...TAKEN,
  ])('finds and names %s', async (_what, tamper, expected) => {
    const stage = await frozen.thaw()
    try {
      await tamper(stage)
      const { findings, findingCount } = await stage.verify()
      const found = findings.map(({ code, what }) => ({ code, what })).toSorted(byCode)
      expect(found).toEqual(
        expected.toSorted(byCodeAlone).map(([code, what]) => ({
          code,
          what: typeof what === 'string' ? what : (expect.stringMatching(what) as string),
        })),
      )
      expect(findingCount).toBe(found.length)
    } finally {
      await stage.close()
    }
  })

  it('finds nothing in a session that the service has deleted, and says that no entry tells', async () => {
    const stage = await frozen.thaw()
    for (const statement of SESSION_GONE) await stage.tamper(statement)
    const { findings, notJudged } = await stage.verify()
    await stage.close()
    expect(findings).toEqual([])
    expect(notJudged).toContainEqual(
      expect.stringMatching(
        /^Whether the service has deleted the 1 records of whiteboard_sessions/,
      ),
    )
  })

  it('beside a run that is at work judges no file that it may be about to enter', async () => {
    const stage = await frozen.thaw()
    const lease = await acquireLease(stage.warehouse, {
      account: ACCOUNT,
      job: 'test',
      clock: systemClock,
    })
    writeFileSync(join(stage.directory, 'files', sha256Hex('new')), 'new')
    const beside = await stage.verify()
    await lease.release()
    const after = await stage.verify()
    await stage.close()
    expect(beside.findings).toEqual([])
    expect(beside.notJudged).toContainEqual(expect.stringContaining('while a run is at work'))
    expect(after.findings).toMatchObject([{ code: 'file_without_entry' }])
  })
})

function byCode(a: { code: string; what: string }, b: { code: string; what: string }): number {
  return `${a.code} ${a.what}` < `${b.code} ${b.what}` ? -1 : 1
}

/** What has the same code stays in the order in which it is written. */
function byCodeAlone([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return a === b ? 0 : String(a) < String(b) ? -1 : 1
}
