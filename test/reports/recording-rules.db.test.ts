import { beforeAll, expect, it } from 'vitest'
import recordings from '../../reports/recordings.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import * as fixture from './fixture.ts'
import { type Inserted, insertRow } from './number-world.ts'
import { readSheets } from './read-sheets.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(() => insertCompany())

/** In UTC; the last session of May is in June in Berlin. */
const SESSIONS: readonly (readonly [
  start: string | null,
  people: number,
  recorded: boolean | 'deleted since',
])[] = [
  ['2026-05-01T09:00:00Z', 3, 'deleted since'],
  ['2026-05-04T09:00:00Z', 3, true],
  ['2026-05-11T09:00:00Z', 3, true],
  ['2026-05-18T09:00:00Z', 3, false],
  ['2026-05-25T09:00:00Z', 1, false],
  ['2026-05-31T23:00:00Z', 3, false],
  ['2026-06-02T09:00:00Z', 3, false],
  ['2026-06-09T09:00:00Z', 3, true],
  ['2026-06-16T09:00:00Z', 3, true],
  ['2026-07-01T09:00:00Z', 3, false],
  [null, 3, false],
]

it('the recordings report questions the rule, not the hosts, if most sessions break it', async () => {
  const sheets = await readSheets(warehouse, {
    report: recordings,
    account: 'hand',
    params: {},
    timeZone: 'Europe/Berlin',
    settings: { rules: [{ name: 'Everybody', minParticipants: 0 }] },
  })
  expect(sheets.notes('Summary')).toContain('6 of 11 sessions were not recorded')
  expect(sheets.notes('Summary')).toMatch(
    /“Everybody” requires it \(.*\): turn on automatic recording, or check the rule\./,
  )
})

it('the recordings report shows each month’s share of sessions without a required recording', async () => {
  const sheets = await readSheets(warehouse, {
    report: recordings,
    account: 'hand',
    params: {},
    timeZone: 'Europe/Berlin',
    settings: { rules: [{ name: 'Groups', minParticipants: 2 }] },
  })
  const months = sheets.lines('Without recording', 'Rules by month')
  expect(months.map((line) => Object.values(line))).toEqual([
    ['2026-07', 'Groups', 1, 1, 1, 0],
    ['2026-06', 'Groups', 4, 2, 0.5, 0],
    ['2026-05', 'Groups', 4, 1, 0.25, 1],
    ['(no time)', 'Groups', 1, 1, 1, 0],
  ])
  // July has only begun, so it is in the total and not in the trend.
  expect(sheets.notes('Summary')).toContain(
    '5 of 10 sessions were not recorded, although the rule “Groups” requires it ' +
      '(50.0 %; 50.0 % in June 2026 after 25.0 % in May 2026): ask their hosts.',
  )
  expect(sheets.lines('Without recording')).toHaveLength(6)
})

async function insertCompany(): Promise<void> {
  const at = '2026-07-02T03:00:00Z'
  const night = async (job: string, stream: string): Promise<Inserted> => {
    const [from, to] = ['2026-05-01T00:00:00Z', '2026-07-02T00:00:00Z']
    const slices = [{ stream, slice: '2026-05-01..2026-07-02', from, to }]
    const run = await fixture.insertRun(warehouse, { account: 'hand', job, finishedAt: at, slices })
    return { at, run }
  }
  const sessions = await night('session-reports', 'session_reports')
  const listed = await night('recordings', 'recording_sessions')
  for (const [index, [start, people, recorded]] of SESSIONS.entries()) {
    const session = {
      id: `s${index}`,
      start_time: start,
      duration: 1800,
      user_count: people,
      has_recording: recorded !== false,
    }
    await insertRow(warehouse, ['session_reports', session], sessions)
    if (recorded !== true) continue
    const recording = { session_id: `s${index}`, start_time: start, trashed: false }
    await insertRow(warehouse, ['recording_sessions', recording], listed)
    const file = { session_id: `s${index}`, file_key: 'a', ordinal: 0, file_type: 'MP4' }
    await insertRow(warehouse, ['recording_files', file], listed)
  }
}
