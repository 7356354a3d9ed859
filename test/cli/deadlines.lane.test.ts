import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

/** Set only after the first sync, so that all files are still pending. */
const FILES = 'archive: {files: true}'
let bench: Workbench
let warehouse: Warehouse
beforeAll(async () => {
  bench = await openWorkbench()
  warehouse = connect({ url: bench.databaseUrl })
  const { code, stderr } = await bench.run('sync', 'whiteboard-archives')
  if (code !== 0) throw new Error(stderr)
  await addSession('s-soon', { hours: 20, archives: 700 })
  await addSession('s-outsiders', { hours: 60, archives: 500, outsiders: true })
  await addSession('s-late', { hours: 100, archives: 900 })
}, 60_000)
afterAll(async () => {
  await warehouse.close()
  await bench.close()
})

const limited = (perDay: number) =>
  bench.configure({
    account: [`quotas: {MEDIUM: {perSecond: 900, perDay: ${perDay}}}`, 'reserve: 0'],
    top: [FILES],
  })

interface Planned {
  files: { files: number; calls: number }[]
  labels: { label: string; calls: number }[]
  archive: Deadlines
}

interface Deadlines {
  suffices: boolean | null
  lost: { session: string; lost: number; expiresAt: string }[]
  horizons: { hours: number; archives: number; lost: number; allowed: number }[]
}

describe('plan and status', () => {
  it('report that the quota suffices', async () => {
    limited(10_000)
    const { stdout: plan } = await bench.run('plan', 'whiteboard-archives', '--json')
    const { files, labels } = (JSON.parse(plan) as { accounts: Planned[] }).accounts[0]!
    expect(files).toMatchObject([{ job: 'whiteboard-archives', kind: 'activity', label: 'MEDIUM' }])
    const [{ files: pending, calls }] = files as [Planned['files'][number]]
    expect(pending).toBeGreaterThan(700 + 500 + 900)
    // Listing the three sessions again takes 3 + 2 + 3 pages of 300, and each other session one page.
    expect(calls - pending).toBeGreaterThan(3 + 2 + 3)
    expect(labels.find(({ label }) => label === 'MEDIUM')?.calls).toBeGreaterThan(calls)
    for (const command of [['plan', 'whiteboard-archives'], ['status']]) {
      const { stdout, code } = await bench.run(...command)
      expect(stdout).toMatch(
        /\d archives expire within 24 hours, 2,\d\d\d within 7 days; downloading /,
      )
      expect(stdout).toMatch(/takes 2,\d\d\d MEDIUM calls, for which the quota suffices\./)
      expect(code).toBe(0)
    }
  })

  it('list the archives that will be lost if the quota is too small', async () => {
    // More than today's sync used, but less than the pending files need within five days.
    limited(280)
    const { stdout } = await bench.run('plan', 'whiteboard-archives')
    expect(stdout).toMatch(
      /The quota does not suffice: .* within 7 days\.\n[\d,]+ archives can be fetched/,
    )
    expect(stdout).toMatch(/will be lost, [\d,]+ of them within 24 hours, first of them:\n/)
    expect(stdout).toMatch(/s-soon +wb-test +700 +\d+ +\d{4}-\d\d-\d\d \d\d:\d\d/)
    const status = await bench.run('status', '--json')
    expect(status.code).toBe(1)
    const { accounts } = JSON.parse(status.stdout) as {
      accounts: {
        health: object
        archive: { deadlines: Deadlines; files: object[]; incidents: object[] }
      }[]
    }
    const { deadlines, files } = accounts[0]!.archive
    const losing = deadlines.lost.reduce((sum, one) => sum + one.lost, 0)
    expect(accounts[0]?.health).toMatchObject({
      level: 'red',
      causes: expect.arrayContaining([
        expect.objectContaining({
          code: 'archive_expiring',
          sentence: expect.stringMatching(
            new RegExp(`^${losing} archived files will expire`),
          ) as string,
        }),
      ]) as object[],
    })
    expect(deadlines.suffices).toBe(false)
    // A run reads lists after it has fetched the archives, so lists take no quota from them.
    const plan = await bench.run('plan', 'whiteboard-archives', '--full', '--json')
    const [planned] = (JSON.parse(plan.stdout) as { accounts: [Planned] }).accounts
    expect(planned.archive.lost).toEqual(deadlines.lost)
    const lost = new Map(deadlines.lost.map((one) => [one.session, one.lost]))
    expect(lost.get('s-outsiders') ?? 0).toBeLessThan(lost.get('s-late') ?? 0)
    expect(deadlines.horizons.map(({ hours }) => hours)).toEqual([24, 168])
    expect(files).toEqual([
      { kind: 'activity', state: 'pending', files: expect.any(Number), bytes: 0 },
    ])
  })

  it('list files that are already too late first', async () => {
    await addSession('s-over', { hours: -5, archives: 30 })
    await addSession('s-empty', { hours: -5, archives: 0 })
    limited(10_000)
    for (const command of [['plan', 'whiteboard-archives'], ['status']]) {
      const { stdout } = await bench.run(...command)
      expect(stdout).toMatch(
        /30 archives were not downloaded before the last day ended: lost, unless .*incident\.\n.*2 sess/,
      )
      expect(stdout).toMatch(/incident\.\n.*expire within 24 hours/)
    }
    const { code, stdout } = await bench.run('status')
    expect(stdout).toMatch(
      /^RED archive_expiring: 30 archived files were not downloaded .*; 2 sessions/m,
    )
    expect(code).toBe(1)
  })

  it('omit the archives if another job is planned', async () => {
    const { stdout } = await bench.run('plan', 'users', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ accounts: [{ archive: null }] })
  })

  it('report that it is unknown whether the quota suffices while the rate limit is learned', async () => {
    bench.configure({ account: ['quotas: learn'], top: [FILES] })
    const { stdout } = await bench.run('plan', 'whiteboard-archives')
    expect(stdout).toMatch(/Whether the quota suffices is unknown until its rate limit is learned/)
  })
})

describe('status', () => {
  it('shows the files by state and the incidents of a week', async () => {
    await sql`insert into callsheet.files (account, kind, parent, item, state, sha256, size, state_at)
      values ('main', 'activity', 's-soon', 's-soon-1', 'stored', sha256('x'), 20500, callsheet.clock()),
        ('main', 'activity', 's-soon', 's-soon-2', 'expired', null, null, callsheet.clock())`.execute(
      warehouse.db,
    )
    await sql`insert into callsheet.incidents (account, kind, subject, at, detail)
      select 'main', 'expired_before_download', 'activity:s-soon:' || n,
        callsheet.clock() - make_interval(days => n), 'too late'
      from generate_series(1, 9) n`.execute(warehouse.db)
    const { stdout } = await bench.run('status')
    expect(stdout).toMatch(/activities +stored +1 +20\.5 KB/)
    expect(stdout).toMatch(/activities +expired +1\n/)
    expect(stdout).toMatch(
      /Incidents of the last 7 days, expired before download: [67]: activity:s-soon:1 /,
    )
    expect(stdout).not.toContain('activity:s-soon:8')
    expect(stdout).toMatch(/^RED archive_expiring: [67] archived files expired in the last 7 days/m)
  })
})

async function addSession(
  id: string,
  { hours, archives, outsiders = false }: { hours: number; archives: number; outsiders?: boolean },
): Promise<void> {
  const kept = sql`'{}', '\\x00', callsheet.clock(), callsheet.clock(), 1`
  const { db } = warehouse
  await sql`insert into svc.whiteboard_sessions (account, id, start_time, expire_time, whiteboard_id,
      _raw, _hash, _first_seen_at, _changed_at, _run_id)
    values ('main', ${id}, callsheet.clock(), callsheet.clock() + make_interval(hours => ${hours}),
      'wb-test', ${kept})`.execute(db)
  await sql`insert into svc.whiteboard_activities (account, session_id, id, create_time,
      _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select 'main', ${id}, ${id} || '-' || n, callsheet.clock(), ${kept}
    from generate_series(1, ${archives}) n`.execute(db)
  if (outsiders)
    await sql`insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
        join_whiteboard_time, ordinal, email, _raw, _hash, _first_seen_at, _changed_at, _run_id)
      values ('main', ${id}, '', 'somebody', '', 0, '', ${kept})`.execute(db)
}
