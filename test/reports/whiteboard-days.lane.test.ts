import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import * as fixture from './whiteboard-fixture.ts'
import { readWorkbook } from './workbook.ts'

let warehouse: Warehouse
let directory: string
let accounts = 0
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-days-'))
})
afterAll(() => rm(directory, { recursive: true }))

interface Judged {
  days: unknown[][]
  notes: string[]
  html: string
  covered: boolean
}

/** Inserts a run, and returns the verdict of the audit's cover on October or other days. */
async function judged(
  run: Partial<fixture.ArchiveToInsert> = {},
  params: object = { from: '2026-10-01', to: '2026-10-31' },
  { before, after }: Partial<Record<'before' | 'after', (account: string) => Promise<void>>> = {},
): Promise<Judged> {
  const account = `account-${accounts++}`
  await fixture.insertArchive(warehouse, { account, runId: 0, perDay: 1 })
  await before?.(account)
  await fixture.insertArchiveRun(warehouse, { account, ...run })
  await after?.(account)
  const made = await publishReport(
    { warehouse },
    {
      report: whiteboardAudit,
      account,
      params: params as Record<string, unknown>,
      timeZone: 'UTC',
      directory,
      formats: ['xlsx', 'html'],
    },
  )
  const [xlsx = '', html = ''] = made.files.map(({ path }) => path)
  const book = await readWorkbook(xlsx)
  const days = book
    .rows('Provenance', 'From')
    .map(([from, to, ...rest]) => [dayOf(from), dayOf(to), ...rest.slice(0, 3)])
  return {
    days,
    notes: book.notes('Provenance'),
    html: await readFile(html, 'utf8'),
    covered: made.covered,
  }
}

const dayOf = (cell: unknown) => (cell as Date).toISOString().slice(0, 10)
const WHOLE = 'every window and session was read completely'

describe('the days of the period', () => {
  it('are proven complete if every window and session was read', async () => {
    const { days, notes, covered } = await judged()
    expect(days).toEqual([['2026-10-01', '2026-10-31', 31, 'complete', WHOLE]])
    expect(notes).toContain('All 31 days are proven complete.')
    expect(covered).toBe(true)
  })

  it('are red if their window failed, and the seven days after it are not proven', async () => {
    const { days, notes, html, covered } = await judged({
      failed: ['2026-10-08'],
      state: 'incomplete',
    })
    expect(days).toEqual([
      ['2026-10-01', '2026-10-07', 7, 'complete', WHOLE],
      ['2026-10-08', '2026-10-14', 7, 'incomplete', 'the read failed'],
      [
        '2026-10-15',
        '2026-10-21',
        7,
        'not proven',
        expect.stringContaining('up to 7 days earlier'),
      ],
      ['2026-10-22', '2026-10-31', 10, 'complete', WHOLE],
    ])
    const red = '7 of 31 days are NOT complete: 2026-10-08 to 2026-10-14 (the read failed).'
    expect(notes).toContain(red)
    expect(html).toContain(`<p class="note bad" role="alert">${red}</p>`)
    expect(html).toContain('<span class="pill bad">incomplete</span>')
    expect(covered).toBe(false)
  })

  it('are incomplete if their window was never read', async () => {
    const { days } = await judged({ absent: ['2026-10-15'] })
    expect(days[1]).toEqual(['2026-10-15', '2026-10-21', 7, 'incomplete', 'never read'])
  })

  it('are incomplete if they are earlier than any sync reads', async () => {
    const { days, notes } = await judged({}, { from: '2026-05-20', to: '2026-05-25' })
    expect(days[0]?.slice(0, 4)).toEqual(['2026-05-20', '2026-05-25', 6, 'incomplete'])
    expect(notes.join()).toContain('earlier than any sync has read (historyDays of the account)')
  })

  it('are incomplete after the last read, and not proven while sessions may still appear', async () => {
    const { days } = await judged({}, { from: '2026-11-10', to: '2026-11-22' })
    expect(days.map(([from, to, , state]) => [from, to, state])).toEqual([
      ['2026-11-10', '2026-11-12', 'complete'],
      ['2026-11-13', '2026-11-19', 'not proven'],
      ['2026-11-20', '2026-11-22', 'incomplete'],
    ])
    expect(days[1]?.[4]).toContain('may still appear, up to 7 days later')
    expect(days.at(-1)?.[4]).toBe('after the last sync')
  })

  it('are not proven if a record of their window was quarantined', async () => {
    const after = async (account: string): Promise<void> => {
      await sql`update callsheet.slices set quarantined = 2
        where account = ${account} and slice like '2026-10-08%'`.execute(warehouse.db)
    }
    const { days } = await judged({}, undefined, { after })
    expect(days[1]).toEqual([
      '2026-10-08',
      '2026-10-14',
      7,
      'not proven',
      '2 unusable records quarantined in its window',
    ])
    expect(days).toHaveLength(3)
  })

  it('are incomplete if activities of a session were not read, with the reason', async () => {
    const run = { unread: ['s000035'], failedSessions: ['s000040'] }
    const before = async (account: string): Promise<void> => {
      await sql`update svc.whiteboard_sessions set expire_time = '2026-11-01T00:00:00Z'
        where account = ${account} and id = 's000035'`.execute(warehouse.db)
    }
    const { days, covered } = await judged(run, undefined, { before })
    const red = days.filter(([, , , state]) => state === 'incomplete')
    expect(red.map(([from, , , , why]) => [from, why])).toEqual([
      ['2026-10-06', 'activities of 1 session not read: expired before a sync read them'],
      ['2026-10-11', 'activities of 1 session not read: the read failed'],
    ])
    expect(covered).toBe(false)
  })

  it.each([0, 1])(
    'are red if the service returned 404 for a session after %d pages, unless it was read earlier',
    async (pages) => {
      const before = async (account: string): Promise<void> => {
        await fixture.insertArchiveRun(warehouse, { account, unread: ['s000035'] })
      }
      const after = async (account: string): Promise<void> => {
        await sql`update callsheet.slices
          set pages = ${pages}, received = ${pages}, checked = false, error = 'HTTP 404'
        where account = ${account} and slice in ('session=s000035', 'session=s000040') and run_id = (
          select max(run_id) from callsheet.slices where account = ${account})`.execute(
          warehouse.db,
        )
      }
      const { days, covered } = await judged({}, undefined, { before, after })
      const red = days.filter(([, , , state]) => state === 'incomplete')
      expect(red.map(([from, , , , why]) => [from, why])).toEqual([
        [
          '2026-10-06',
          'activities of 1 session not read: the service reports that there is no such session',
        ],
      ])
      expect(covered).toBe(false)
    },
  )

  it('are not red because of an unread session of another month', async () => {
    const { days, covered } = await judged({ unread: ['s000002'] })
    expect(days).toEqual([['2026-10-01', '2026-10-31', 31, 'complete', WHOLE]])
    expect(covered).toBe(true)
  })
})

it('the audit shows the newest checkpoint of the account, or that there is none yet', async () => {
  const none = await judged()
  expect(none.html).toContain('none yet')
  const before = async (account: string): Promise<void> => {
    await sql`insert into callsheet.checkpoints (account, origin, size, note, key, at)
      select ${account}, 'callsheet/x', n * 10 + 9,
        'callsheet/x' || e'\n' || n * 10 + 9 || e'\nroot ' || n || e'\n',
        convert_to('key ' || n, 'UTF8'), '2026-11-19T10:00:00Z'
      from generate_series(1, 12) n`.execute(warehouse.db)
  }
  const { html } = await judged({}, undefined, { before })
  const { rows } = await sql<{ key: string }>`
    select encode(sha256('key 12'), 'hex') as key`.execute(warehouse.db)
  expect(html).toContain('129:root 12')
  expect(html).toContain(rows[0]?.key)
  expect(html).toContain('2026-11-19 10:00:00')
})

it('the audit has the same bytes until a run or ledger changes, and shows the ledger’s time', async () => {
  const account = 'bytes'
  await fixture.insertArchive(warehouse, { account, runId: 0, perDay: 1 })
  await fixture.insertArchiveRun(warehouse, { account })
  await fixture.insertFiles(warehouse, account)
  const digests = async (): Promise<string[]> => {
    const request = {
      report: whiteboardAudit,
      account,
      timeZone: 'UTC',
      directory,
    } as const
    const params = { from: '2026-10-01', to: '2026-10-31' }
    const made = await publishReport(
      { warehouse },
      { ...request, params, formats: ['xlsx', 'html', 'csv'] },
    )
    return made.files.map(({ sha256 }) => sha256)
  }
  const first = await digests()
  expect(await digests()).toEqual(first)
  const html = () => readFile(join(directory, 'bytes-whiteboard-audit-2026-10.html'), 'utf8')
  expect(await html()).toContain('as of the last ledger entry, 2026-11-19 12:00:00')
  await sql`update callsheet.files set state_at = '2026-11-20T09:00:00Z' where account = ${account}
    and item = 'a1'`.execute(warehouse.db)
  expect(await digests()).not.toEqual(first)
  expect(await html()).toContain('as of the last ledger entry, 2026-11-20 09:00:00')
})
