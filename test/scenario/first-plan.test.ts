import { afterEach, expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { parentsOf } from '../../src/core/define/job.ts'
import { type Plan, planRun } from '../../src/sync/plan-run.ts'
import { ListSampler } from '../../src/sync/sample-lists.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

/** Compares the planned calls of the first sync with the calls that it makes. */
let world: World
afterEach(() => world.close())

test.each([1, 10])(
  'the first sync of a company of size %d makes about as many calls as planned',
  async (size) => {
    const sizes = {
      users: 120,
      sessions: 100,
      whiteboards: 30,
      activities: 200,
      recordings: 60,
      numbers: 60,
    }
    const times = Object.entries(sizes).map(([kind, count]) => [kind, count * size] as const)
    world = await openWorld({ sizes: Object.fromEntries(times) })
    const { plan, calls: asked } = await planned()
    expect(asked).toBe(sum(plan.asked))
    expect(asked).toBeLessThan(100)
    const before = calls()
    const results = await world.sync()
    expect(results.every(({ state }) => state === 'complete')).toBe(true)
    const made = calls() - before
    const said = sum(plan.callsPerLabel)
    expect(said).toBeGreaterThan(made / 1.5)
    expect(said).toBeLessThan(made * 1.5)
    expect(plan.streams.every(({ first }) => first)).toBe(true)
    // Each activity has a file.
    const activities = Math.max(
      ...results.map(({ tables }) => tables.whiteboard_activities?.present ?? 0),
    )
    const files = plan.newFiles['whiteboard-archives'] ?? 0
    expect(files).toBeGreaterThan(activities / 2)
    expect(files).toBeLessThan(activities * 2)
    // A plan after the sync knows its calls and sends no requests.
    const again = await planned()
    expect(again.calls).toBe(0)
    expect(again.plan.streams.filter(({ first, slices }) => first && slices > 0)).toEqual([])
  },
)

test('the plan is a lower bound and reports the failure if the service is unreachable', async () => {
  world = await openWorld({ sizes: TINY })
  await world.sandbox.close()
  const { plan } = await planned()
  expect(plan.failure?.message).toMatch(/127\.0\.0\.1/)
  const unread = plan.streams.filter(({ atLeast }) => !atLeast)
  expect(unread).toEqual([])
  expect(sum(plan.asked)).toBe(1)
})

test('the plan counts the pages of a list without a total if its details are read', async () => {
  world = await openWorld({ sizes: { ...TINY, users: 900, numbers: 900 }, altered: true })
  world.ways.tell = (asked, told) => {
    if (!/\/(users|peering_numbers)$/.test(asked.path)) return
    const { total_records: _total, ...rest } = told.body as Record<string, unknown>
    told.body = rest
    if (asked.path.endsWith('/users')) return
    // The list has more pages, and no total.
    told.body = { ...rest, next_page_token: rest.next_page_token || 'more' }
  }
  const { plan } = await planned()
  const planOf = new Map(plan.streams.map((one) => [one.stream, one]))
  expect(planOf.get('phone_number_details')).toMatchObject({ slices: 900, atLeast: false })
  const { slices = 0 } = planOf.get('user_details') ?? {}
  expect(Math.abs(slices - 900)).toBeLessThan(90)
  expect(planOf.get('user_details')).toMatchObject({ atLeast: false, estimated: true })
  expect(planOf.get('peering_numbers')).toMatchObject({ atLeast: true })
})

async function planned(): Promise<{ plan: Plan; calls: number }> {
  const { deps, client, settings } = world.account
  let announced = 0
  const sampler = new ListSampler({
    client,
    parents: new Set(jobs.flatMap(parentsOf)),
    nowMs: deps.clock.now(),
    signal: new AbortController().signal,
    onFirstCall: () => announced++,
  })
  const before = calls()
  const plan = await planRun(deps, { account: settings.name, jobs }, sampler)
  expect(announced).toBe(sum(plan.asked) > 0 ? 1 : 0)
  return { plan, calls: calls() - before }
}

function calls(): number {
  return sum(world.sandbox.stats().operations)
}

function sum(counts: Readonly<Record<string, number | undefined>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0)
}
