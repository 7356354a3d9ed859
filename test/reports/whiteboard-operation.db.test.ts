import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import type { AuditSettings } from '../../src/core/records/audit-settings.ts'
import { type AuditWorld, useAuditWorld } from './audit-world.ts'
import type { Workbook } from './workbook.ts'

let world: AuditWorld
let book: Workbook

/** Until October 20 a daily run is due, then one every two days. */
useAuditWorld(whiteboardAudit, async (opened) => {
  world = opened
  for (const account of ['acme', 'steady', 'fresh', 'silent']) await world.seed(account)
  await noteSettings('acme', '2026-07-01T00:00:00Z', { retention: [{ keep_days: 30 }] })
  await noteSettings('acme', '2026-09-01T00:00:00Z', {})
  await noteSettings('acme', '2026-10-20T00:00:00Z', {
    ...settingsOf(48),
    retention: [{ keep_days: 400, labels: ['Internal'] }],
  })
  await noteSettings('steady', '2026-09-01T00:00:00Z', {})
  await addDaily('steady', [])
  await noteSettings('fresh', '2026-09-29T02:00:00Z', {})
  await addDaily('fresh', [])
  await addDaily('acme', ['2026-10-06', '2026-10-07', '2026-10-12', '2026-10-13', '2026-10-22'])
  await addRun('acme', '2026-10-06', { partial: true })
  await addRun('acme', '2026-10-07', { job: 'users' })
  await addRun('acme', '2026-10-12', { state: 'interrupted', minutes: 2 * 24 * 60 })
  await addDecisions()
  book = await world.audit('acme')
})

function settingsOf(waitHours: number): AuditSettings {
  const streams = [{ stream: 'whiteboard_sessions', audited: true, history_days: 180 }]
  return {
    jobs: [
      {
        job: 'whiteboard-archives',
        enabled: true,
        schedule: '0 2 * * *',
        timezone: 'UTC',
        longest_wait_ms: waitHours * 3_600_000,
        streams,
      },
    ],
    files: [{ kind: 'activity', most_days: null, most_bytes: null }],
    retention: [],
    ledger_months: null,
  }
}

async function noteSettings(account: string, at: string, more: Partial<AuditSettings>) {
  const settings = JSON.stringify({ ...settingsOf(24), ...more })
  await sql`insert into callsheet.audit_settings (account, at, noted_by, settings)
    values (${account}, ${at}, 'ops on host-1', ${settings}::jsonb)`.execute(world.warehouse.db)
}

interface Run {
  job?: string
  state?: string
  partial?: boolean
  minutes?: number
}

/** Adds a run that begins at 02:00 UTC. */
async function addRun(account: string, day: string, run: Run = {}): Promise<void> {
  const { job = 'whiteboard-archives', state = 'complete', partial = false, minutes = 30 } = run
  await sql`insert into callsheet.runs (account, job, epoch, state, partial, started_at, finished_at)
    select ${account}, ${job}, 1, ${state}, ${partial}, at, at + make_interval(mins => ${minutes}::int)
    from (select ${day}::date at time zone 'UTC' + interval '2 hours' as at) t`.execute(
    world.warehouse.db,
  )
}

/** Adds a run for each day from September 29 to November 2, except for the days in `but`. */
async function addDaily(account: string, but: readonly string[]): Promise<void> {
  for (let at = Date.UTC(2026, 8, 29); at <= Date.UTC(2026, 10, 2); at += 24 * 3_600_000) {
    const day = new Date(at).toISOString().slice(0, 10)
    if (!but.includes(day)) await addRun(account, day)
  }
}

async function addDecisions(): Promise<void> {
  await sql`insert into callsheet.holds
    (account, name, reason, whiteboard_id, begins_at, placed_by, released_at, released_by) values
    ('acme', 'CASE-1', 'litigation', 'wb-1', '2026-09-15', 'ann', '2026-10-10T12:00:00Z', 'bob'),
    ('acme', 'CASE-2', 'inquiry', null, '2026-10-30', 'ann', null, null),
    ('acme', 'OLD', 'over before', null, '2026-09-01', 'ann', '2026-09-20', 'bob'),
    ('acme', 'NEW', 'begins after', null, '2026-11-02', 'ann', null, null),
    ('steady', 'THEIRS', 'of another account', null, '2026-09-15', 'ann', null, null)`.execute(
    world.warehouse.db,
  )
  await sql`insert into callsheet.deletion_guards
    (account, stream, run_id, missing, owned, at, approved_at) values
    ('acme', 'whiteboard_sessions', 7, 40, 200, '2026-10-14T02:10:00Z', '2026-10-15T09:00:00Z'),
    ('acme', 'whiteboard_sessions', 8, 40, 200, '2026-10-16T02:10:00Z', null),
    ('acme', 'phone_numbers', 9, 40, 200, '2026-10-14T02:10:00Z', '2026-10-15T09:00:00Z')`.execute(
    world.warehouse.db,
  )
}

/** A time cell as text, to the minute. */
const minute = (cell: unknown): unknown =>
  cell instanceof Date ? cell.toISOString().slice(0, 16).replace('T', ' ') : cell

function shown(from: Workbook, header: string): Record<string, unknown>[] {
  return from
    .records('Provenance', header)
    .map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, minute(cell)])),
    )
}

describe('the provenance of the audit', () => {
  it('lists the pauses between runs that were longer than allowed', () => {
    expect(shown(book, 'No run from')).toEqual([
      {
        'No run from': '2026-10-05 02:30',
        Until: '2026-10-08 02:00',
        Hours: 71.5,
        'Allowed hours': 25,
      },
      {
        'No run from': '2026-10-12 02:00',
        Until: '2026-10-14 02:00',
        Hours: 48,
        'Allowed hours': 25,
      },
    ])
    expect(book.notes('Provenance')).toContainEqual(
      expect.stringContaining(
        'No run took place for longer than the schedule allows: from 2026-10-05 02:30 to 2026-10-08 02:00, ' +
          'from 2026-10-12 02:00 to 2026-10-14 02:00.',
      ),
    )
    // 27 runs in October, including the killed one, and one on either side.
    expect(book.notes('Provenance').join('\n')).toContain(
      '29 runs took place, from 2026-09-30 02:00 to 2026-11-01 02:00.',
    )
  })

  it('lists the time from the first settings to the first run', async () => {
    const early = await world.audit('steady', { from: '2026-09-25', to: '2026-10-02' })
    expect(shown(early, 'No run from')).toEqual([
      {
        'No run from': '2026-09-01 00:00',
        Until: '2026-09-29 02:00',
        Hours: 28 * 24 + 2,
        'Allowed hours': 25,
      },
    ])
  })

  it('lists the audit settings with their start and end', () => {
    const [noted, by] = ['2026-09-01 00:00', 'ops on host-1']
    const changed = '2026-10-20 00:00'
    const job = 'whiteboard-archives'
    const line = (
      what: string,
      name: string,
      how: string,
      since = noted,
      until: string | null = null,
    ) => ({
      Setting: what,
      Name: name,
      Value: how,
      Since: since,
      Until: until,
      'Recorded by': by,
    })
    const found = shown(book, 'Setting')
    expect(found).toEqual([
      line('job', job, '0 2 * * * (UTC), at least every 24 h', noted, changed),
      line('job', job, '0 2 * * * (UTC), at least every 48 h', changed),
      line(
        'stream',
        'whiteboard_sessions',
        `180 days of history, by ${job}, each record with evidence`,
      ),
      line('files', 'activity', 'all'),
      line('retention', 'all files', 'kept forever', noted, changed),
      line('retention', 'ledger of slices', 'kept forever'),
      line('retention', 'Internal', 'kept 400 days, and while on legal hold', changed),
    ])
  })

  it('lists the holds in force, and the releases of the period', async () => {
    const names = async (params?: object) =>
      shown(await world.audit('acme', params), 'What').map(({ Name, About, Released }) => [
        Name,
        About,
        Released,
      ])
    const all = [
      ['CASE-1', 'board wb-1', '2026-10-10 12:00'],
      ['whiteboard_sessions', '40 of 200 rows not listed by run 7', '2026-10-15 09:00'],
      ['CASE-2', 'everything', null],
    ]
    expect(await names()).toEqual(all)
    expect(await names({ whiteboard: 'wb-2' })).toEqual(all.slice(1))
  })

  it('states that no pause was too long, or that no settings define when runs were due', async () => {
    const steady = await world.audit('steady')
    expect(steady.notes('Provenance').join()).toContain(
      'No interval between runs was longer than the schedule allows.',
    )
    expect(steady.rows('Provenance', 'No run from').flat()).toEqual([
      'No interval was longer than the schedule allows.',
    ])
    const early = await world.audit('fresh', { from: '2026-09-25', to: '2026-10-02' })
    expect(early.notes('Provenance').join()).toContain('no earlier run is recorded. No interval')
    const silent = (await world.audit('silent')).notes('Provenance').join()
    expect(silent).toContain('not recorded, so it is unknown when runs were due')
    expect(silent).not.toContain('took place')
  })
})
