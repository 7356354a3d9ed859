import { expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { openAccount } from '../../src/account/open-account.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { openWorld, TINY } from '../helpers/world.ts'

it('every event of two accounts names its account', async () => {
  const events: { event: string; account: unknown; operation: unknown }[] = []
  const world = await openWorld({ accounts: [{}, {}], sizes: TINY, archive: {} })
  const { config } = loadConfig({ path: world.place.configFile, jobs, environment: {} })
  const { warehouse } = world
  const wiring = {
    config,
    clock: world.account.deps.clock,
    observer: {
      event: (event: string, { account, operation }: { account?: unknown; operation?: unknown }) =>
        void events.push({ event, account, operation }),
    },
  }
  const frame = { wiring, warehouse, embedded: false, close: async () => {} }
  try {
    await world.faults([
      { kind: 'status', status: 503, operation: 'users.list', count: 2 },
      { kind: 'status', status: 429, operation: 'phone_numbers.list', count: 2 },
    ])
    for (const settings of config.accounts) {
      const before = events.length
      const account = await openAccount(frame, settings)
      await world.sync({ account, jobs: JOBS })
      await account.close()
      const own = events.slice(before)
      expect(own.filter((one) => one.account !== settings.name)).toEqual([])
      expect(own.map(({ event }) => event)).toEqual(
        expect.arrayContaining(['auth.renewed', 'api.answer']),
      )
    }
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['api.failed', 'governor.held']),
    )
  } finally {
    await world.close()
  }
})

const NAMES = ['users', 'phone-numbers', 'whiteboard-archives']
const JOBS = jobs.filter(({ name }) => NAMES.includes(name))
