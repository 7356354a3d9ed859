import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time/clock.ts'
import { acquireLease } from '../../../src/warehouse/ledger/lease.ts'
import { type CastStage, type FrozenCast, freezeCast } from '../../helpers/cast-stage.ts'
import { ACCOUNT, addRun, addSession, fillStage } from '../../helpers/evidence-stage.ts'
import { ON_STAGE } from './catalogue.ts'
import { ERASED_BY_RIGHT } from './eraser-records.ts'
import { UNSEEN_ON_STAGE } from './not-found.ts'
import { REFUSED } from './refused.ts'
import { asFound, fileIn } from './tamper.ts'
import { eraseAndRun } from './writer-files.ts'

/** A stage whose entries are under three checkpoints, all made by the writer. */
let frozen: FrozenCast
beforeAll(async () => {
  frozen = await freezeCast(async (stage) => {
    await fillStage(stage)
    await stage.append()
    for (const id of ['later', 'latest']) {
      await addSession(stage, { runId: await addRun(stage), id })
      await stage.append()
    }
  })
})
afterAll(() => frozen.drop())

/** Does some work on a new stage and returns the result of `verify`. */
async function after(work: (stage: CastStage) => Promise<unknown> | void) {
  const stage = await frozen.thaw()
  try {
    await work(stage)
    return await stage.verify()
  } finally {
    await stage.close()
  }
}

describe.each(ON_STAGE)('verify, if $by tampers with the $where', ({ tampers }) => {
  it.each(tampers)('finds and names %s', async (_name, does, expected) => {
    const { findings, findingCount } = await after(does)
    const found = findings.map(({ code, what }) => ({ code, what })).toSorted(byCode)
    expect(found).toEqual(asFound(expected.toSorted(byCodeAlone)))
    expect(findingCount).toBe(found.length)
  })
})

describe('the database', () => {
  it.each(Object.entries(REFUSED))(
    'refuses the %s each statement that needs a missing grant',
    async (role, tampers) => {
      const done: string[] = []
      const { findings } = await after(async (stage) => {
        for (const [name, statement] of tampers) {
          const code = await codeOf(stage.as(role as keyof typeof REFUSED, statement))
          if (code !== 'database_permission') done.push(`${name}: ${code}`)
        }
      })
      expect(done).toEqual([])
      expect(findings).toEqual([])
    },
  )
})

describe('verify finds nothing', () => {
  it('if nothing was tampered with', async () => {
    expect((await after(() => undefined)).findings).toEqual([])
  })

  it.each(ERASED_BY_RIGHT)('if %s', async (_name, does) => {
    expect((await after(does)).findings).toEqual([])
  })

  it('if the record of a stored file was erased', async () => {
    expect((await after(eraseAndRun)).findings).toEqual([])
  })

  it.each(UNSEEN_ON_STAGE)(
    'if a tamper is documented as undetectable: $could',
    async ({ does, told }) => {
      const { findings, notJudged } = await after(does)
      expect(findings).toEqual([])
      // This question is always open, because no checkpoint was named.
      const said = notJudged.filter((text) => !text.includes('--checkpoint SIZE:ROOT'))
      expect(said).toEqual(told === undefined ? [] : [expect.stringMatching(told)])
    },
  )

  it('while a run is about to log a new file', async () => {
    const stage = await frozen.thaw()
    const lease = await acquireLease(stage.warehouse, {
      account: ACCOUNT,
      job: 'test',
      clock: systemClock,
    })
    writeFileSync(fileIn(stage, 'new'), 'new')
    const beside = await stage.verify()
    await lease.release()
    const then = await stage.verify()
    await stage.close()
    expect(beside.findings).toEqual([])
    expect(beside.notJudged).toContainEqual(
      expect.stringContaining('an active run may be about to add'),
    )
    expect(then.findings).toMatchObject([{ code: 'file_without_entry' }])
  })
})

function codeOf(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'done',
    (error: { code: string }) => error.code,
  )
}

function byCode(a: { code: string; what: string }, b: { code: string; what: string }): number {
  return `${a.code} ${a.what}` < `${b.code} ${b.what}` ? -1 : 1
}

/** Sorts by code and keeps the written order of findings with the same code. */
function byCodeAlone([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return a === b ? 0 : String(a) < String(b) ? -1 : 1
}
