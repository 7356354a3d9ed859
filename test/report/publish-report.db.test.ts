import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import numberInventory from '../../reports/number-inventory.ts'
import sessionQuality from '../../reports/session-quality.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import * as fixture from '../reports/fixture.ts'

let database: TestDatabase
let warehouse: Warehouse
let directory: string

beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url, poolSize: 2 })
  directory = await mkdtemp(join(tmpdir(), 'callsheet-publish-'))
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
  await rm(directory, { recursive: true })
})

const publish = (account: string, params = {}, report = sessionQuality) =>
  publishReport(
    { warehouse },
    { report, account, params, timeZone: 'Europe/Berlin', directory, formats: ['xlsx', 'html'] },
  )

async function page(account: string, month = '2026-10'): Promise<string> {
  return readFile(join(directory, `${account}-session-quality-${month}.html`), 'utf8')
}

async function seed(account: string): Promise<number> {
  const runId = await fixture.insertRun(warehouse, fixture.sessionRun(account))
  await fixture.insertSessions(warehouse, { account, runId, perDay: 10 })
  return runId
}

describe('publishing a report', () => {
  it('fails with the advice to run a sync if nothing was ever synced, and leaves no file', async () => {
    await expect(publish('nobody')).rejects.toMatchObject({
      code: 'never_synced',
      message: expect.stringContaining('callsheet sync'),
    })
    expect(await readdir(directory)).toEqual([])
  })

  it('refuses unknown parameters and invalid values', async () => {
    for (const params of [{ month: '2026-13' }, { moth: '2026-10' }, { timezone: 'Mars/Olympus' }])
      await expect(publish('nobody', params)).rejects.toMatchObject({ exitCode: 2 })
  })

  it('names the invalid and the unknown parameters in its error', async () => {
    await expect(publish('nobody', { month: '2026-13' })).rejects.toMatchObject({
      facts: { came: 'month: a month is yyyy-mm, e.g. 2026-10' },
    })
    const others = { moth: '2026-10', from: '2026-10-01' }
    await expect(publish('nobody', others)).rejects.toMatchObject({
      facts: {
        expected: 'only month, timezone, owner',
        came: 'also moth, from',
        todo: expect.stringContaining('leave out the parameter') as string,
      },
    })
  })

  it('writes files with the same bytes each time, and records them', async () => {
    const runId = await seed('bytes')
    const first = await publish('bytes')
    const second = await publish('bytes')
    expect(first.covered).toBe(true)
    expect(first.runIds).toEqual([runId])
    expect(second.files).toEqual(first.files)
    expect(first.files.map(({ path }) => path.slice(directory.length + 1))).toEqual([
      'bytes-session-quality-2026-10.xlsx',
      'bytes-session-quality-2026-10.html',
    ])
    const { rows } = await sql<{ files: unknown; run_ids: number[] }>`
      select files, run_ids from callsheet.published_reports where account = 'bytes'`.execute(
      warehouse.db,
    )
    expect(rows).toEqual([
      { files: first.files, run_ids: [runId] },
      { files: first.files, run_ids: [runId] },
    ])
    expect((await readdir(directory)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('says NOT complete if a part of the period was not read', async () => {
    const run = fixture.sessionRun('gap')
    const slices = run.slices.map((slice) =>
      slice.slice.startsWith('2026-10-11') ? { ...slice, state: 'failed' } : slice,
    )
    await fixture.insertRun(warehouse, { ...run, slices, state: 'incomplete' })
    const made = await publish('gap')
    expect(made.covered).toBe(false)
    expect(made.coverage[0]?.missing).toEqual([
      { fromMs: Date.UTC(2026, 9, 11), toMs: Date.UTC(2026, 9, 25) },
    ])
    const html = await page('gap')
    expect(html).toContain('<p class="note bad" role="alert">The period 2026-10 is NOT complete')
    expect(html).toContain(
      'session_reports lacks 14 days of the period, the first from 2026-10-11 02:00',
    )
  })

  it('says NOT complete if unusable records were quarantined, until a run reads none', async () => {
    const runId = await seed('aside')
    await sql`update callsheet.slices set quarantined = 3, checked = false
      where account = 'aside' and slice >= '2026-10-25'`.execute(warehouse.db)
    const made = await publish('aside')
    expect(made.covered).toBe(false)
    expect(made.coverage[0]).toMatchObject({ missing: [], incomplete: 0, setAside: 3 })
    expect(await page('aside')).toContain(
      'NOT complete. The figures are too low or partial: 3 unusable records ' +
        'of session_reports were quarantined.',
    )
    expect((await publish('aside', { month: '2026-09' })).covered).toBe(true)
    // Later the window is split in two, and another run reads both halves.
    const halves = ['25..2026-10-31', '31..2026-11-08'].map((days) => {
      const [from, to] = days.split('..')
      const owned = { from: `2026-10-${from}T00:00:00Z`, to: `${to}T00:00:00Z` }
      return { stream: 'session_reports', slice: `2026-10-${days}`, ...owned }
    })
    const run = fixture.sessionRun('aside', '2026-11-21T02:00:00Z')
    expect(await fixture.insertRun(warehouse, { ...run, slices: halves })).toBeGreaterThan(runId)
    const since = await publish('aside')
    expect(since.coverage[0]).toMatchObject({ whole: true, setAside: 0 })
    expect(since.covered).toBe(true)
  })

  it('says of a month that had not ended at the data time that it still runs', async () => {
    await seed('early')
    const made = await publish('early', { month: '2026-11' })
    expect(made.covered).toBe(false)
    expect(await page('early', '2026-11')).toContain('is up to date: it has not ended yet')
  })

  it('reads the state of the last complete run, not what a failed run wrote later', async () => {
    const runId = await seed('later')
    const before = await publish('later')
    const later = fixture.sessionRun('later', '2026-11-21T02:00:00Z')
    const broken = await fixture.insertRun(warehouse, { ...later, state: 'failed' })
    await endAndChange('later', runId, broken)
    const after = await publish('later')
    expect(after.files).toEqual(before.files)
    await fixture.insertRun(warehouse, fixture.sessionRun('later', '2026-11-22T02:00:00Z'))
    const moved = await publish('later')
    expect(moved.runIds).not.toEqual(before.runIds)
    expect(moved.files.map(({ sha256 }) => sha256)).not.toEqual(before.files.map((f) => f.sha256))
  })

  it('shows nothing of another account that has the same ids', async () => {
    await seed('one')
    const alone = await publish('one')
    await seed('two')
    await sql`update svc.session_reports set session_name = 'SECRET' where account = 'two'`.execute(
      warehouse.db,
    )
    const again = await publish('one')
    expect(again.files).toEqual(alone.files)
    await publish('two')
    expect(await page('one')).not.toContain('SECRET')
    expect(await page('two')).toContain('SECRET')
  })

  it('publishes 8,000 numbers within 20 seconds, even without table statistics', async () => {
    const users = await fixture.insertRun(
      warehouse,
      fixture.usersRun('fresh', '2026-11-19T01:00:00Z'),
    )
    const numbers = await fixture.insertRun(
      warehouse,
      fixture.numbersRun('fresh', '2026-11-19T03:00:00Z'),
    )
    await fixture.insertNumbers(warehouse, {
      account: 'fresh',
      runIds: [users, numbers],
      count: 8_000,
    })
    const made = await publish('fresh', {}, numberInventory as never)
    expect(made.covered).toBe(true)
    expect(made.files.every(({ bytes }) => bytes > 50_000)).toBe(true)
  }, 20_000)
})

/** Writes as a later run would: changes some rows, deletes others, and adds one. */
async function endAndChange(account: string, runId: number, laterRunId: number): Promise<void> {
  const at = '2026-11-21T01:59:00Z'
  const ended = sql`insert into history.session_reports
    select s.*, _changed_at, ${at}, ${laterRunId}, case when id like '%1' then 'changed' else 'deleted' end
    from svc.session_reports s where account = ${account} and _run_id = ${runId} and id ~ '[12]$'`
  await ended.execute(warehouse.db)
  await sql`update svc.session_reports set audio_quality = 'bad', _changed_at = ${at}, _run_id = ${laterRunId}
    where account = ${account} and id like '%1'`.execute(warehouse.db)
  await sql`update svc.session_reports set _deleted_at = ${at}, _deleted_run_id = ${laterRunId}
    where account = ${account} and id like '%2'`.execute(warehouse.db)
  await sql`insert into svc.session_reports (account, id, start_time, audio_quality, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    values (${account}, 'new', '2026-10-10T10:00:00Z', 'bad', '{}', '\\x00',
      ${at}, ${at}, ${laterRunId})`.execute(warehouse.db)
}
