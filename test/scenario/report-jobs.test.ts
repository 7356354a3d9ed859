import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import reconciliationReport from '../../jobs/reconciliation-report.ts'
import sessionQualityReport from '../../jobs/session-quality-report.ts'
import sessionReportsJob from '../../jobs/session-reports.ts'
import { jobs as allJobs } from '../../src/account/catalog.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Config } from '../../src/config/schema.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { CallsheetError, StoreError } from '../../src/core/errors.ts'
import type { Printer } from '../../src/report/pdf/printer.ts'
import { readHealth } from '../../src/serve/health/account-health.ts'
import { attemptsInLedger } from '../../src/serve/ledger/attempts.ts'
import type { Delivery, MadeReport } from '../../src/serve/work/deliver-report.ts'
import { type ReportOrder, runReportJob } from '../../src/serve/work/run-report.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
let directory: string
beforeEach(async () => {
  world = await openWorld({ sizes: TINY })
  directory = mkdtempSync(join(tmpdir(), 'callsheet-report-jobs-'))
})
afterEach(async () => {
  await world.close()
  rmSync(directory, { recursive: true })
})

const dueMs = Date.parse('2026-07-01T06:00:00Z')

/** A delivery target that accepts reports unless it is closed. */
function inbox(name: string) {
  const came: MadeReport[] = []
  const state = { closed: false }
  const delivery: Delivery = {
    name,
    send: async (made) => {
      if (state.closed) throw new StoreError('away', { tried: 'Sending', came: 'no answer' })
      came.push(made)
    },
  }
  return { came, state, delivery }
}

/** The scheduled reports that are a cause of the account's bad health. */
async function failingReports(): Promise<string[]> {
  const { clock } = world.account.deps
  const { config } = loadConfig({ path: world.place.configFile, jobs: allJobs, environment: {} })
  const report = { schedule: '0 6 1 * *', deliver: undefined }
  const jobs = { 'session-quality-report': report } as unknown as Config['reports']['jobs']
  const changed = { ...config, reports: { ...config.reports, jobs } }
  const wiring = { config: changed, clock, observer: silentObserver }
  const opened = { wiring, warehouse: world.warehouse, embedded: false, close: async () => {} }
  const { causes } = await readHealth(opened, world.account.settings)
  return causes.filter(({ code }) => code === 'report_failing').map(({ subject }) => subject)
}

async function attempt(...deliveries: Delivery[]) {
  return await attemptAt({ job: sessionQualityReport, dueMs }, ...deliveries)
}

type Wanted = Pick<ReportOrder, 'job' | 'dueMs'> & Partial<ReportOrder> & { signal?: AbortSignal }

async function attemptAt({ signal, ...order }: Wanted, ...deliveries: Delivery[]) {
  const { clock } = world.account.deps
  const failed: string[] = []
  const deps = { warehouse: world.warehouse, clock, deliveries, ...(signal && { signal }) }
  const ending = await runReportJob(
    {
      ...deps,
      notDelivered: (name) => failed.push(name),
      notMade: ({ format }) => failed.push(format),
    },
    {
      account: 'account-0',
      timeZone: 'UTC',
      directory,
      formats: ['csv'],
      ...order,
    },
  )
  return { ending: ending.kind, failed }
}

it('a report job makes last month’s report and delivers it once', async () => {
  await world.sync({ jobs: [sessionReportsJob] })
  const mail = inbox('mail')
  expect(await attempt(mail.delivery)).toEqual({ ending: 'done', failed: [] })
  expect(mail.came).toMatchObject([{ covered: true, params: { month: '2026-06' } }])
  expect(mail.came[0]?.headline).toMatchObject({
    title: 'Session quality',
    period: '2026-06',
    lacks: [],
    figures: [...Array(3).fill(expect.any(String)), expect.stringMatching(/^Sessions: \d+\.$/)],
  })
  expect(readdirSync(directory).some((name) => name.includes('session-quality-2026-06'))).toBe(true)
  const kind = 'report'
  const work = {
    account: 'account-0',
    job: 'session-quality-report',
    kind,
    sinceMs: dueMs,
  } as const
  expect(await attemptsInLedger(world.warehouse, [work])).toMatchObject([
    [{ ending: { kind: 'done' } }],
  ])
})

it('an incomplete report is marked as such, and made again once the data is complete', async () => {
  await world.faults([
    { kind: 'status', status: 500, operation: 'session_reports.list', about: '2026-06' },
  ])
  await world.sync({ jobs: [sessionReportsJob] })
  const mail = inbox('mail')
  expect(await attempt(mail.delivery)).toEqual({ ending: 'again', failed: [] })
  expect(await attempt(mail.delivery)).toEqual({ ending: 'again', failed: [] })
  expect(mail.came.map(({ covered }) => covered)).toEqual([false])
  expect(mail.came[0]?.headline?.lacks).toEqual([
    expect.stringMatching(/^The period 2026-06 is NOT complete\./),
  ])
  await world.faults([])
  await world.sync({ jobs: [sessionReportsJob] })
  expect(await attempt(mail.delivery)).toEqual({ ending: 'done', failed: [] })
  expect(mail.came.map(({ covered }) => covered)).toEqual([false, true])
})

it('a failed delivery is repeated without making the report again', async () => {
  await world.sync({ jobs: [sessionReportsJob] })
  const [mail, bucket] = [inbox('mail'), inbox('s3')]
  bucket.state.closed = true
  expect(await attempt(mail.delivery, bucket.delivery)).toEqual({ ending: 'again', failed: ['s3'] })
  bucket.state.closed = false
  expect(await attempt(mail.delivery, bucket.delivery)).toEqual({ ending: 'done', failed: [] })
  expect(mail.came).toHaveLength(1)
  expect(bucket.came).toEqual(mail.came)
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from callsheet.published_reports`.execute(world.warehouse.db)
  expect(rows).toEqual([{ n: 1 }])
})

it('a report whose delivery failed three times is a health cause until it is delivered', async () => {
  await world.sync({ jobs: [sessionReportsJob] })
  const mail = inbox('mail')
  mail.state.closed = true
  for (const causes of [[], [], ['session-quality-report']]) {
    expect((await attempt(mail.delivery)).ending).toBe('again')
    expect(await failingReports()).toEqual(causes)
  }
  mail.state.closed = false
  expect((await attempt(mail.delivery)).ending).toBe('done')
  expect(await failingReports()).toEqual([])
})

it('a delivery that fails with an unknown error forgets no delivery before it', async () => {
  await world.sync({ jobs: [sessionReportsJob] })
  const [mail, bucket] = [inbox('mail'), inbox('s3')]
  const broken = { name: 's3', send: () => Promise.reject(new TypeError('x of undefined')) }
  expect(await attempt(mail.delivery, broken)).toEqual({ ending: 'again', failed: ['s3'] })
  expect(await attempt(mail.delivery, bucket.delivery)).toEqual({ ending: 'done', failed: [] })
  expect(mail.came).toHaveLength(1)
  expect(bucket.came).toHaveLength(1)
})

it('a report job records why its report could not be made, or that it was interrupted', async () => {
  const { ending } = await attempt()
  expect(ending).toBe('again')
  await sql`insert into callsheet.task_runs (account, task, due_at, state, started_at, detail)
    values ('account-0', 'session-quality-report', '2026-07-01T06:00:00Z', 'running',
      callsheet.clock(), '{}')`.execute(world.warehouse.db)
  await world.sync({ jobs: [sessionReportsJob] })
  expect((await attempt()).ending).toBe('done')
  const { rows } = await sql<{ state: string; error: string | null }>`
    select state, error from callsheet.task_runs order by id`.execute(world.warehouse.db)
  expect(rows.map(({ state }) => state)).toEqual(['failed', 'interrupted', 'complete'])
  expect(rows[0]?.error).toMatch(/session_reports/)
})

it('a report job does not start while another run works on the account', async () => {
  const { clock } = world.account.deps
  const lease = await acquireLease(world.warehouse, { account: 'account-0', job: 'sync', clock })
  await expect(attempt()).rejects.toMatchObject({ name: 'BusyError' })
  await lease.release()
})

describe('a report without a Chromium', () => {
  const asPdf = (print: Printer['print']): Wanted => ({
    job: sessionQualityReport,
    dueMs,
    formats: ['csv', 'pdf'],
    printer: { find: () => Promise.resolve(''), print },
  })
  const noChromium = asPdf(() =>
    Promise.reject(new CallsheetError('none', { tried: '', came: 'no Chromium', todo: 'add one' })),
  )

  it('is delivered once without its PDF, and waits for a person', async () => {
    await world.sync({ jobs: [sessionReportsJob] })
    const mail = inbox('mail')
    expect(await attemptAt(noChromium, mail.delivery)).toEqual({
      ending: 'person',
      failed: ['pdf'],
    })
    expect(mail.came).toMatchObject([{ covered: true, notMade: [{ format: 'pdf' }] }])
    const { rows } = await sql`
      select state, error from callsheet.task_runs`.execute(world.warehouse.db)
    expect(rows).toEqual([{ state: 'incomplete', error: 'pdf: no Chromium; add one' }])
  })

  it('repeats a failed delivery, and then still waits for a person', async () => {
    await world.sync({ jobs: [sessionReportsJob] })
    const mail = inbox('mail')
    mail.state.closed = true
    expect(await attemptAt(noChromium, mail.delivery)).toMatchObject({ ending: 'again' })
    mail.state.closed = false
    expect(await attemptAt(noChromium, mail.delivery)).toEqual({ ending: 'person', failed: [] })
    expect(mail.came).toHaveLength(1)
  })

  it('that is stopped while it prints is interrupted, and published by the next attempt', async () => {
    await world.sync({ jobs: [sessionReportsJob] })
    const stop = new AbortController()
    const print = () => {
      stop.abort(new Error('stopped'))
      return Promise.reject(new Error('stopped'))
    }
    const { signal } = stop
    expect(await attemptAt({ ...asPdf(print), signal })).toMatchObject({ ending: 'interrupted' })
    expect(readdirSync(directory)).toEqual([])
    expect(await attempt()).toMatchObject({ ending: 'done' })
  })
})

it('a reconciliation job is repeated until the day balances', async () => {
  await world.faults([
    { kind: 'status', status: 500, operation: 'session_reports.list', about: '2026-06' },
  ])
  await world.sync({ jobs: [sessionReportsJob] })
  const mail = inbox('mail')
  const order = { job: reconciliationReport, dueMs: Date.parse('2026-07-09T06:00:00Z') }
  expect(await attemptAt(order, mail.delivery)).toEqual({ ending: 'again', failed: [] })
  expect(await attemptAt(order, mail.delivery)).toEqual({ ending: 'again', failed: [] })
  await world.faults([])
  await world.sync({ jobs: [sessionReportsJob] })
  expect(await attemptAt(order, mail.delivery)).toEqual({ ending: 'done', failed: [] })
  expect(mail.came.map(({ covered }) => covered)).toEqual([false, true])
})
