import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import phoneNumberDetails from '../../jobs/number-details.ts'
import phoneNumbers from '../../jobs/phone-numbers.ts'
import recordings from '../../jobs/recordings.ts'
import userDetails from '../../jobs/user-details.ts'
import usersJob from '../../jobs/users.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import type { Job } from '../../src/core/define/job.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

/** The service answers a request for one record with another record. */
let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
})
afterEach(() => world.close())

test.each(['in the envelope', 'in each record'])(
  'an activity of another session (named %s) is not stored, and the run names its list',
  async (place) => {
    await sync(whiteboardArchives)
    const before = await idsOf('whiteboard_activities')
    expect(before.length).toBeGreaterThan(20)
    world.ways.tell = (_asked, { body }) => {
      const page = body as { activities?: Record<string, unknown>[] }
      if (page.activities === undefined) return
      const other = { session_id: 'another-session' }
      const activities = page.activities.map((one) => ({ ...one, id: `${String(one.id)}x` }))
      if (place === 'in the envelope') Object.assign(page, { ...other, activities })
      else Object.assign(page, { activities: activities.map((one) => ({ ...one, ...other })) })
    }
    const run = await sync(whiteboardArchives, true)
    expect(run.state).toBe('incomplete')
    expect(run.problems.join()).toMatch(
      /whiteboard_activities.*is about another record, and was not stored/,
    )
    expect(await idsOf('whiteboard_activities')).toEqual(before)
    delete world.ways.tell
    expect(await sync(whiteboardArchives)).toMatchObject({ state: 'complete' })
    expect(await idsOf('whiteboard_activities')).toEqual(before)
  },
)

test('details of another user or number are not stored', async () => {
  await sync(usersJob)
  await sync(phoneNumbers)
  world.ways.tell = (asked, { body }) => {
    const one = /\/(users|numbers)\/[^/?]+$/.test(asked.path.split('?')[0] ?? '')
    if (one) Object.assign(body as object, { id: 'somebody-else' })
  }
  for (const [job, stream] of [
    [userDetails, 'user_details'],
    [phoneNumberDetails, 'phone_number_details'],
  ] as const) {
    const run = await sync(job)
    expect(run.state).toBe('incomplete')
    expect(run.problems.join()).toMatch(/is about another record/)
    expect(run.tables[stream]?.present ?? 0).toBe(0)
  }
})

test('an answer for another recording neither confirms nor refutes a deletion', async () => {
  await sync(recordings)
  const { rows } = await sql<{ id: string }>`
    select session_id as id from svc.recording_sessions order by 1`.execute(world.warehouse.db)
  world.ways.tell = (asked, { body }) => {
    const page = body as { sessions?: { session_id: string }[]; total_records?: unknown }
    if (page.sessions !== undefined) {
      page.sessions = page.sessions.filter(({ session_id: id }) => id !== rows[0]?.id)
      delete page.total_records
    } else if (/\/recordings/.test(asked.path)) Object.assign(page, { session_id: rows[1]?.id })
  }
  const run = await sync(recordings, true)
  expect(run.state).toBe('incomplete')
  expect(run.problems.join()).toMatch(/could not check whether missing rows are deleted/)
  expect(run.tables.recording_sessions).toMatchObject({ deleted: 0 })
})

async function sync(job: Job, full = false): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full })
  if (result === undefined) throw new Error('No run')
  return result
}

async function idsOf(stream: string): Promise<unknown[]> {
  const { rows } = await sql`select session_id, id from ${sql.id('svc', stream)}
    where _deleted_at is null order by 1, 2`.execute(world.warehouse.db)
  return rows
}
