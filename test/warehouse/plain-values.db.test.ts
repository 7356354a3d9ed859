import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrations } from '../../src/cli/catalog/migrations.ts'
import { connect, type Warehouse } from '../../src/warehouse/connection/connect.ts'
import { migrate } from '../../src/warehouse/connection/migrate.ts'
import { emptyDatabase, type TestDatabase } from '../helpers/database.ts'

let database: TestDatabase
let warehouse: Warehouse
const run = async (statement: string): Promise<Record<string, unknown>[]> =>
  (await sql.raw<Record<string, unknown>>(statement).execute(warehouse.db)).rows

const BOOKKEEPING = `_raw, _hash, _first_seen_at, _changed_at, _deleted_at, _run_id`
const kept = (raw: object, deleted = false): string =>
  `'${JSON.stringify(raw)}', '\\x00', now(), now(), ${deleted ? 'now()' : 'null'}, 1`

const REPORT = {
  start_time: 1_708_443_093,
  has_voip: 1,
  has_video: 'True',
  has_pstn: 'often',
  user_count: '5.0',
  duration: 3723,
  session_key: 12,
}

/** Read, but spelled with five digits of a year. */
const FAR = '9999-12-31T23:59:59-15:00'
/** Of no calendar or of no clock on Earth: none may keep an installation from its next version. */
const UNREADABLE = ['0000-00-00T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00+16:00']

/** As an installation from before these migrations holds them. */
const HELD = [
  `insert into svc.whiteboard_participants (account, session_id, user_id, user_name, join_whiteboard_time,
     ordinal, email, ${BOOKKEEPING}) values
   ('a', 's', '', 'Guest', '2026-05-01T10:00:00Z', 0, 'first', ${kept({})}),
   ('a', 's', '', 'Guest', '2026-05-01T12:00:00+02:00', 0, 'second', ${kept({})}),
   ('a', 's', '', 'Guest', '2026-05-01T12:00:00+02:00', 1, 'third', ${kept({})}),
   ('a', 's', '', 'Guest', '2026-05-01 10:00:00', 0, 'deleted', ${kept({}, true)}),
   ('a', 's', 'u', 'Ada', '2026-05-01T10:00:00.1234567Z', 0, null, ${kept({})}),
   ('a', 's', 'u', 'Ada', '2026-02-30T10:00:00.5Z', 0, null, ${kept({})}),
   ('a', 's', 'u', 'Ada', '', 0, null, ${kept({})})`,
  ...UNREADABLE.flatMap((at, n) => [
    `insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
       join_whiteboard_time, ordinal, ${BOOKKEEPING}) values
     ('unreadable', 's', '', 'Guest', '${at}', 0, ${kept({})})`,
    `insert into svc.session_reports (account, id, ${BOOKKEEPING}) values
     ('unreadable', 's${n}', ${kept({ start_time: at, user_count: '3' })})`,
  ]),
  `insert into history.whiteboard_participants (account, session_id, user_id, user_name,
     join_whiteboard_time, ordinal, ${BOOKKEEPING}, _valid_from, _valid_to, _ended_by_run, _end)
   values ('a', 's', 'u', 'Ada', '2026-05-01T10:00:00.000Z', 0, ${kept({})}, now(), now(), 1, 'changed')`,
  `insert into svc.recording_files (account, session_id, file_key, ordinal, id, ${BOOKKEEPING}) values
   ('a', 's', 'CC@2026-05-01T10:00:00.000Z@2026-05-01 11:00:00', 0, null, ${kept({})}),
   ('a', 's', 'f@1@2', 0, 'f@1@2', ${kept({})})`,
  `insert into callsheet.files (account, kind, parent, item, state, state_at, sha256, size, entered) values
   ('a', 'recording', 's', 'CC@2026-05-01T10:00:00.000Z@2026-05-01 11:00:00#1', 'stored', now(),
     '\\x${'ab'.repeat(32)}', 5, true),
   ('a', 'recording', 's', 'CC@2026-05-01T10:00:00.000Z@2026-05-01 11:00:00', 'pending', now(),
     null, null, false),
   ('a', 'recording', 's', 'plain', 'pending', now(), null, null, false)`,
  `insert into svc.ported_order_details (account, order_id, contact_emails, ${BOOKKEEPING}) values
   ('a', 'o', null, ${kept({ contact_emails: 'a@b.example' })}),
   ('a', 'p', '{x}', ${kept({ contact_emails: 'a@b.example' })})`,
  `insert into svc.phone_number_assignments (account, phone_number_id, assigned_to_type, assigned_to_id,
     source_channel, ordinal, ${BOOKKEEPING}) values
   ('a', 'n', '', '', '', 0, ${kept({ assgined_to_name: 'Ada' })})`,
  `insert into svc.trashed_recordings (account, session_id, ${BOOKKEEPING}) values
   ('a', 's', ${kept({ duration: 7, total_size: '9007199254740993' })})`,
  `insert into svc.session_reports (account, id, ${BOOKKEEPING}) values
   ('a', 's', ${kept(REPORT)}), ('far', 's', ${kept({ start_time: FAR })})`,
]

beforeAll(async () => {
  database = await emptyDatabase()
  warehouse = connect({ url: database.url })
  const before = (first: string) =>
    Object.fromEntries(Object.entries(migrations).filter(([name]) => name < first))
  await migrate(warehouse, before('0049'))
  for (const statement of HELD) await run(statement)
  await migrate(warehouse, before('0058'))
  await forgetZones()
  await migrate(warehouse, migrations)
})
/** As 0049 first made the function: not all that may be wrong with an instant was foreseen. */
async function forgetZones(): Promise<void> {
  const [made] = await run(
    `select pg_get_functiondef('callsheet.instant_text(text)'::regprocedure) as of`,
  )
  const former = String(made?.of).replace('data_exception', 'datetime_field_overflow')
  expect(former).not.toBe(made?.of)
  await run(former)
}
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

describe('what an installation holds', () => {
  it('has keys that are made of instants, each row one of its own', async () => {
    const rows = await run(`select user_name, join_whiteboard_time as at, ordinal, email
      from svc.whiteboard_participants where account = 'a' order by 1, 2, 3`)
    expect(rows.map(({ at, ordinal, email }) => [at, ordinal, email])).toEqual([
      ['', 0, null],
      ['2026-02-30T10:00:00.5Z', 0, null],
      ['2026-05-01T10:00:00.123456Z', 0, null],
      ['2026-05-01T10:00:00Z', 0, expect.any(String)],
      ['2026-05-01T10:00:00Z', 1, expect.any(String)],
      ['2026-05-01T10:00:00Z', 2, 'third'],
      ['2026-05-01T10:00:00Z', 3, 'deleted'],
    ])
    expect(
      await run('select join_whiteboard_time as at from history.whiteboard_participants'),
    ).toEqual([{ at: '2026-05-01T10:00:00Z' }])
    expect(await run('select file_key from svc.recording_files order by 1')).toEqual([
      { file_key: 'CC@2026-05-01T10:00:00Z@2026-05-01T11:00:00Z' },
      { file_key: 'f@1@2' },
    ])
  })

  it('has the stored file under its new name too, and looks for what was pending by that', async () => {
    const rows = await run('select item, state, entered from callsheet.files order by 1')
    expect(rows).toEqual([
      {
        item: 'CC@2026-05-01T10:00:00.000Z@2026-05-01 11:00:00#1',
        state: 'stored',
        entered: true,
      },
      { item: 'CC@2026-05-01T10:00:00Z@2026-05-01T11:00:00Z#1', state: 'stored', entered: false },
      { item: 'plain', state: 'pending', entered: false },
    ])
  })

  it('has the values that its payloads hold in a plain spelling', async () => {
    expect(
      await run('select contact_emails from svc.ported_order_details order by order_id'),
    ).toEqual([{ contact_emails: ['a@b.example'] }, { contact_emails: ['x'] }])
    expect(await run('select assigned_to_name from svc.phone_number_assignments')).toEqual([
      { assigned_to_name: 'Ada' },
    ])
    expect(await run('select duration, total_size from svc.trashed_recordings')).toEqual([
      { duration: 7, total_size: '9007199254740993' },
    ])
    const [report] =
      await run(`select start_time at time zone 'UTC' as at, has_voip, has_video, has_pstn,
      user_count, duration, session_key from svc.session_reports where account = 'a'`)
    expect(report).toEqual({
      at: expect.stringContaining('2024-02-20'),
      has_voip: true,
      has_video: true,
      has_pstn: null,
      user_count: 5,
      duration: null,
      session_key: '12',
    })
  })

  it('keeps the spelling of an instant that nobody can read, and has no value for it', async () => {
    const keys = await run(`select join_whiteboard_time as at from svc.whiteboard_participants
      where account = 'unreadable' order by 1`)
    expect(keys.map(({ at }) => at)).toEqual([...UNREADABLE].sort())
    const reports = await run(`select start_time, user_count from svc.session_reports
      where account = 'unreadable'`)
    expect(reports).toEqual(UNREADABLE.map(() => ({ start_time: null, user_count: 3 })))
    const far = await run(`select start_time = '${FAR}' as is_read from svc.session_reports
      where account = 'far'`)
    expect(far).toEqual([{ is_read: true }])
  })
})

describe('two payloads say the same', () => {
  it.each([
    ['{"a": 1}', '{"a": "1"}', true],
    ['{"a": true}', '{"a": "True"}', true],
    ['{"a": "true"}', '{"a": "1"}', false],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "2024-02-20 17:31:33.000+02"}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "20240220T153133Z"}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "20240220T173133.0+0200"}', true],
    ['{"a": "2024-02-20T15:31:00Z"}', '{"a": "20240220T1531Z"}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "Tue, 20 Feb 2024 15:31:33 GMT"}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "Tue, 20 Feb 2024 15:31:34 GMT"}', false],
    ['{"a": "2024-02-20T00:00:00Z"}', '{"a": "2024-02-19T24:00:00Z"}', true],
    ['{"a": "2024-02-20T00:00:00Z"}', '{"a": "2024-02-19T23:59:60Z"}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": 1708443093}', true],
    ['{"a": "2024-02-20T15:31:33.25Z"}', '{"a": 1708443093250}', true],
    ['{"a": "2024-02-20T15:31:33Z"}', '{"a": "2024-02-20T15:31:34Z"}', false],
    ['{"a": [{"b": 1}]}', '{"a": {"b": "1"}}', true],
    ['{"a": [1, 2]}', '{"a": [2, 1]}', false],
    ['{"a": [1]}', '{"a": []}', false],
    ['{"a": null}', '{}', true],
    ['{"a": ""}', '{"b": null}', true],
    ['{"a": "x"}', '{"a": "y"}', false],
    ['{"a": "x"}', '{}', false],
    ['{"a": 5}', '{"a": 5.0}', true],
    ['{"a": 5}', '{"a": "6"}', false],
    ['{"a": "2026-01-01 +99"}', '{"a": "x"}', false],
    ['{"a": "2026-01-01 +99"}', '{"a": 1767225600}', false],
  ])('%s and %s: %s', async (a, b, same) => {
    expect(
      await run(
        `select callsheet.same('${a}', '${b}') as it, callsheet.same('${b}', '${a}') as back`,
      ),
    ).toEqual([{ it: same, back: same }])
  })
})
