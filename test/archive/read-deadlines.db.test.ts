import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { orderByDeadline } from '../../src/archive/archive-order.ts'
import { callsAreScarce, readDeadlines } from '../../src/archive/read-deadlines.ts'
import { type DueSession, dueSessions } from '../../src/archive/sql/archive-deadlines.ts'
import { QUOTA_PRESETS, type Quota } from '../../src/core/define/quota.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'
import { remakeAllStates } from '../helpers/slice-states.ts'
import { openWorld, WORLD_NOW, type World } from '../helpers/world.ts'

const NOW = Date.parse(WORLD_NOW)
/** Late enough that sessions which expire after 30 days do so within the week. */
const LATER = NOW + 4 * DAY_MS
const ACCOUNT = 'account-0'

let world: World
beforeAll(async () => {
  const sizes = {
    users: 60,
    sessions: 0,
    recordings: 0,
    numbers: 0,
    whiteboards: 900,
    activities: 9_000,
  }
  world = await openWorld({ seed: 11, sizes })
  const [result] = await world.sync({ jobs: [whiteboardArchives] })
  if (result?.state !== 'complete') throw new Error(result?.problems.join('; '))
  await world.advance(4 * DAY_MS)
}, 120_000)
afterAll(() => world.close())

const due = (days: number) =>
  dueSessions(world.warehouse.db, { account: ACCOUNT, untilMs: LATER + days * DAY_MS })
const archivesOf = (sessions: readonly DueSession[]): number =>
  sessions.reduce((sum, { archives }) => sum + archives, 0)

describe('the archives that expire soon', () => {
  it('are those of existing sessions in the tables', async () => {
    const { sessions, unread } = await due(7)
    const { rows } = await sql<{ sessions: number; archives: number }>`
      select count(distinct s.id)::int as sessions, count(*)::int as archives
      from svc.whiteboard_sessions s, svc.whiteboard_activities a
      where a.session_id = s.id and a.account = s.account and s.account = ${ACCOUNT}
        and s.expire_time between ${new Date(LATER).toISOString()}::timestamptz
          and ${new Date(LATER + 7 * DAY_MS).toISOString()}::timestamptz`.execute(
      world.warehouse.db,
    )
    expect(sessions.length).toBeGreaterThan(2)
    expect({ sessions: sessions.length, archives: archivesOf(sessions) }).toEqual(rows[0])
    expect(unread).toBe(0)
    expect(sessions.some(({ outsiders }) => outsiders)).toBe(true)
    expect(sessions).toEqual(orderByDeadline(sessions, { rules: [], suffices: true }))
  })

  it('do not include stored and missing files', async () => {
    const before = await due(7)
    const [first, second] = before.sessions
    const states = ['stored', 'missing', 'pending']
    for (const [n, state] of states.entries())
      await sql`insert into callsheet.files (account, kind, parent, item, state, sha256, size, state_at)
        select ${ACCOUNT}, 'activity', session_id, id, ${state},
          case when ${state} = 'stored' then sha256('x') end,
          case when ${state} = 'stored' then 1 end, callsheet.clock()
        from svc.whiteboard_activities where account = ${ACCOUNT} and session_id = ${first?.session}
        order by id offset ${n} limit 1`.execute(world.warehouse.db)
    const after = await due(7)
    expect(archivesOf(before.sessions) - archivesOf(after.sessions)).toBe(2)
    expect(after.sessions.find(({ session }) => session === second?.session)).toEqual(second)
    await sql`delete from callsheet.files`.execute(world.warehouse.db)
  })

  it.each([0, 1])('are unread if a list ended with 404 after %d pages', async (pages) => {
    const { sessions } = await due(7)
    const id = sessions[0]?.session
    const { db } = world.warehouse
    const rename = (from: string, to: string) =>
      sql`update svc.whiteboard_sessions set id = ${to} where account = ${ACCOUNT}
        and id = ${from}`.execute(db)
    await rename(`${id}`, `${id}-new`)
    await sql`insert into callsheet.slices (account, stream, slice, run_id, state, requested_at, finished_at,
        pages, received, inserted, updated, unchanged, ignored, quarantined, deleted, checked, error)
      values (${ACCOUNT}, 'whiteboard_activities', ${`session=${id}-new`}, 9, 'complete', callsheet.clock(),
        callsheet.clock(), ${pages}, 0, 0, 0, 0, 0, 0, 0, false, 'HTTP 404')`.execute(db)
    await remakeAllStates(db)
    expect((await due(7)).unread).toBe(1)
    await sql`delete from callsheet.slices where slice = ${`session=${id}-new`}`.execute(db)
    await remakeAllStates(db)
    await rename(`${id}-new`, `${id}`)
  })

  it('are unread if their session was never listed, and the session is counted', async () => {
    const { sessions } = await due(7)
    await sql`update svc.whiteboard_sessions set id = id || '-new' where account = ${ACCOUNT}
      and id = ${sessions[0]?.session}`.execute(world.warehouse.db)
    const after = await due(7)
    expect(after.unread).toBe(1)
    expect(after.sessions).toHaveLength(sessions.length - 1)
    await sql`update svc.whiteboard_sessions set id = ${sessions[0]?.session}
      where account = ${ACCOUNT} and id like '%-new'`.execute(world.warehouse.db)
  })
})

describe('the quota for expiring archives', () => {
  const forecast = (spent: number) =>
    readDeadlines(world.warehouse, {
      account: ACCOUNT,
      rules: [{ outsiders: true }],
      stream: whiteboardActivities,
      label: 'MEDIUM',
      pageSize: 300,
      retryAtMs: 0,
      facts: factsOf({ MEDIUM: { perSecond: 2, perDay: 2, pool: 'MEDIUM' }, spent }),
    })

  it('is compared with the calls that the archives need, and lost sessions are named', async () => {
    const { sessions } = await due(7)
    const { horizons, lost, suffices } = await forecast(2)
    const week = horizons[1]
    expect(week?.archives).toBe(archivesOf(sessions))
    expect(week?.allowed).toBe(7 * 2)
    expect(suffices).toBe(false)
    expect(week?.lost).toBe(lost.reduce((sum, one) => sum + one.lost, 0))
    expect(week?.lost).toBeGreaterThanOrEqual((week?.calls ?? 0) - 7 * 2)
    expect(lost.map(({ session }) => session)).toEqual(
      orderByDeadline(lost, { rules: [{ outsiders: true }], suffices: false }).map(
        ({ session }) => session,
      ),
    )
  })

  it('is forecast with the archives and sessions that expired and are not recorded as lost', async () => {
    const { sessions } = await due(7)
    const [late, unlisted] = sessions
    const { db } = world.warehouse
    await sql`update svc.whiteboard_sessions set expire_time = expire_time - interval '12 days'
      where account = ${ACCOUNT} and id in (${late?.session}, ${unlisted?.session})`.execute(db)
    await sql`update svc.whiteboard_sessions set id = id || '-new'
      where account = ${ACCOUNT} and id = ${unlisted?.session}`.execute(db)
    expect((await forecast(0)).overdue).toEqual({ archives: late?.archives, sessions: 1 })
    await sql`insert into callsheet.files (account, kind, parent, item, state, state_at)
      select account, 'activity', session_id, id, 'expired', callsheet.clock()
      from svc.whiteboard_activities where account = ${ACCOUNT} and session_id = ${late?.session}
      order by id limit 1`.execute(db)
    await sql`insert into callsheet.incidents (account, kind, subject, at, detail)
      values (${ACCOUNT}, 'expired_before_download', ${`session:${unlisted?.session}-new`},
        callsheet.clock(), 'told')`.execute(db)
    expect((await forecast(0)).overdue).toEqual({
      archives: (late?.archives ?? 0) - 1,
      sessions: 0,
    })
  })

  it.each([
    { name: 'twice the needed calls and 500 more', fewer: 0, verdict: 'sufficient' },
    { name: 'one call less', fewer: 1, verdict: 'scarce' },
    {
      name: 'one call less without a daily limit',
      fewer: 1,
      verdict: 'sufficient',
      unlimited: true,
    },
    { name: 'one call less if nothing expires', fewer: 1, verdict: 'sufficient', laterDays: 400 },
  ])('is $verdict with $name', async ({ fewer, verdict, unlimited, laterDays = 0 }) => {
    const calls = (await forecast(0)).horizons[1]?.calls ?? 0
    expect(calls).toBeGreaterThan(1)
    const perDay = 2 * calls + 500
    const MEDIUM = { perSecond: 2, pool: 'MEDIUM', ...(unlimited ? {} : { perDay }) }
    const facts = factsOf({ MEDIUM, spent: fewer, nowMs: LATER + laterDays * DAY_MS })
    await world.advance(laterDays * DAY_MS)
    const options = { account: ACCOUNT, label: 'MEDIUM', pageSize: 300, facts } as const
    expect(await callsAreScarce(world.warehouse, options)).toBe(verdict === 'scarce')
  })
})

const factsOf = ({
  MEDIUM,
  spent,
  nowMs = LATER,
}: {
  MEDIUM: Quota
  spent: number
  nowMs?: number
}) => ({
  quotas: { ...QUOTA_PRESETS.starter, MEDIUM },
  reserve: 0,
  spentToday: new Map([['MEDIUM', spent]]),
  learned: new Map(),
  nowMs,
})
