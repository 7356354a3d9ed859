import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import sessionReports from '../../jobs/session-reports.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import type { Job } from '../../src/core/define/job.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
})
afterEach(() => world.close())

const archives = only(whiteboardArchives, 'whiteboard_sessions', 'whiteboard_participants')
const reports = only(sessionReports, 'session_reports')

test.each([
  ['a time', archives, '/whiteboards/sessions', { end_time: 'soon' }, 'whiteboard_sessions'],
  ['a duration', reports, '/videosdk/sessions', { duration: 'an hour' }, 'session_reports'],
  ['a boolean', reports, '/videosdk/sessions', { has_voip: 'often' }, 'session_reports'],
  ['a number', reports, '/videosdk/sessions', { user_count: 'many' }, 'session_reports'],
])(
  '%s that cannot be parsed does not replace a stored value',
  async (_what, job, path, change, name) => {
    await sync(job)
    for (const many of [false, true]) {
      respell(path, (record, at) => (many || at === 0 ? { ...record, ...change } : record))
      for (let night = 0; night < 2; night++) {
        const { state, problems } = await sync(job)
        expect(state).toBe(many ? 'incomplete' : 'complete')
        expect(problems.join('\n')).toMatch(
          new RegExp(
            `${name}: the service sent \\d+ records? with a value that can no longer be read`,
          ),
        )
        await truth(job)
      }
    }
    delete world.ways.tell
    expect(await sync(job)).toMatchObject({ state: 'complete', problems: [] })
    await truth(job)
  },
)

test.each([
  ['a time of a session', { end_time: 'soon' }, 'whiteboard_sessions: 20 rows lack end_time'],
  [
    'a time in its key',
    { join_whiteboard_time: 'soon' },
    'whiteboard_participants: 100 unusable records',
  ],
  [
    'another time',
    { leave_whiteboard_time: 'soon' },
    'whiteboard_participants: 97 rows lack leave',
  ],
])(
  '%s that cannot be parsed in the first load leaves the run incomplete',
  async (_what, change, told) => {
    const spoil = (record: object): object => {
      const shared = Object.keys(change).filter((name) => name in record && record[name as never])
      return { ...record, ...Object.fromEntries(shared.map((name) => [name, 'soon'])) }
    }
    for (const [many, state] of [
      [true, 'incomplete'],
      [true, 'incomplete'],
      [false, 'complete'],
    ] as const) {
      respell('/whiteboards/sessions', (record, at) => {
        if (!many && at > 0) return record
        const people = record.regulated_participants as object[]
        const part = many
          ? people.map(spoil)
          : people.map((one, place) => (place ? one : spoil(one)))
        return { ...spoil(record), regulated_participants: part }
      })
      const run = await sync(archives)
      expect(run.state).toBe(state)
      expect(run.problems).toEqual(many ? [expect.stringContaining(told)] : [])
    }
  },
)

test('participants with unreadable join times are not deleted and keep their keys', async () => {
  await sync(archives)
  respell('/whiteboards/sessions', (record) => ({
    ...record,
    regulated_participants: (record.regulated_participants as object[]).map((one) => ({
      ...one,
      join_whiteboard_time: 'soon',
    })),
  }))
  const { state, tables } = await sync(archives)
  expect(state).toBe('incomplete')
  expect(tables.whiteboard_participants).toMatchObject({ inserted: 0, deleted: 0 })
  await truth(archives)
  const { rows } = await sql<{
    reason: string
  }>`select distinct reason from callsheet.quarantine`.execute(world.warehouse.db)
  expect(rows).toEqual([{ reason: 'key field join_whiteboard_time is a time that cannot be read' }])
})

function respell(
  path: string,
  change: (record: Record<string, unknown>, at: number) => object,
): void {
  const places = new Map<unknown, number>()
  world.ways.tell = (asked, { body }) => {
    if (!asked.path.endsWith(path)) return
    const page = body as { sessions: Record<string, unknown>[] }
    for (const { id } of page.sessions) if (!places.has(id)) places.set(id, places.size)
    page.sessions = page.sessions.map((one) =>
      change(one, places.get(one.id) ?? 0),
    ) as typeof page.sessions
  }
}

async function truth({ streams }: Job): Promise<void> {
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
}

function only(job: Job, ...names: string[]): Job {
  return { ...job, streams: job.streams.filter(({ name }) => names.includes(name)) }
}

async function sync(job: Job): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full: true })
  if (result === undefined) throw new Error('No run')
  return result
}
