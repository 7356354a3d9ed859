import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addEntries } from '../../../src/evidence/add-entries.ts'
import { sliceBatches } from '../../../src/evidence/sql/slice-lines.ts'
import { batchFact } from '../../../src/evidence/statement-facts.ts'
import { OF_LEDGERS } from '../../evidence/catalogue/catalogue.ts'
import { copied, LATER, NEW_BATCH, UPDATED } from '../../evidence/catalogue/ledgers.ts'
import { asFound } from '../../evidence/catalogue/tamper.ts'
import { OWNER, openStatedWorld, type StatedWorld } from '../../helpers/stated-world.ts'

let stated: StatedWorld
beforeAll(async () => {
  stated = await openStatedWorld()
})
afterEach(() => stated.restore())
afterAll(() => stated.world.close())

describe.each(OF_LEDGERS)('verify, if $by changes the ledgers', ({ by, tampers }) => {
  it.each(tampers)('names %s', async (_what, statements, expected) => {
    if (by === 'owner') await stated.tamper(...statements)
    else await stated.as(by, ...statements)
    expect((await stated.verify()).findings).toEqual(asFound(expected))
  })
})

describe('verify of the ledgers', () => {
  it('reports inserted holds and incidents as to be stated by the next run', async () => {
    await stated.as(
      'writer',
      `insert into callsheet.holds (account, name, reason, begins_at, placed_by)
        values ('${OWNER}', 'case-2', 'x', now(), 'x')`,
      `insert into callsheet.incidents (account, kind, subject, at, detail)
        values ('${OWNER}', 'missing', 'activity:s:b', now(), 'x')`,
    )
    const { findings, notJudged } = await stated.verify()
    expect(findings).toEqual([])
    expect(notJudged).toEqual(
      expect.arrayContaining([
        '1 holds that are not logged yet; the next run logs them.',
        '1 incidents that are not logged yet; the next run logs them.',
      ]),
    )
  })

  // The connection of the world is the writer's, so all changes use the writer's grants.
  it('does not trust a statement without a voucher by the key, and nothing after it is signed', async () => {
    const { warehouse } = stated.world
    await stated.as('writer', copied({ batch: '999', finished_at: LATER }), UPDATED)
    const { rows } = await sql<{ subject: string }>`
      select 'ledger/slices/users/' || run_id || '/999' as subject from callsheet.slices
      where batch = 999`.execute(warehouse.db)
    const subjects = rows.map(({ subject }) => subject)
    await warehouse.transaction(async (tx) => {
      for await (const batch of sliceBatches(tx, { account: OWNER, subjects }))
        await addEntries(tx, OWNER, [batchFact(batch)])
    })
    const expected = [
      { code: 'entry_unexplained', what: expect.stringContaining(subjects[0] ?? '') as string },
      { code: 'stated_nowhere', what: expect.stringMatching(NEW_BATCH) as string },
    ]
    expect((await stated.verify()).findings).toEqual(expected)
    const evidence = (await stated.world.sync()).at(-1)?.evidence
    expect(evidence).toMatchObject({ signed: 0, unexplained: 1 })
    expect((await stated.verify()).findings).toEqual(expected)
  })
})
