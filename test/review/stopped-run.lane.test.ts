import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import { expectTruth } from '../helpers/truth.ts'
import { WHOLE } from '../helpers/whole.ts'
import { openWorld, type World } from '../helpers/world.ts'

const streams = jobs.flatMap((job) => job.streams)

test('a sync stopped at any point releases the account, and the next corrects the tables', async () => {
  for (const step of WHOLE ? [1, 12, 40, 75] : [12, 75]) {
    const world = await openWorld({ seed: 31 })
    try {
      const stopped = await syncUntil(world, step)
      expect(stopped.map(({ state }) => state)).toContain('interrupted')
      for (const { state, problems } of stopped)
        expect({ state, problems }).toEqual(
          state === 'complete'
            ? { state, problems: [] }
            : {
                state: 'interrupted',
                problems: ['the run was stopped; the next run continues'],
              },
        )
      expect(await openEnds(world)).toEqual([])
      const next = await world.sync()
      expect(next.map(({ state }) => state)).toEqual(jobs.map(() => 'complete'))
      await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
    } finally {
      await world.close()
    }
  }
})

/** Stops it at this step of its progress, as SIGTERM does. */
async function syncUntil({ account }: World, step: number) {
  const stop = new AbortController()
  let steps = 0
  return await syncAccount(account.deps, {
    account: 'account-0',
    jobs,
    signal: stop.signal,
    onProgress: () => {
      if (++steps === step) stop.abort()
    },
  })
}

/** Runs that were left open, and a lease that was not given back. */
async function openEnds({ warehouse }: World): Promise<unknown[]> {
  const { rows } = await sql`
    select job as open from callsheet.runs where state = 'running'
    union all select account from callsheet.leases where holder is not null`.execute(warehouse.db)
  return rows
}
