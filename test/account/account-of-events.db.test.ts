import { expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { openWorld, TINY } from '../helpers/world.ts'

it('every event of two accounts names its account', async () => {
  const events: { event: string; account: unknown; operation: unknown }[] = []
  const world = await openWorld({
    accounts: [{}, {}],
    sizes: TINY,
    archive: {},
    observer: {
      event: (event, { account, operation }) => void events.push({ event, account, operation }),
    },
  })
  try {
    await world.faults([
      { kind: 'status', status: 503, operation: 'users.list', count: 2 },
      { kind: 'status', status: 429, operation: 'phone_numbers.list', count: 2 },
    ])
    for (const account of [world.open(0), world.open(1)]) {
      const before = events.length
      await world.sync({ account, jobs: JOBS })
      const own = events.slice(before)
      expect(own.filter((one) => one.account !== account.settings.name)).toEqual([])
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
