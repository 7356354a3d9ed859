import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import { growthOf } from '../../reports/recordings/growth.ts'
import recordingStock from '../../reports/recordings.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { readWorkbook, type Workbook } from './workbook.ts'

let world: World
let directory: string
let book: Workbook
/** The report when only recordings had been read. */
let early: Workbook

const RULES = [
  { name: 'Long ones', minMinutes: 90, minParticipants: 2, sessionKeys: null },
  { name: 'One team', minMinutes: 0, minParticipants: 0, sessionKeys: '^.*a' },
]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-recordings-'))
  world = await openWorld({ sizes: { ...TINY, sessions: 400, recordings: 300 } })
  await world.sync({ jobs: [recordings], full: true })
  early = await publish({ rules: RULES })
  await world.sync({ jobs: [recordings, recordingDetails, sessionReports], full: true })
  await pretendRecorded()
  book = await publish({ rules: RULES, pricePerGb: 0.02, currency: 'USD' })
})
afterAll(async () => {
  await world.close()
  await rm(directory, { recursive: true })
})

/** Marks three sessions without a listed recording as recorded, as after the deletion of a recording. */
async function pretendRecorded(): Promise<void> {
  await sql`update svc.session_reports set has_recording = true where id in (
    select s.id from svc.session_reports s
    where s.session_key like '%a%' and not exists (
        select from svc.recording_sessions r where r.session_id = s.id)
      and not exists (select from svc.trashed_recordings t where t.session_id = s.id)
    order by s.id limit 3)`.execute(world.warehouse.db)
}

async function publish(settings?: Record<string, unknown>): Promise<Workbook> {
  const { files } = await publishReport(world, {
    report: recordingStock,
    account: 'account-0',
    params: {},
    settings,
    timeZone: 'UTC',
    directory,
    formats: ['xlsx'],
  })
  return await readWorkbook(files[0]?.path ?? '')
}

/** Runs a query on the tables. */
async function ask<Row>(query: string): Promise<Row[]> {
  return (await sql.raw<Row>(query).execute(world.warehouse.db)).rows
}

/**
 * The bytes by a column of the recording, added up here and not in the database. Counts a file once that is
 * listed both in the trash and with its recording.
 */
async function bytesBy(column: string): Promise<Map<string, number>> {
  const sums = new Map<string, number>()
  const seen = new Set<string>()
  for (const [files, parents] of [
    ['recording_files', 'recording_sessions'],
    ['recording_participant_files', 'recording_sessions'],
    ['recording_audio_files', 'recording_sessions'],
    ['trashed_recording_files', 'trashed_recordings'],
  ])
    for (const { value, size, file } of await ask<{
      value: string
      size: string | null
      file: string
    }>(
      `select ${column} as value, f.file_size as size,
        concat_ws(' ', f.session_id, f.file_key, f.ordinal) as file from svc.${files} f
        join svc.${parents} r on r.account = f.account and r.session_id = f.session_id
        where f._deleted_at is null and r._deleted_at is null`,
    )) {
      const kind = files?.replace('trashed_', '')
      if (seen.has(`${kind} ${file}`)) continue
      seen.add(`${kind} ${file}`)
      sums.set(value, (sums.get(value) ?? 0) + Number(size ?? 0))
    }
  return sums
}

const gigabytes = (sheet: string, header: string): Map<string, number> =>
  new Map(book.records(sheet, header).map((row) => [String(row[header]), Number(row.GB)]))

function expectSums(shown: Map<string, number>, bytes: Map<string, number>): void {
  expect([...shown.keys()].toSorted()).toEqual([...bytes.keys()].toSorted())
  for (const [value, size] of bytes) expect(shown.get(value)).toBeCloseTo(size / 1e9, 6)
}

describe('the recordings report', () => {
  it('adds up the stored bytes by month and by session key', async () => {
    const months = await bytesBy(`to_char(r.start_time at time zone 'UTC', 'YYYY-MM')`)
    expect(months.size).toBeGreaterThan(3)
    expectSums(gigabytes('Storage by month', 'Month'), months)
    expectSums(
      gigabytes('Storage by session key', 'Session key'),
      await bytesBy(`coalesce(nullif(r.session_key, ''), '(no key)')`),
    )
  })

  it('forecasts by the mean of the last six complete months, without the first known month', async () => {
    const months = await bytesBy(`to_char(r.start_time at time zone 'UTC', 'YYYY-MM')`)
    const all = [...months.values()].reduce((sum, size) => sum + size, 0) / 1e9
    // It is July 8, so the last complete month is June. The first known month does not count.
    const known = [...months.keys()].toSorted()
    const counted = ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05', '2026-06'].filter(
      (month) => month > (known[0] ?? ''),
    )
    const mean =
      counted.reduce((sum, month) => sum + (months.get(month) ?? 0), 0) / counted.length / 1e9
    expect(counted.length).toBeGreaterThan(2)
    expect(Number(book.figure('Summary', 'GB added per month'))).toBeCloseTo(mean, 6)
    const inYear = all + 12 * mean
    const figure = (label: string): number => Number(book.figure('Summary', label))
    expect(figure('GB in 12 months, if nothing is deleted')).toBeCloseTo(inYear, 6)
    expect(figure('Monthly cost (USD)')).toBeCloseTo(0.02 * all, 2)
    expect(figure('Monthly cost in 12 months (USD)')).toBeCloseTo(0.02 * inYear, 2)
  })

  it('lists each file in the trash with the time of its removal, after thirty days', async () => {
    const shown = book.records('Leaving the trash', 'Permanent deletion')
    const trashed = await ask<{ file_key: string; deleted: string | null }>(`
      select f.file_key, f.deleted_time as deleted from svc.trashed_recording_files f
      where f._deleted_at is null
      union all
      select f.file_key, f.deleted_time from svc.recording_files f join svc.recording_sessions r
        using (account, session_id)
        where f._deleted_at is null and r._deleted_at is null and (r.trashed or f.deleted_time is not null)
      union all
      select f.file_key, null from svc.recording_participant_files f join svc.recording_sessions r
        using (account, session_id) where f._deleted_at is null and r.trashed
      union all
      select f.file_key, null from svc.recording_audio_files f join svc.recording_sessions r
        using (account, session_id) where f._deleted_at is null and r.trashed`)
    expect(trashed.length).toBeGreaterThan(3)
    const pair = (file: unknown, leaves: unknown): string =>
      `${String(file)} ${leaves instanceof Date ? leaves.toISOString().slice(0, 19) : String(leaves)}`
    const leaves = (deleted: string | null): string =>
      deleted === null
        ? 'null'
        : new Date(Date.parse(deleted) + 30 * 86_400_000).toISOString().slice(0, 19)
    expect(shown.map((row) => pair(row.File, row['Permanent deletion'])).toSorted()).toEqual(
      [
        ...new Set(trashed.map(({ file_key, deleted }) => pair(file_key, leaves(deleted)))),
      ].toSorted(),
    )
  })

  it('suggests how to save files in the trash that the archive does not have', () => {
    const notes = book.notes('Summary').join('\n')
    expect(notes).toMatch(
      /None of them is in the archive\. To keep some, recover them .* archive\.recordings on/,
    )
  })

  it('names the storage location that the service cannot reach', async () => {
    const failing = await ask<{ name: string }>(`select name from svc.storage_locations l
      join svc.storage_location_details d using (account, id) where verify_status = 'failure'`)
    const shown = book
      .records('Storage locations', 'Name')
      .filter((row) => row['Last check'] === 'Failure')
    expect(failing.length).toBe(1)
    expect(shown.map(({ Name }) => Name)).toEqual(failing.map(({ name }) => name))
    expect(book.notes('Summary').join()).toContain(
      `cannot reach the storage location ${failing[0]?.name}`,
    )
    expect(book.cells('Summary').flat()).toContain('→ Storage locations')
  })

  it('lists the sessions without a recording that a rule requires to be recorded', async () => {
    const sessions = await ask<{
      id: string
      session_key: string | null
      user_count: number | null
      seconds: string | null
      has_recording: boolean
    }>(`select id, session_key, user_count, has_recording,
      coalesce(duration, extract(epoch from end_time - start_time)) as seconds
      from svc.session_reports where _deleted_at is null`)
    const recorded = new Set(
      (
        await ask<{ session_id: string }>(`select session_id from svc.recording_sessions
          where _deleted_at is null union select session_id from svc.trashed_recordings
          where _deleted_at is null`)
      ).map(({ session_id }) => session_id),
    )
    const bare = sessions.filter(({ id }) => !recorded.has(id))
    const long = bare.filter(
      ({ seconds, user_count }) => Number(seconds ?? 0) >= 90 * 60 && (user_count ?? 0) >= 2,
    )
    const team = bare.filter(({ session_key }) => session_key?.includes('a') === true)
    const shown = book.records('Without recording', 'Rule')
    const ids = (rule: string) =>
      shown.filter(({ Rule }) => Rule === rule).map((row) => String(row['Session ID']))
    expect(long.length).toBeGreaterThan(0)
    expect(ids('Long ones').toSorted()).toEqual(long.map(({ id }) => id).toSorted())
    expect(team.length).toBeGreaterThan(0)
    expect(ids('One team').toSorted()).toEqual(team.map(({ id }) => id).toSorted())
    const why = new Map(shown.map((row) => [row['Session ID'], row.Reason]))
    const said = team.map(({ id, has_recording }) => [
      has_recording ? 'recorded, but not listed' : 'not recorded',
      why.get(id),
    ])
    expect(new Set(said.map(([due]) => due)).size).toBe(2)
    for (const [due, shownWhy] of said) expect(shownWhy).toBe(due)
  })

  it('reports data that was never read as unknown, not as empty', () => {
    expect(early.notes('Without recording').join()).toContain('Session reports were never read')
    expect(early.notes('Storage locations').join()).toContain('Storage locations were never read')
    expect(early.notes('Summary').join()).not.toMatch(/no session|none is|every session/i)
  })

  it('forecasts only from months that were completely read', () => {
    const months = ['01', '02', '03', '04'].map((month, at) => ({
      value: `2026-${month}`,
      gigabytes: 10 * (at + 1),
    }))
    const late = ['2026-01', '2026-02', '2026-03', '2026-04']
    const lacking = new Map([['2026-03-17', 'not read'] as const])
    expect(growthOf(months, late, lacking)).toEqual({
      months: ['2026-02', '2026-04'],
      mean: 30,
      least: 20,
      most: 40,
    })
  })

  it('states that no rule is configured', async () => {
    expect((await publish()).notes('Without recording').join()).toContain('No rules are configured')
  })
})
