import { sql } from 'kysely'
import reconciliation from '../../reports/reconciliation.ts'
import { jobs } from '../../src/account/catalog.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { readWorkbook, type Workbook } from './workbook.ts'

export type Reconciled = Workbook & { settled: boolean }

/** Makes the reconciliation of a day (by default the last full one) in all formats; reads the workbook. */
export async function reconcile(
  warehouse: Warehouse,
  { account = 'account-0', directory, day }: { account?: string; directory: string; day?: string },
): Promise<Reconciled> {
  const { files, settled } = await publishReport(
    { warehouse },
    {
      report: reconciliation,
      jobs,
      account,
      params: day === undefined ? {} : { day },
      timeZone: 'UTC',
      directory,
      formats: ['xlsx', 'html', 'csv'],
    },
  )
  const path = files.find((file) => file.path.endsWith('.xlsx'))?.path ?? ''
  return { ...(await readWorkbook(path)), settled }
}

type Rows = Record<string, Record<string, unknown>>

/** The rows of a sheet's table by stream. */
export function byStream(book: Workbook, sheet: 'Streams' | 'Records' | 'Rows' | 'Slices'): Rows {
  return Object.fromEntries(book.records(sheet, 'Stream').map((row) => [String(row.Stream), row]))
}

/** For each stream on the sheet, whether all planned slices are complete. */
export function wholeSlices(book: Workbook): Record<string, boolean> {
  const slices = Object.entries(byStream(book, 'Slices'))
  return Object.fromEntries(
    slices.map(([name, { Planned, Complete }]) => [name, Complete === Planned]),
  )
}

/** All streams that are not nested in another, as completely read. */
export const ALL_LISTS: Record<string, boolean> = Object.fromEntries(
  jobs.flatMap(({ streams }) =>
    streams.flatMap(({ name, sync }) => (sync.kind === 'nested' ? [] : [[name, true]])),
  ),
)

export function verdicts(book: Workbook): Record<string, unknown> {
  const streams = Object.entries(byStream(book, 'Streams'))
  return Object.fromEntries(streams.map(([name, { Verdict }]) => [name, Verdict]))
}

/** Copies the ledgers of slices and runs; the returned function restores them. */
export async function copyOf({ db }: Warehouse): Promise<() => Promise<void>> {
  await sql`create table public.kept_slices as select * from callsheet.slices`.execute(db)
  await sql`create table public.kept_runs as select * from callsheet.runs`.execute(db)
  return async () => {
    await sql`update callsheet.slices s set received = k.received, unchanged = k.unchanged,
      service_total = k.service_total from public.kept_slices k
      where (s.account, s.stream, s.slice, s.run_id) = (k.account, k.stream, k.slice, k.run_id)`.execute(
      db,
    )
    await sql`update callsheet.runs r set summary = k.summary from public.kept_runs k
      where r.id = k.id`.execute(db)
    await sql`drop table public.kept_slices, public.kept_runs`.execute(db)
  }
}

/** Inserts two stored files, one that expired before it was fetched, and one of the previous day. */
export async function insertFiles({ db }: Warehouse): Promise<void> {
  await sql`
    insert into callsheet.files (account, kind, parent, item, state, reason, expires_at, sha256, size,
      state_at, tries)
    select 'account-0', 'recording', 's' || n, 'f', case n when 3 then 'expired' else 'stored' end,
      case n when 3 then 'deleted' end, '2026-08-01Z', case when n <> 3 then sha256('x') end,
      case when n <> 3 then 1 end, '2026-07-09T12:00:00Z'::timestamptz - (n = 4)::int * interval '1 day', 1
    from generate_series(1, 4) n`.execute(db)
  await sql`
    insert into callsheet.incidents (account, kind, subject, at, detail)
    select 'account-0', 'expired_before_download', 'recording:s3:f', '2026-07-09T12:00:00Z',
      'deleted'`.execute(db)
}

/** Inserts three checkpoints that add 10, 20 and 30 entries; the first was signed on the previous day. */
export async function insertCheckpoints({ db }: Warehouse): Promise<void> {
  await sql`
    insert into callsheet.checkpoints (account, origin, size, note, key, at)
    select 'account-0', 'callsheet/account-0', 5 * n * (n + 1),
      concat('callsheet/account-0', e'\n', 5 * n * (n + 1), e'\nroot ', n, e'\n'), '',
      '2026-07-08T04:00:00Z'::timestamptz + (n > 1)::int * interval '1 day' + n * interval '1 hour'
    from generate_series(1, 3) n`.execute(db)
}

export async function rowsOf(table: AsyncIterable<unknown>): Promise<number> {
  let rows = 0
  for await (const _ of table) rows++
  return rows
}

/** Changes to a ledger of phone numbers, and the reason that the reconciliation then gives. */
export const TAMPERED = [
  [
    'received',
    sql`update callsheet.slices set received = received + 1 where stream = 'phone_numbers'`,
    '1 record received, but neither stored nor quarantined',
  ],
  [
    'unchanged',
    sql`update callsheet.slices set unchanged = unchanged + 1 where stream = 'phone_numbers'`,
    undefined,
  ],
  [
    'the service’s total',
    sql`update callsheet.slices set service_total = received + 2 where stream = 'phone_numbers'`,
    '2 records short of the service’s total',
  ],
  [
    'the rows present',
    sql`update callsheet.runs set summary = jsonb_set(summary, '{tables,phone_numbers,present}', '3')
        where job = 'phone-numbers'`,
    'fewer than were written',
  ],
] as const
