import { afterEach, describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
afterEach(() => world.close())

const NUMBERS = jobs.filter((job) => job.name === 'phone-numbers')
const [STREAM] = NUMBERS.flatMap((job) => job.streams)

describe('a list whose pages do not say whether another page follows', () => {
  it('is incomplete if page 2 shows other records', async () => {
    world = await openWorld({ sizes: TINY, readings: { envelope: 'bare', listPages: 'numbers' } })
    const [run] = await world.sync({ jobs: NUMBERS })
    expect(run?.state).toBe('incomplete')
    expect(run?.problems.join('\n')).toContain('page_number 2 returns other records')
  })

  it('is complete if the service refuses page numbers', async () => {
    const asked: string[] = []
    world = await openWorld({
      sizes: TINY,
      altered: true,
      readings: { envelope: 'bare', lastToken: 'absent' },
    })
    world.ways.tell = ({ path, query }) => {
      if (query.has('page_number')) asked.push(path)
    }
    expect(await world.sync({ jobs: NUMBERS })).toMatchObject([{ state: 'complete' }])
    await expectTruth(world.warehouse, world.sandbox, {
      account: 'account-0',
      streams: STREAM === undefined ? [] : [STREAM],
    })
    expect(asked).toEqual(['/v2/number_management/numbers'])
  })
})
