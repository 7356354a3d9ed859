import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
})
afterEach(() => world.close())

test('a session with one valid time is read in full; one without a valid time is reported', async () => {
  const [endless = '', startless = '', timeless = ''] = await longest()
  alter({
    [endless]: { end_time: null },
    [startless]: { start_time: 'unknown' },
    [timeless]: { start_time: '', end_time: null },
  })
  for (let night = 0; night < 2; night++) {
    const told = await sync()
    expect(told.state).toBe('incomplete')
    expect(told.problems).toEqual([
      expect.stringContaining(
        `whiteboard_activities session=${timeless}: Reading whiteboard_sessions.get`,
      ),
    ])
    expect(told.problems[0]).toContain('neither start_time nor end_time')
    const shown = await service()
    for (const id of [endless, startless]) expect(await held(id)).toBe(shown.get(id))
    expect(await held(timeless)).toBe(0)
    await world.advance(DAY_MS)
  }
  delete world.ways.tell
  expect(await sync(true)).toMatchObject({ state: 'complete', problems: [] })
  await equalsService()
})

test('the activities of an ended session are read again if the session’s times change', async () => {
  await sync()
  const { rows } = await sql<{ id: string }>`select id from svc.whiteboard_sessions
    order by start_time desc limit 1`.execute(world.warehouse.db)
  const [{ id } = { id: '' }] = rows
  alter({ [id]: { end_time: null } })
  for (let night = 0; night < 3; night++) {
    await world.advance(DAY_MS)
    await sync()
  }
  const before = await readings(id)
  expect(before.at(-1)).toBe('final')
  delete world.ways.tell
  await sync()
  await world.advance(DAY_MS)
  for (let run = 0; run < 2; run++) await sync()
  expect(await readings(id)).toEqual([...before, 'open', 'final'])
  await equalsService()
})

async function sync(full = false): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [whiteboardArchives], full })
  if (result === undefined) throw new Error('No run')
  return result
}

/** From now on, changes some sessions in the list of sessions. */
function alter(changes: Record<string, object>): void {
  world.ways.tell = (_asked, { body }) => {
    const { sessions = [] } = body as { sessions?: { id: string }[] }
    for (const session of sessions) Object.assign(session, changes[session.id])
  }
}

/** The number of activities that the service has, by session. */
async function service(): Promise<Map<string, number>> {
  const response = await fetch(`${world.sandbox.url}/__sandbox/truth/whiteboard_activities`)
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  const rows = lines.map((line) => JSON.parse(line) as { session_id: string })
  const counts = Map.groupBy(rows, ({ session_id: id }) => id)
  return new Map([...counts].map(([id, { length }]) => [id, length]))
}

async function longest(): Promise<string[]> {
  return [...(await service())].toSorted((a, b) => b[1] - a[1]).map(([id]) => id)
}

async function held(id: string): Promise<number> {
  const { rows } = await sql<{ held: number }>`select count(*)::int as held
    from svc.whiteboard_activities where session_id = ${id}`.execute(world.warehouse.db)
  return rows[0]?.held ?? 0
}

async function readings(id: string): Promise<string[]> {
  const { rows } = await sql<{ said: string }>`
    select case when final then 'final' else 'open' end as said from callsheet.slices
    where slice = ${`session=${id}`} order by run_id`.execute(world.warehouse.db)
  return rows.map(({ said }) => said)
}

async function equalsService(): Promise<void> {
  const of = { account: 'account-0', streams: [whiteboardActivities] }
  await expectTruth(world.warehouse, world.sandbox, of)
}
