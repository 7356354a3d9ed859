import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import type { OpenAccount } from '../../src/account/open-account.ts'
import type { Client } from '../../src/api/client.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, SMALL, type World } from '../helpers/world.ts'

const users = { jobs: jobs.filter((job) => job.name === 'users') }
const COUNT = 1_500

test('no remaining user counts as deleted if others leave or change between two pages', async () => {
  const readings = { paging: 'live-offset' } as const
  for (const seed of [3, 4]) {
    const world = await openWorld({ seed, sizes: { ...SMALL, users: COUNT }, readings })
    try {
      await world.sync(users)
      let page = 0
      const account = afterEachPage(world, async () => {
        page++
        await world.mutate({ ops: movesAfter(page * seed) })
      })
      await world.sync({ ...users, account })
      expect(page).toBeGreaterThan(COUNT / 300)
      expect(await calledGoneButThere(world)).toEqual([])
      const [calm] = await world.sync(users)
      expect(calm).toMatchObject({ state: 'complete', problems: [] })
      const streams = users.jobs.flatMap((job) => job.streams)
      await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
    } finally {
      await world.close()
    }
  }
})

/** Some users change their status, and one leaves. */
function movesAfter(step: number): object[] {
  const moved = Array.from({ length: 5 }, (_, n) => ({
    kind: 'users',
    action: 'change',
    index: (step * 97 + n * 41) % COUNT,
    patch: { status: (step + n) % 2 === 0 ? 'active' : 'inactive' },
  }))
  return [...moved, { kind: 'users', action: 'remove', index: (step * 53) % COUNT }]
}

async function calledGoneButThere(world: World): Promise<string[]> {
  const there = new Set<unknown>()
  for await (const { id } of world.sandbox.truth('users')) there.add(id)
  const { rows } = await sql<{ id: string }>`
    select id from svc.users where _deleted_at is not null`.execute(world.warehouse.db)
  return rows.map(({ id }) => id).filter((id) => there.has(id))
}

/** The account over a client that lets something happen after each page it was given. */
function afterEachPage({ account }: World, happen: () => Promise<void>): OpenAccount {
  const { client } = account.deps
  const watched: Client = {
    ...client,
    async fetchPage(...call) {
      const page = await client.fetchPage(...call)
      await happen()
      return page
    },
  }
  return { ...account, deps: { ...account.deps, client: watched } }
}
