import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../tidy/source-files.ts'
import { NOW_MS, openPageStage, type PageStage } from '../page-stage.ts'
import { parseMetrics, type ReadMetrics } from './parse-metrics.ts'

let stage: PageStage
let metrics: ReadMetrics
beforeAll(async () => {
  stage = await openPageStage()
  metrics = await scrape(stage.url)
})
afterAll(() => stage.close())

async function scrape(url: string): Promise<ReadMetrics> {
  const response = await fetch(`${url}/metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parseMetrics(await response.text())
}

const MAIN = { account: 'account-0' }

describe('the metrics', () => {
  it('are in Prometheus’s text format, each metric and each series once', () => {
    expect(metrics.faults).toEqual([])
    expect(metrics.families.size).toBeGreaterThan(30)
    expect([...metrics.families.keys()]).toContain('process_cpu_seconds_total')
  })

  it('follow the naming rules, with base units last', () => {
    const own = [...metrics.families].filter(([name]) => name.startsWith('callsheet_'))
    expect(own.length).toBeGreaterThan(20)
    for (const [name, { type, help }] of own) {
      expect(name).toMatch(/^callsheet(_[a-z]+)+$/)
      expect(name).not.toMatch(/_(ms|minutes|hours|kb|total|count|sum|bucket)$/)
      expect(type).toBe('gauge')
      expect(help).toMatch(/^[A-Z1].*\.$/)
    }
  })

  it('count the rows that are in the tables', async () => {
    const { rows } = await countRows()
    expect(rows).toBe(60)
    expect(metrics.value('callsheet_stream_rows', { ...MAIN, stream: 'users' })).toBe(rows)
  })

  it('count the slices by the state of their last read', () => {
    const of = { ...MAIN, stream: 'recording_sessions' }
    const value = (state: string) => metrics.value('callsheet_stream_slices', { ...of, state })
    expect([value('failed'), value('not_allowed')]).toEqual([1, 0])
    expect(value('complete')).toBeGreaterThan(0)
  })

  it('show for each job when its last complete run began and ended', async () => {
    const last = await stage.world.warehouse.db
      .selectFrom('callsheet.runs')
      .select(['started_at', 'finished_at'])
      .where('account', '=', 'account-0')
      .where('job', '=', 'users')
      .where('state', '=', 'complete')
      .executeTakeFirstOrThrow()
    const of = { ...MAIN, job: 'users' }
    const [began, ended] = [Date.parse(last.started_at), Date.parse(last.finished_at ?? '')]
    const value = (name: string, more = {}) => metrics.value(name, { ...of, ...more })
    expect(value('callsheet_job_last_complete_timestamp_seconds')).toBe(ended / 1000)
    expect(value('callsheet_job_last_complete_duration_seconds')).toBe((ended - began) / 1000)
    expect(value('callsheet_job_last_run_state', { state: 'incomplete' })).toBe(1)
    expect(value('callsheet_job_last_run_state', { state: 'complete' })).toBe(0)
    expect(value('callsheet_job_overdue_seconds')).toBe(0)
    const nextMs = (value('callsheet_job_next_start_timestamp_seconds') ?? 0) * 1000
    expect(nextMs).toBeGreaterThan(NOW_MS)
    expect(
      metrics.value('callsheet_job_last_complete_timestamp_seconds', {
        account: 'account-1',
        job: 'users',
      }),
    ).toBeUndefined()
    expect(
      metrics.value('callsheet_job_overdue_seconds', { account: 'account-1', job: 'users' }),
    ).toBeGreaterThan(0)
  })

  it('show the used and the remaining quotas', async () => {
    const rows = await stage.world.warehouse.db
      .selectFrom('callsheet.quota')
      .select(['pool', 'spent'])
      .where('account', '=', 'account-0')
      .where('spent', '>', 0)
      .execute()
    expect(rows.length).toBeGreaterThan(1)
    for (const { pool, spent } of rows) {
      const value = (name: string) => metrics.value(name, { ...MAIN, pool })
      expect(value('callsheet_quota_spent_calls')).toBe(spent)
      const limit = value('callsheet_quota_limit_calls')
      expect(value('callsheet_quota_left_calls')).toBe(
        limit === undefined ? undefined : limit - spent,
      )
    }
  })

  it('show health, causes, drops, files and the lease', async () => {
    expect(metrics.value('callsheet_account_health', { ...MAIN, state: 'red' })).toBe(1)
    expect(metrics.value('callsheet_account_health', { ...MAIN, state: 'good' })).toBe(0)
    const of = { ...MAIN, code: 'drop_waiting', state: 'red' }
    expect(metrics.value('callsheet_causes', of)).toBe(1)
    // A cause of the whole installation is counted once for all accounts.
    expect(
      metrics.value('callsheet_causes', { account: '', code: 'disk_low', state: 'amber' }),
    ).toBe(1)
    expect(metrics.value('callsheet_open_drops', { ...MAIN, stream: 'users' })).toBe(1)
    const { files } = await countActivities()
    const pending = { ...MAIN, kind: 'activity', state: 'pending' }
    expect(metrics.value('callsheet_files', pending)).toBe(files)
    const week = metrics.value('callsheet_archives_expiring', { ...MAIN, hours: '168' })
    expect(week).toBeGreaterThan(0)
    expect(week).toBeLessThanOrEqual(files)
    expect(metrics.value('callsheet_archives_out_of_reach', { ...MAIN, hours: '168' })).toBe(0)
    expect(metrics.value('callsheet_lease_held', MAIN)).toBe(0)
    expect(metrics.value('callsheet_ready', {})).toBe(1)
  })

  it('show only that the service is not ready while the database is down', async () => {
    const other = await stage.serve()
    const { warehouse } = stage.vitals
    stage.vitals.warehouse = undefined
    const without = await scrape(other.url)
    stage.vitals.warehouse = warehouse
    expect(without.faults).toEqual([])
    expect(without.value('callsheet_ready', {})).toBe(0)
    expect(without.families.get('callsheet_stream_rows')?.series).toBe(0)
    expect(without.families.get('process_cpu_seconds_total')?.series).toBe(1)
  })

  it('include every metric that the dashboard uses', () => {
    const text = readFileSync(join(ROOT, 'docs/grafana-dashboard.json'), 'utf8')
    const dashboard = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] }
    const asked = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const names = new Set(text.match(/\bcallsheet_[a-z_]+/g))
    expect(asked.length).toBeGreaterThan(8)
    expect(names.size).toBeGreaterThan(8)
    for (const name of names) expect([...metrics.families.keys()]).toContain(name)
  })

  it('are exactly those on their page in the docs', () => {
    const page = readFileSync(join(ROOT, 'docs/monitor.md'), 'utf8')
    // Names on the page outside tables are of database roles.
    const told = page.matchAll(/^\| `(callsheet_[a-z_]+)` \|/gm).map(([, name]) => name)
    const served = [...metrics.families.keys()].filter((name) => name.startsWith('callsheet_'))
    expect(new Set(told)).toEqual(new Set(served))
  })
})

async function countRows() {
  return await stage.world.warehouse.db
    .selectFrom('svc.users')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('account', '=', 'account-0')
    .where('_deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
}

async function countActivities() {
  return await stage.world.warehouse.db
    .selectFrom('svc.whiteboard_activities')
    .select(({ fn }) => fn.countAll<number>().as('files'))
    .where('account', '=', 'account-0')
    .where('_deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
}
