import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import numberDetails from '../../jobs/number-details.ts'
import numberSettings from '../../jobs/number-settings.ts'
import phoneNumbers from '../../jobs/phone-numbers.ts'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { makeRecordedCall } from '../../src/apply/make-recorded-call.ts'
import { deleteRecordings } from '../../src/resources/recording-changes.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

/** A service that decodes no ID in a path as documented. */
const READINGS = {
  idForms: 'odd',
  recordingIds: 'once',
  whiteboardIds: 'twice',
  otherIds: 'reserved',
} as const
const JOBS = [
  phoneNumbers,
  numberSettings,
  whiteboardArchives,
  recordings,
  numberDetails,
  recordingDetails,
]
let world: World
let unfound = 0
const noted = (): void => {
  world.ways.tell = ({ path }, { status }) => {
    // A recording in the trash has no detail, rightly.
    if (status >= 400 && !path.includes('/recordings')) unfound++
  }
}
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, readings: READINGS, altered: true })
  noted()
})
afterAll(() => world.close())

test('an ID that is not found in its documented encoding is found in the other one', async () => {
  await syncsWhole()
  expect(unfound).toBeGreaterThan(3)
  await world.advance(0)
  const runs = await syncsWhole({ full: true })
  expect(runs.flatMap(({ tables }) => Object.values(tables).map(({ deleted }) => deleted))).toEqual(
    runs.flatMap(({ tables }) => Object.values(tables).map(() => 0)),
  )
})

test('a write call finds its record if the service decodes the ID otherwise than documented', async () => {
  const odd = await idOf(sql`select session_id as id from svc.recording_sessions
    where session_id like '/%' and _deleted_at is null and not trashed limit 1`)
  await world.advance(0)
  const made = await makeRecordedCall(world.account.deps, {
    account: 'account-0',
    operation: deleteRecordings,
    args: { path: { sessionId: odd } },
    body: undefined,
    askedBy: () => 'somebody',
    signal: new AbortController().signal,
  })
  expect(made).toMatchObject({ status: 204 })
  const { rows } = await sql`select state, status from callsheet.calls`.execute(world.warehouse.db)
  expect(rows).toEqual([{ state: 'done', status: 204 }])
  await syncsWhole({ full: true })
})

test('a record that no list shows is not deleted because of its ID’s encoding', async () => {
  const odd = await idOf(sql`select session_id as id from svc.recording_sessions
    where session_id like '%//%' and _deleted_at is null and not trashed limit 1`)
  await world.advance(0)
  world.ways.tell = ({ path }, told) => {
    const body = told.body as { sessions?: { session_id: string }[]; total_records?: number }
    if (path !== '/v2/videosdk/recordings' || body.sessions === undefined) return
    const shown = body.sessions.filter(({ session_id }) => session_id !== odd)
    if (shown.length < body.sessions.length && body.total_records !== undefined)
      body.total_records--
    body.sessions = shown
  }
  const [run] = await world.sync({ jobs: [recordings], full: true })
  noted()
  expect(run?.state).toBe('incomplete')
  expect(run?.problems.join('\n')).toMatch(
    /no list contains \d+ records? whose details the service still returns/,
  )
  expect(await deletedOf(odd)).toBeNull()
})

test('a record is deleted only after both encodings are tried', async () => {
  await syncsWhole({ full: true })
  const { rows } = await sql<{ id: string }>`select session_id as id from svc.recording_sessions
    where _deleted_at is null and not trashed order by session_id limit 2`.execute(
    world.warehouse.db,
  )
  const ops = rows.map(({ id }) => ({ kind: 'recordings', action: 'remove', id }))
  await world.mutate({ ops })
  await syncsWhole({ full: true })
  for (const { id } of rows) expect(await deletedOf(id)).not.toBeNull()
})

async function syncsWhole({ full = false } = {}): Promise<RunResult[]> {
  const runs = await world.sync({ jobs: JOBS, full })
  expect(runs.map(({ state, problems }) => ({ state, problems }))).toEqual(
    JOBS.map(() => ({ state: 'complete', problems: [] })),
  )
  const streams = JOBS.flatMap((job) => job.streams)
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
  return runs
}

async function deletedOf(id: string): Promise<string | null | undefined> {
  const { rows } = await sql<{ at: string | null }>`select _deleted_at as at
    from svc.recording_sessions where session_id = ${id}`.execute(world.warehouse.db)
  return rows[0]?.at
}

async function idOf(query: ReturnType<typeof sql<{ id: string }>>): Promise<string> {
  const { rows } = await query.execute(world.warehouse.db)
  const [row] = rows
  if (row === undefined) throw new Error('there is no such row')
  return row.id
}
