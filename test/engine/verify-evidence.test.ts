import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  addRun,
  addSession,
  fillStage,
  freeze,
  type FrozenStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { TAMPERED } from './tampered-evidence.ts'

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
  it.each(TAMPERED)('finds and names %s', async (_what, tamper, expected) => {
    const stage = await frozen.thaw()
    try {
      await tamper(stage)
      const { findings, findingCount } = await stage.verify()
      const found = findings.map(({ code, what }) => ({ code, what })).toSorted(byCode)
      expect(found).toEqual(
        expected.map(([code, what]) => ({
          code,
          what: typeof what === 'string' ? what : (expect.stringMatching(what) as string),
        })),
      )
      expect(findingCount).toBe(found.length)
    } finally {
      await stage.close()
    }
  })
})

function byCode(a: { code: string; what: string }, b: { code: string; what: string }): number {
  return `${a.code} ${a.what}` < `${b.code} ${b.what}` ? -1 : 1
}
