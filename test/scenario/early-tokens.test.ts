import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import type { Asked, Told } from '../cli/altering-proxy.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
})
afterAll(() => world.close())

const of = (name: string) => jobs.filter((job) => job.name === name)

describe('a token that expires early', () => {
  it('keeps the rows received so far if no new token can be issued', async () => {
    await world.sync({ jobs: of('users') })
    let answered = 0
    world.ways.tell = (asked, told) => {
      if (isDetail(asked) && told.status === 200 && answered < 23) answered++
      else refuseAll(told, answered >= 23)
    }
    const [run] = await world.sync({ jobs: of('user-details') })
    expect(run).toMatchObject({ state: 'failed' })
    expect(run?.problems).toEqual([expect.stringContaining('client secret is wrong')])
    expect(answered).toBe(23)
    expect(await present()).toBe(23)
    world.ways.tell = (asked, told) => {
      if (isDetail(asked) && told.status === 200) answered++
    }
    expect(await world.sync({ jobs: of('user-details') })).toMatchObject([{ state: 'complete' }])
    // No received detail was requested again.
    expect(answered).toBe(await present())
  })

  it('is attributed to another program if it recurs, and the sync still completes', async () => {
    // Each token serves 40 calls. Refused calls do not count: otherwise parallel calls could use up the next
    // tokens before one of them is served.
    const served = new Map<unknown, number>()
    world.ways.tell = (asked, told) => {
      if (!asked.path.startsWith('/v2/')) return
      const { authorization } = asked.headers
      const before = served.get(authorization) ?? 0
      if (before < 40) served.set(authorization, before + 1)
      else refuse(told, 401, { code: 124, message: 'Invalid token.' })
    }
    const runs = await world.sync({ full: true })
    const states = runs.map(({ job, state }) => ({ job, state }))
    expect(states).toEqual(jobs.map(({ name }) => ({ job: name, state: 'complete' })))
    expect(served.size).toBeGreaterThan(6)
    expect(runs.flatMap(({ problems }) => problems).join('\n')).toContain('another program')
    const streams = jobs.flatMap((job) => job.streams)
    await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
  })
})

function isDetail({ path }: Asked): boolean {
  return /^\/v2\/users\/[^/]+$/.test(path)
}

function refuseAll(told: Told, when: boolean): void {
  if (when) refuse(told, 400, { code: 124, error: 'invalid_client', message: 'Invalid.' })
}

function refuse(told: Told, status: number, body: object): void {
  Object.assign(told, { status, body })
}

async function present(): Promise<number> {
  const { rows } = await sql<{
    n: number
  }>`select count(*)::int as n from svc.user_details`.execute(world.warehouse.db)
  return rows[0]?.n ?? 0
}
