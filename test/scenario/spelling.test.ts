import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { verifyEvidence } from '../../src/audit/verify/verify-evidence.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { testDatabase } from '../helpers/database.ts'
import { plainStore } from '../helpers/plain-store.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const streams = jobs.flatMap((job) => job.streams)

/** The incomplete jobs of a sync, and the tables with written rows. */
const written = (results: readonly RunResult[]) =>
  results.flatMap(({ job, state, tables }) => [
    ...(state === 'complete' ? [] : [`${job}: ${state}`]),
    ...Object.entries(tables)
      .filter(([, { inserted, updated, deleted }]) => inserted + updated + deleted > 0)
      .map(([name, counts]) => `${name}: ${JSON.stringify(counts)}`),
  ])

async function versionsOf({ warehouse }: World): Promise<number> {
  const counts = streams.map(
    ({ name }) => sql`select count(*)::int as n from history.${sql.id(name)}`,
  )
  const { rows } = await sql<{ n: number }>`
    select sum(n)::int as n from (${sql.join(counts, sql` union all `)}) c`.execute(warehouse.db)
  return rows[0]?.n ?? -1
}

test.each(['epoch-milliseconds', 'basic'] as const)(
  'values in another format (times as %s) change no row and add no version',
  async (timeSpelling) => {
    const database = await testDatabase()
    const archived = { sizes: TINY, archive: { files: true } }
    const kept = { ...database, drop: () => Promise.resolve() }
    const before = await openWorld({ ...archived, readings: { timeSpelling: 'zulu' } }, kept)
    expect((await before.sync()).every(({ state }) => state === 'complete')).toBe(true)
    // The next service does not know the token of the previous one.
    await sql`delete from callsheet.tokens`.execute(before.warehouse.db)
    await before.close()

    const readings = {
      timeSpelling,
      booleanSpelling: 'capital-text',
      integerSpelling: 'text',
      listOfOne: 'single',
    } as const
    const after = await openWorld({ sizes: TINY, readings }, database)
    try {
      expect(written(await after.sync({ full: true }))).toEqual([])
      expect(await versionsOf(after)).toBe(0)
      const { warehouse, sandbox } = after
      await expectTruth(warehouse, sandbox, { account: 'account-0', streams })
      // The evidence still describes the records as they were when they were entered.
      const { findings, checked } = await verifyEvidence(
        { warehouse },
        {
          account: 'account-0',
          store: plainStore('/nowhere'),
          streams,
          signal: new AbortController().signal,
          keys: [],
          keyPinned: false,
        },
      )
      expect(findings.filter(({ what }) => what.startsWith('the record '))).toEqual([])
      expect(checked.records).toBeGreaterThan(20)
    } finally {
      await after.close()
    }
  },
)
