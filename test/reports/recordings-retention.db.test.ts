import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import recordingStock from '../../reports/recordings.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { readSheets, type Sheets } from './read-sheets.ts'

interface PlainFile {
  trashed: boolean
  deletedAt: string | null
  own: boolean
  size: number
}

const SHEET = 'By retention rule'
let world: World
let sheets: Sheets

beforeAll(async () => {
  world = await openWorld({ sizes: { ...TINY, sessions: 400, recordings: 300 } })
  await world.sync({ jobs: [recordings, recordingDetails], full: true })
  sheets = await read()
})
afterAll(() => world.close())

const read = (): Promise<Sheets> =>
  readSheets(world.warehouse, {
    report: recordingStock,
    account: 'account-0',
    params: {},
    timeZone: 'UTC',
  })

async function ask<Row>(query: string): Promise<Row[]> {
  return (await sql.raw<Row>(query).execute(world.warehouse.db)).rows
}

/** All files, each once, put together here and not in the database. */
async function plainFiles(): Promise<PlainFile[]> {
  const files = new Map<string, PlainFile>()
  for (const [table, parents, trashed] of [
    ['recording_files', 'recording_sessions', 'r.trashed'],
    ['recording_participant_files', 'recording_sessions', 'r.trashed'],
    ['recording_audio_files', 'recording_sessions', 'r.trashed'],
    ['trashed_recording_files', 'trashed_recordings', 'true'],
  ] as const) {
    const full = table === 'recording_files' || table === 'trashed_recording_files'
    const own = full
      ? `f.deleted_time as at, coalesce(f.external_storage_url, '') as url`
      : `null as at, '' as url`
    for (const row of await ask<{
      key: string
      size: string | null
      trashed: boolean | null
      at: string | null
      url: string
    }>(
      `select concat_ws(' ', f.session_id, f.file_key, f.ordinal) as key, f.file_size as size,
        ${trashed} as trashed, ${own}
        from svc.${table} f join svc.${parents} r using (account, session_id)
        where f._deleted_at is null and r._deleted_at is null`,
    )) {
      const key = `${table.replace('trashed_', '')} ${row.key}`
      const trash = row.trashed === true || row.at !== null
      if (!files.has(key))
        files.set(key, {
          trashed: trash,
          deletedAt: row.at,
          own: row.url !== '',
          size: Math.max(0, Number(row.size ?? 0)),
        })
    }
  }
  return [...files.values()]
}

/** The instant of a cell of a report in UTC, to the second. */
function instantAfter(instant: string, days: number): string {
  return new Date(Date.parse(instant) + days * DAY_MS).toISOString().slice(0, 19)
}

describe('recordings by retention rule', () => {
  it('are grouped by the rule by which the service removes them, each file once', async () => {
    const all = await plainFiles()
    const groups = [
      ['In the trash: deleted 30 days', all.filter((one) => one.trashed && one.deletedAt !== null)],
      ['In the trash, date not', all.filter((one) => one.trashed && one.deletedAt === null)],
      ['Not in the trash, in your own', all.filter((one) => !one.trashed && one.own)],
      ['Not in the trash: no date', all.filter((one) => !one.trashed && !one.own)],
    ] as const
    const some = groups.filter(([, members]) => members.length > 0)
    expect(some.length).toBeGreaterThan(2)
    const shown = sheets.lines(SHEET, 'At the service')
    expect(shown.map((line) => line.Files)).toEqual(some.map(([, members]) => members.length))
    for (const [at, [begins, members]] of some.entries()) {
      expect(String(shown[at]?.['What decides'])).toContain(begins)
      const bytes = members.reduce((sum, { size }) => sum + size, 0)
      expect(Number(shown[at]?.GB)).toBeCloseTo(bytes / 1e9, 6)
    }
  })

  it('show the date of the next removal only if the service reports one', async () => {
    const dates = (await plainFiles()).flatMap(({ deletedAt }) => deletedAt ?? [])
    const [first = ''] = dates.toSorted((a, b) => Date.parse(a) - Date.parse(b))
    const next = sheets.lines(SHEET, 'At the service').map((line) => line['Next to leave'])
    expect(next[0]).toBe(instantAfter(first, 30))
    expect(next.slice(1).filter((one) => one !== null)).toEqual([])
  })

  it('show the rule that removes the archive’s copies, or that it is unknown', async () => {
    await sql`delete from callsheet.audit_settings`.execute(world.warehouse.db)
    await sql`insert into callsheet.files (account, kind, parent, item, state, size, sha256, state_at, tries)
      select account, 'recording', session_id, 'x', 'stored', 1000000000, sha256(session_id::bytea),
        '2020-01-01Z', 1
      from svc.recording_sessions where account = 'account-0' and start_time is not null
      order by session_id limit 3`.execute(world.warehouse.db)
    const began = await ask<{ at: string }>(`select r.start_time as at from callsheet.files f
      join svc.recording_sessions r on r.session_id = f.parent where f.item = 'x' order by 1`)
    const archived = async () => (await read()).lines(SHEET, 'In the archive')
    const three = { Recordings: 3, Files: 3, GB: 3 }
    expect(await archived()).toEqual([
      { 'What decides': 'Unknown', ...three, 'Next to leave': null },
    ])
    expect((await read()).tone(SHEET, 'The rules of the archive are not recorded')).toBe('warning')
    await noteRules([{ keep_days: 5, whiteboards: ['w'] }])
    expect(await archived()).toEqual([
      { 'What decides': 'No rule: kept until you add one', ...three, 'Next to leave': null },
    ])
    await noteRules([{ keep_days: 5, whiteboards: ['w'] }, { keep_days: 400 }])
    expect(await archived()).toEqual([
      {
        'What decides': 'archive.retention[1]: 400 days after the session began',
        ...three,
        'Next to leave': instantAfter(began[0]?.at ?? '', 400),
      },
    ])
  })
})

describe('the first sentence on the trash', () => {
  it('names first the files that may leave at any time, then those of the next seven days', async () => {
    await sql`with two as (
        update svc.recording_sessions set trashed = true where session_id in (
          select session_id from svc.recording_sessions order by session_id limit 2)
        returning session_id)
      update svc.recording_files f set deleted_time = null from two
        where f.session_id = two.session_id`.execute(world.warehouse.db)
    const again = await read()
    const left = (await plainFiles()).filter(({ trashed }) => trashed)
    const dates = left.flatMap(({ deletedAt }) => deletedAt ?? [])
    const weekMs = Date.parse(WORLD_NOW) + (7 - 30) * DAY_MS
    const week = dates.filter((at) => Date.parse(at) < weekMs).toSorted()
    const undated = left.length - dates.length
    expect(Math.min(undated, week.length, dates.length - week.length)).toBeGreaterThan(0)
    expect(again.notes('Summary')).toContain(`${left.length} files in the trash `)
    expect(again.notes('Summary')).toContain(
      `within 30 days: ${undated} at any time, because their date is unknown, ${week.length} within 7 days ` +
        `(from ${instantAfter(week[0] ?? '', 30).slice(0, 10)} on), ${dates.length - week.length} later.`,
    )
    const shown = again.lines('Leaving the trash').map((line) => line['Permanent deletion'])
    expect(shown.slice(0, undated + 1).filter((one) => one === null)).toHaveLength(undated)
  })
})

async function noteRules(retention: readonly object[]): Promise<void> {
  const settings = { jobs: [], files: [], ledger_months: null, retention }
  await sql`insert into callsheet.audit_settings (account, at, noted_by, settings)
    values ('account-0', clock_timestamp(), 'test', ${JSON.stringify(settings)}::jsonb)`.execute(
    world.warehouse.db,
  )
}
