import { afterEach, beforeEach, expect, test } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { type Job, jobsBefore } from '../../src/core/define/job.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

/** Lists of parents are complete only if all parents were read once. */
let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
})
afterEach(() => world.close())

/** The jobs that read the details of another job's lists. */
const CHILDREN = jobs.filter((one) => jobsBefore(one, jobs).length > 0)

test('a job on an empty database is incomplete for each stream with unread parents', async () => {
  expect(CHILDREN.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['number-details', 'recording-details', 'user-details']),
  )
  for (const child of CHILDREN) {
    const run = await sync([child])
    expect(run.state).toBe('incomplete')
    const orphans = fannedOut(child).filter(({ parent }) => !child.streams.includes(parent))
    expect(orphans.length).toBeGreaterThan(0)
    for (const { stream, parent } of orphans) {
      const told = `${stream.name}: ${parent.name} was never read completely`
      expect(run.problems).toContainEqual(expect.stringContaining(told))
      expect(run.read).not.toContain(stream.name)
    }
    expect(run.problems).toHaveLength(orphans.length)
  }
  await world.sync({ jobs: CHILDREN.flatMap((child) => jobsBefore(child, jobs)) })
  for (const child of CHILDREN) {
    expect(await sync([child])).toMatchObject({ state: 'complete', problems: [] })
    await expectTruth(world.warehouse, world.sandbox, {
      account: 'account-0',
      streams: child.streams,
    })
  }
})

test('a job is incomplete while some of its parents were never read', async () => {
  world.ways.tell = (asked, told) => {
    if (asked.path.endsWith('/users') && asked.query.get('status') === 'inactive') told.status = 500
  }
  const both = [job('users'), job('user-details')]
  const run = await sync(both)
  expect(run.tables.user_details?.inserted).toBeGreaterThan(20)
  expect(run.state).toBe('incomplete')
  expect(run.problems.join()).toMatch(/^user_details: users was never read completely/)
  delete world.ways.tell
  expect(await sync(both)).toMatchObject({ state: 'complete', problems: [] })
  // From now on the parents are known, as of that night.
  await world.advance(DAY_MS)
  world.ways.tell = (asked, told) => {
    if (asked.path.endsWith('/users')) told.status = 500
  }
  expect((await sync(both)).state).toBe('complete')
})

test.each([
  ['whiteboards', /\/whiteboards$/],
  ['number-settings', /consents?$/],
  ['recording-details', /\/storage\/location$/],
  ['whiteboard-archives', /\/whiteboards\/sessions$/],
])('in the job %s, no stream with an unread parent stream counts as read', async (name, path) => {
  let hits = 0
  world.ways.tell = (asked, told) => {
    if (!path.test(asked.path)) return
    hits++
    told.status = 500
  }
  if (name === 'recording-details') await sync([job('recordings')])
  const run = await sync([job(name)])
  expect(hits).toBeGreaterThan(0)
  expect(run.state).toBe('incomplete')
  const broken = fannedOut(job(name)).filter(({ parent }) => !run.read.includes(parent.name))
  expect(broken.length).toBeGreaterThan(0)
  for (const { stream, parent } of broken) {
    if (!job(name).streams.includes(parent)) continue
    expect(run.read).not.toContain(stream.name)
    // After eight failures in a row, the fault of the service is named in place of its consequence.
    const reasons = [
      `${parent.name} was never read`,
      `GET /.* \\(${parent.operation.id}\\): HTTP 500`,
    ]
    expect(run.problems.join('\n')).toMatch(
      new RegExp(`^${stream.name}: (${reasons.join('|')})`, 'm'),
    )
  }
})

test('details are not allowed if their parents’ list is not allowed', async () => {
  world.ways.tell = (asked, told) => {
    if (!/ported_numbers\/orders/.test(asked.path)) return
    Object.assign(told, { status: 403, body: { code: '4711', message: 'Not in your plan.' } })
  }
  await world.sync({ jobs: [job('phone-numbers'), job('number-settings')] })
  const run = await sync([job('number-details')])
  expect(run.state).toBe('complete')
  expect(Object.keys(run.notAllowed)).toEqual(['ported_order_details'])
  expect(run.problems).toEqual([
    expect.stringMatching(
      /^ported_order_details: not allowed. It is read for each of ported_orders/,
    ),
  ])
})

function fannedOut({ streams }: Job): { stream: Stream; parent: Stream }[] {
  return streams.flatMap((stream) =>
    stream.sync.kind === 'fan-out' ? [{ stream, parent: stream.sync.parent }] : [],
  )
}

function job(name: string): Job {
  const found = jobs.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no job ${name}`)
  return found
}

async function sync(wanted: readonly Job[]): Promise<RunResult> {
  const last = (await world.sync({ jobs: wanted })).at(-1)
  if (last === undefined) throw new Error('No run')
  return last
}
