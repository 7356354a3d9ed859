import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import phoneNumbers from '../../jobs/phone-numbers.ts'
import sessionReports from '../../jobs/session-reports.ts'
import users from '../../jobs/users.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import numberInventory from '../../reports/number-inventory.ts'
import sessionQuality from '../../reports/session-quality.ts'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import type { Report } from '../../src/core/define/report.ts'
import { ConfigurationError } from '../../src/core/errors.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { type PublishRequest, publishReport } from '../../src/report/publish-report.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { readWorkbook, type Workbook } from '../reports/workbook.ts'

let world: World
let directory: string
/** The workbook of each report on the first night, and the numbers then. */
const first = new Map<string, Workbook>()
let numbersThen: Map<string, string>

const REPORTS: readonly [Report, Record<string, string>, string[]][] = [
  [numberInventory, {}, ['Summary', 'All numbers', 'Unassigned', 'Breakdown']],
  [
    sessionQuality,
    { month: '2026-07' },
    ['Summary', 'Findings', 'Quality by month', 'Worst sessions'],
  ],
  [
    whiteboardAudit,
    { from: '2026-06-01', to: '2026-07-07' },
    ['Sessions', 'Participants', 'All stays', 'All activities'],
  ],
]
const JOBS = [users, phoneNumbers, sessionReports, whiteboardArchives]
const NIGHT_MS = Date.parse(WORLD_NOW)

/** Three nights with many changes before the second and the third; the reports are made on the first. */
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'callsheet-as-of-'))
  world = await openWorld({ sizes: TINY })
  await world.sync({ jobs: JOBS, full: true })
  for (const [report, params] of REPORTS) first.set(report.name, (await make(report, params)).book)
  numbersThen = await numbers()
  for (let night = 1; night <= 2; night++) {
    await world.advance(DAY_MS)
    await world.mutate({ share: 0.2 })
    await world.sync({ jobs: JOBS, full: true })
  }
})
afterAll(async () => {
  await world.close()
  rmSync(directory, { recursive: true })
})

async function make(
  report: Report,
  params: Record<string, string>,
  moment: Pick<PublishRequest, 'endedByMs' | 'sinceMs'> = {},
) {
  const made = await publishReport(world, {
    report,
    account: 'account-0',
    params,
    timeZone: 'UTC',
    directory,
    formats: ['xlsx'],
    ...moment,
  })
  const [file] = made.files
  return { made, name: basename(file?.path ?? ''), book: await readWorkbook(file?.path ?? '') }
}

/** The present values of each number in the table. */
async function numbers(): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; value: string }>`
    select id, concat_ws('|', number, status, display_name, site_name) as value
    from svc.phone_numbers where _deleted_at is null`.execute(world.warehouse.db)
  return new Map(rows.map(({ id, value }) => [id, value]))
}

const refusal = async (work: Promise<unknown>): Promise<ConfigurationError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ConfigurationError)
  return error as ConfigurationError
}

describe('a report as of an earlier time', () => {
  it.each(REPORTS)(
    'has the same cells as the report that was made then: $name',
    async (report, params, sheets) => {
      const { book, name } = await make(report, params, { endedByMs: NIGHT_MS + DAY_MS / 2 })
      const then = first.get(report.name)
      const cells = (of: Workbook | undefined) => sheets.map((sheet) => of?.cells(sheet))
      expect(cells(book)).toEqual(cells(then))
      expect(cells(book)).not.toEqual(cells((await make(report, params)).book))
      expect(name).toContain('-as-of-20260708')
    },
  )

  it('is refused with the earliest possible time if the requested time is too early', async () => {
    const error = await refusal(make(numberInventory, {}, { endedByMs: NIGHT_MS - DAY_MS }))
    expect(error.code).toBe('as_of_too_early')
    const earliest = /(2026-07-08 \d{2}:\d{2}) \(UTC\) or later/.exec(error.message)?.[1] ?? ''
    const endedByMs = Date.parse(`${earliest.replace(' ', 'T')}Z`)
    expect((await make(numberInventory, {}, { endedByMs })).made.covered).toBe(true)
  })
})

describe('a report of the changes since a time', () => {
  const since = { sinceMs: NIGHT_MS + DAY_MS / 2 }

  it('lists every difference between the inventory’s tables then and now', async () => {
    const { book, name } = await make(numberInventory, {}, since)
    const now = await numbers()
    const told = book.records('Changes', 'Change')
    const ids = (change: string) =>
      told.filter(({ Change }) => Change === change).map(({ ID }) => String(ID))
    const added = [...now.keys()].filter((id) => !numbersThen.has(id))
    const removed = [...numbersThen.keys()].filter((id) => !now.has(id))
    expect(ids('added').toSorted()).toEqual(added.toSorted())
    expect(ids('removed').toSorted()).toEqual(removed.toSorted())
    const changed = [...now].filter(
      ([id, value]) => numbersThen.has(id) && numbersThen.get(id) !== value,
    )
    expect(changed.length).toBeGreaterThan(0)
    expect(ids('changed')).toEqual(expect.arrayContaining(changed.map(([id]) => id)))
    expect(name).toContain('-since-20260708')
  })

  it('lists every changed value of the month’s sessions', async () => {
    const { book } = await make(sessionQuality, { month: '2026-07' }, since)
    // Reads the versions that ended after the first night from the history table's own columns.
    const { rows } = await sql<{ key: string; was: string; is: string }>`
      select s.id as key, h.audio_quality as was, s.audio_quality as is
      from svc.session_reports s join lateral (
        select audio_quality from history.session_reports h
        where h.id = s.id and h._valid_from <= ${new Date(since.sinceMs).toISOString()}
          and h._valid_to > ${new Date(since.sinceMs).toISOString()}) h on true
      where s._deleted_at is null and h.audio_quality is distinct from s.audio_quality
        and s.start_time >= '2026-07-01' and s.start_time < '2026-08-01' order by 1`.execute(
      world.warehouse.db,
    )
    const all = book.records('Changes since', 'Change')
    expect(all.length).toBeGreaterThan(0)
    const told = all
      .filter(({ Column }) => Column === 'audio_quality')
      .map(({ Key, Before, After }) => ({ key: Key, was: Before, is: After }))
    expect(told.toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1))).toEqual(rows)
  })

  it('counts the changes by kind of row', async () => {
    const [report, params] = REPORTS[2] ?? []
    const { book } = await make(report as Report, params ?? {}, since)
    const counts = book.records('Changes since', 'Stream')
    const rows = book.records('Changes since', 'Change')
    expect(counts.map(({ Stream }) => Stream)).toEqual([
      'whiteboard_sessions',
      'whiteboard_participants',
      'whiteboard_activities',
    ])
    for (const { Stream, Added, Changed, Gone } of counts)
      expect(
        ['added', 'changed', 'gone'].map(
          (kind) =>
            new Set(
              rows.filter((row) => row.Stream === Stream && row.Change === kind).map((r) => r.Key),
            ).size,
        ),
      ).toEqual([Added, Changed, Gone])
    expect(rows.length).toBeGreaterThan(0)
  })

  it('is refused if the time is later than the newest data', async () => {
    const after = { sinceMs: NIGHT_MS + 5 * DAY_MS }
    expect((await refusal(make(numberInventory, {}, after))).code).toBe('since_not_before')
  })
})
