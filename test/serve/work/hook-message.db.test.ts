import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import usersJob from '../../../jobs/users.ts'
import numberInventory from '../../../reports/number-inventory.ts'
import { publishReport } from '../../../src/report/publish-report.ts'
import { BLOCKS, keysOf } from '../../docs/pages.ts'
import { ACCOUNT, useHookWorld, WEBHOOK } from './hook-stage.ts'

const { world, folder, server, run, open } = useHookWorld()
const bodies = () => server().taken.map(({ body }) => JSON.parse(body) as Record<string, unknown>)

/** The message for this event that docs/hooks.md shows. */
const documented = (event: string): Record<string, unknown> =>
  BLOCKS.filter(({ page, language }) => page === 'docs/hooks.md' && language === 'json')
    .map(({ text }) => JSON.parse(text) as Record<string, unknown>)
    .find((shown) => shown.event === event) ?? {}

describe('a hook after runs', () => {
  it('receives the verdict, the counts, and what report.freshness shows of each table', async () => {
    const { hooks } = open({ after: 'run', webhook: { url: 'env:HOOK', bearer: 'env:BEARER' } })
    hooks.afterRuns(ACCOUNT, [run('users')])
    await hooks.settled()
    expect(server().taken).toMatchObject([
      { method: 'POST', path: '/token-1', headers: { authorization: 'Bearer bearer-1' } },
    ])
    const { rows } = await sql<{ table: string; whole: boolean; complete_to: string }>`
      select "table", state, whole, date_trunc('second', complete_to) as complete_to
      from report.freshness where account = ${ACCOUNT}
      `.execute(world().warehouse.db)
    expect(rows.length).toBeGreaterThan(20)
    const { runId, tables } = run('users')
    const [body = {}] = bodies()
    expect(body).toMatchObject({
      version: 1,
      subject: `Run ${runId} of users, account account-0: complete`,
      event: 'run',
      account: ACCOUNT,
      job: 'users',
      run: runId,
      state: 'complete',
      partial: false,
      started_at: expect.stringMatching(/^2026-07-08T02:30:00/),
      finished_at: expect.stringMatching(/^2026-07-08T02:30:00/),
      problems: 0,
      tables: Object.fromEntries(rows.map(({ table, ...rest }) => [table, rest])),
    })
    expect(body.tables).toMatchObject({
      users: { whole: true },
      recording_sessions: { whole: false },
    })
    expect(tables.users?.inserted).toBeGreaterThan(0)
    const { inserted, updated, deleted } = tables.users!
    expect(body.counts).toMatchObject({ users: { inserted, updated, deleted } })
    const shown = documented('run') as { tables: Record<string, object> }
    expect({ ...keysOf(shown), tables: 0, counts: 0 }).toEqual({
      ...keysOf(body),
      tables: 0,
      counts: 0,
    })
    const freshness = body.tables as Record<string, object>
    for (const [table, shownAs] of Object.entries(shown.tables))
      expect([table, Object.keys(shownAs)]).toEqual([table, Object.keys(freshness[table] ?? {})])
  })

  it('shares one message with other hooks and later tries', async () => {
    const { hooks, clock, seen } = open({ after: 'run', ...WEBHOOK }, { after: 'run', ...WEBHOOK })
    server().state.answer = 500
    hooks.afterRuns(ACCOUNT, [run('users')])
    await seen('hook failed', 2)
    await sql`update callsheet.runs set state = 'failed' where id = ${run('users').runId}
      `.execute(world().warehouse.db)
    server().state.answer = 200
    await clock.advance(60_000)
    await hooks.settled()
    await sql`update callsheet.runs set state = 'complete' where id = ${run('users').runId}
      `.execute(world().warehouse.db)
    expect(bodies()).toHaveLength(4)
    for (const body of bodies()) expect(body).toEqual(bodies()[0])
  })

  it('receives neither a problem’s text nor a person’s address', async () => {
    await world().faults([{ kind: 'status', status: 500, operation: 'users.list' }])
    const results = await world().sync({ jobs: [usersJob], full: true })
    await world().faults([])
    const { hooks } = open({ after: 'run', ...WEBHOOK })
    hooks.afterRuns(ACCOUNT, results)
    await hooks.settled()
    await world().sync({ jobs: [usersJob], full: true })
    const [body = {}] = bodies()
    expect(body).toMatchObject({ tables: { users: { whole: false } } })
    expect(body.state).not.toBe('complete')
    expect(body.problems).toBe(results[0]?.problems.length)
    expect(body.problems).toBeGreaterThan(0)
    expect(JSON.stringify(body)).not.toMatch(/@|HTTP 500/)
  })

  it('follows the jobs that it names, and no interrupted run', async () => {
    const { hooks } = open(
      { after: 'run', jobs: ['users'], ...WEBHOOK },
      { after: 'report', ...WEBHOOK },
    )
    const stopped = { ...run('users'), state: 'interrupted' } as const
    const evidence = { ...run('users'), job: 'evidence' }
    hooks.afterRuns(ACCOUNT, [run('phone-numbers'), stopped, evidence])
    expect(hooks.underWay()).toBe(0)
    hooks.afterRuns(ACCOUNT, [run('users')])
    await hooks.settled()
    expect(bodies()).toMatchObject([{ job: 'users' }])
  })
})

describe('a hook after reports', () => {
  it('receives the verdict and the files with their hashes', async () => {
    const { hooks } = open({ after: 'report', reports: ['number-inventory'], ...WEBHOOK })
    const published = await publishReport(world(), {
      report: numberInventory,
      account: ACCOUNT,
      params: {},
      timeZone: 'UTC',
      directory: folder(),
      formats: ['csv'],
    })
    hooks.afterReport(ACCOUNT, 'recordings', published)
    hooks.afterReport(ACCOUNT, 'number-inventory', published)
    await hooks.settled()
    const { files, covered, runIds } = published
    expect(files.length).toBeGreaterThan(0)
    expect(bodies()).toEqual([
      {
        version: 1,
        subject: expect.stringMatching(/^Report number-inventory of account account-0, Jul 8: /),
        text: expect.any(String),
        event: 'report',
        account: ACCOUNT,
        report: 'number-inventory',
        period: 'Jul 8',
        verdict: covered ? 'complete' : 'incomplete',
        not_made: [],
        as_of: expect.stringMatching(/^2026-07-08T/),
        runs: runIds,
        files: files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
      },
    ])
    expect({ ...keysOf(documented('report')), not_made: 0 }).toEqual({
      ...keysOf(bodies()[0]!),
      not_made: 0,
    })
  })
})
