import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import whiteboards from '../../jobs/whiteboards.ts'
import { archiveFilesOf, mediumPerDay, spendAllBut } from '../helpers/scarce-calls.ts'
import { remakeAllStates } from '../helpers/slice-states.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
afterEach(() => world.close())

const jobs = [whiteboards, whiteboardArchives]
const archive = () => archiveFilesOf(world, [whiteboardArchives])

interface Left {
  parent: string
  pending: number
  stored: number
}

/** The number of each session's stored and pending files; files without a row count as pending. */
async function standing(): Promise<Left[]> {
  const { rows } = await sql<Left>`
    select s.id as parent, count(*) filter (where f.state = 'stored')::int as stored,
      count(*) filter (where coalesce(f.state, 'pending') = 'pending')::int as pending
    from svc.whiteboard_sessions s
      join svc.whiteboard_activities a on a.account = s.account and a.session_id = s.id
      left join callsheet.files f on f.account = a.account and f.parent = s.id and f.item = a.id
    group by s.id, s.expire_time order by s.expire_time, s.id`.execute(world.warehouse.db)
  return rows
}

/** Makes one session expire in two hours, all others in weeks. Returns its ID and its calls. */
async function makeOneUrgent(): Promise<{ expiring: string; calls: number }> {
  const { rows } = await sql<{ expiring: string; calls: number }>`
    with chosen as (
      select session_id as id, 1 + count(*)::int as calls from svc.whiteboard_activities
      group by session_id order by abs(count(*) - 20), 1 limit 1),
    moved as (
      update svc.whiteboard_sessions set expire_time = callsheet.clock()
        + case when id = (select id from chosen) then interval '2 hours' else interval '40 days' end)
    select id as expiring, calls from chosen`.execute(world.warehouse.db)
  return rows[0]!
}

describe('a daily quota that just suffices for the session that expires first', () => {
  const open = async () => {
    const sizes = { ...TINY, activities: 600 }
    world = await openWorld({ sizes, archive: { files: false }, quotas: mediumPerDay(5_000) })
    for (const { state, problems } of await world.sync({ jobs }))
      if (state !== 'complete') throw new Error(`The first sync is ${state}: ${problems.join()}`)
    return await makeOneUrgent()
  }
  const expectFetched = async (expiring: string) => {
    const sessions = await standing()
    expect(sessions.find(({ parent }) => parent === expiring)).toMatchObject({ pending: 0 })
    expect(sessions.reduce((sum, { stored }) => sum + stored, 0)).toBeGreaterThan(5)
    // The calls did not suffice for all sessions; otherwise the order would not matter.
    expect(sessions.filter(({ pending }) => pending > 0).length).toBeGreaterThan(3)
  }

  it.each([0, 4, 20])('is spent on that session, and %i extra calls on others', async (more) => {
    const { expiring, calls } = await open()
    await spendAllBut(world, calls + more)
    expect(await archive()).toMatchObject({ state: 'paused' })
    await expectFetched(expiring)
  })

  it('is spent on that session before other jobs of the sync', async () => {
    const { expiring, calls } = await open()
    await spendAllBut(world, calls)
    const ends = await world.sync({ jobs, full: true })
    expect(ends.find(({ job }) => job === 'whiteboard-archives')?.state).toBe('paused')
    await expectFetched(expiring)
  })

  it('is spent on that session before sessions that were never listed and have time', async () => {
    const { expiring, calls } = await open()
    await sql`delete from svc.whiteboard_activities`.execute(world.warehouse.db)
    await sql`delete from callsheet.slices where stream = 'whiteboard_activities'`.execute(
      world.warehouse.db,
    )
    await remakeAllStates(world.warehouse.db)
    // The calls also pay for the list of sessions and for the urgent session's own list.
    await spendAllBut(world, calls + 12)
    const ends = await world.sync({ jobs })
    const run = ends.find(({ job }) => job === 'whiteboard-archives')
    expect(run?.state).toBe('paused')
    expect(run?.slices.whiteboard_activities?.notRead).toBeGreaterThan(3)
    const sessions = await standing()
    expect(sessions.find(({ parent }) => parent === expiring)).toMatchObject({ pending: 0 })
    const { rows } = await sql<{ unread: number }>`
      select count(*)::int as unread from svc.whiteboard_sessions s where not exists (
        select 1 from svc.whiteboard_activities a where a.session_id = s.id)`.execute(
      world.warehouse.db,
    )
    expect(rows[0]?.unread).toBeGreaterThan(3)
  })
})
