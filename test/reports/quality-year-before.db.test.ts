import { expect, it } from 'vitest'
import sessionQuality from '../../reports/session-quality.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import * as fixture from './fixture.ts'
import { insertRow } from './number-world.ts'
import { readSheets } from './read-sheets.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })

/** The summary of a month for an account whose ledger proves a year before up to a day, or nothing of it. */
async function summaryOf(account: string, readTo: string | undefined, month = '2026-11') {
  const window = (from: string, to: string) => ({
    stream: 'session_reports',
    slice: `${from}..${to}`,
    from: `${from}T00:00:00Z`,
    to: `${to}T00:00:00Z`,
  })
  const finishedAt = '2026-12-02T03:00:00Z'
  const slices = [
    window('2026-05-01', '2026-12-02'),
    ...(readTo === undefined ? [] : [window('2025-10-20', readTo)]),
  ]
  const job = { account, job: 'session-reports', finishedAt, slices }
  const run = await fixture.insertRun(warehouse, job)
  const days = ['2025-10-31', '2025-11-01', '2025-11-03', '2025-11-04', '2025-11-30', '2025-12-01']
  for (const [at, day] of [...days, '2026-11-02', '2026-11-03', '2026-12-01'].entries()) {
    const start = { id: `s${at}`, start_time: `${day}T09:00:00Z`, duration: 600, user_count: 2 }
    const row = { account, ...start, audio_quality: at === 2 ? 'bad' : 'good' }
    await insertRow(warehouse, ['session_reports', row], { at: '2026-12-02T02:50:00Z', run })
  }
  const sheets = await readSheets(warehouse, {
    report: sessionQuality,
    account,
    params: { month },
    timeZone: 'UTC',
  })
  return sheets.notes('Summary')
}

it('the quality report shows the month a year before, if that month was read completely', async () => {
  expect(await summaryOf('whole', '2025-12-10')).toContain(
    'A year before, in November 2025: 4 sessions; bad audio 25.0 % (95 %: 4.6–69.9 %).',
  )
})

it('the quality report calls the month a year before unknown if it was not read to its end', async () => {
  const notes = await summaryOf('part', '2025-11-20')
  expect(notes).toContain(
    'A year before, in November 2025: unknown, because that month was not read completely.',
  )
  expect(notes).not.toContain('25.0 %')
})

it('the quality report omits the year before if it was never read or the month is not over', async () => {
  expect(await summaryOf('none', undefined)).not.toContain('A year before')
  expect(await summaryOf('early', '2025-12-10', '2026-12')).not.toContain('A year before')
})
