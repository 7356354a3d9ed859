import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import numberSettings from '../../jobs/number-settings.ts'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { insertRun } from './fixture.ts'
import { byStream, type Reconciled, reconcile, verdicts } from './reconciliation-fixture.ts'

let world: World
let directory: string
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'callsheet-shut-'))
  world = await openWorld({
    sizes: TINY,
    switches: { providerExchange: false, customerStorage: false },
  })
})
afterAll(async () => {
  await world.close()
  rmSync(directory, { recursive: true })
})

it('the reconciliation names the job and the command for streams that no run has read', async () => {
  await world.sync({ jobs: [numberSettings, recordings, recordingDetails] })
  const book = await reconciled('account-0')
  expect(byStream(book, 'Streams')).toMatchObject({
    users: { Job: 'users', 'What to do': 'Run "callsheet sync users --account account-0".' },
    // A nested stream is read by the job of its parent.
    user_phone_numbers: { Job: 'user-details' },
    sip_trunks: { Job: 'number-settings', 'What to do': '' },
  })
  // The worst and their command are sentences, which a phone shows whole.
  expect(book.notes('Summary').join()).toMatch(
    /\d+ streams were never read: [a-z_, ]+ and \d+ others\. Run "callsheet sync --account account-0"\./,
  )
  const groups = book.records('Summary', 'Verdict')
  expect(groups.map((row) => [row.Verdict, row['Streams, and what to do']])).toContainEqual([
    'never read',
    expect.stringMatching(/others: no run had .*\. Run "callsheet sync --account account-0"\.$/),
  ])
})

const reconciled = (account: string, day = '2026-07-08'): Promise<Reconciled> =>
  reconcile(world.warehouse, { account, directory, day })

it('the reconciliation distinguishes streams that are not allowed from streams never read', async () => {
  await world.sync({ jobs: [numberSettings, recordings, recordingDetails] })
  const book = await reconciled('account-0')
  expect(verdicts(book)).toMatchObject({
    peering_numbers: 'not allowed',
    carrier_peering_numbers: 'not allowed',
    storage_locations: 'not allowed',
    // Without access to the list, there are no records whose details could be requested.
    storage_location_details: 'not allowed',
    sip_trunks: 'balanced',
    recording_details: 'balanced',
    users: 'never read',
    session_reports: 'never read',
  })
  const lines = byStream(book, 'Streams')
  expect(lines.storage_locations?.Reason).toMatch(/cannot store recordings in its own storage/)
  const names = '"callsheet status --account account-0": it names the missing scope or feature'
  expect(lines.storage_locations?.['What to do']).toBe(`Run ${names}.`)
  expect(book.notes('Provenance')[0]).toMatch(
    /^Of \d+ streams, .*4 are not allowed, \d+ were never read, and \d+ balance/m,
  )
  expect(book.cells('Summary').flat()).toContain('→ Streams')
})

it('the reconciliation does not say that a later run read what the account may not read', async () => {
  const lines = byStream(await reconciled('account-0', '2026-07-07'), 'Streams')
  expect(lines.sip_trunks?.['What to do']).toMatch(/^Nothing to do: run \d+ has read it since\.$/)
  for (const stream of ['storage_locations', 'storage_location_details', 'peering_numbers'])
    expect([stream, lines[stream]?.['What to do']]).toEqual([
      stream,
      expect.stringMatching(/^Run "callsheet sync [a-z-]+ --account account-0"\.$/),
    ])
})

it('the reconciliation of a day before the first run says when that run began', async () => {
  const { settled, notes, records } = await reconciled('account-0', '2026-07-07')
  const text = notes('Summary').join('\n')
  expect(text).toMatch(
    /This day is before the account’s first run, which began on 2026-07-08 at \d\d:\d\d\./,
  )
  expect(text).not.toContain('schedule')
  const rows = records('Streams', 'Stream')
  expect(rows.length).toBeGreaterThan(20)
  for (const row of rows)
    expect(row).toMatchObject({ Reason: 'the account’s first run began after this day' })
  expect(settled).toBe(false)
})

it('the reconciliation is refused for an account that was never synced', async () => {
  await expect(reconciled('nobody')).rejects.toMatchObject({ code: 'never_synced' })
})

it('the reconciliation reports a killed run, and lists up to 500 of its unproven slices', async () => {
  const slices = Array.from({ length: 620 }, (_, at) => ({
    stream: 'whiteboard_activities',
    slice: `session=${at}`,
    state: at < 20 ? 'complete' : 'failed',
  }))
  const state = 'interrupted'
  const run = { job: 'whiteboard-archives', state, finishedAt: '2026-07-08T03:00:00Z', slices }
  const id = await insertRun(world.warehouse, { account: 'killed', ...run })
  const book = await reconciled('killed')
  expect(verdicts(book)).toMatchObject({ whiteboard_activities: 'incomplete', users: 'never read' })
  expect(
    book.records('Streams', 'Stream').find(({ Verdict }) => Verdict === 'incomplete'),
  ).toMatchObject({
    Reason: '600 slices not proven',
    'Last run': id,
  })
  expect(book.records('Not proven', 'Stream')).toHaveLength(500)
  expect(book.notes('Not proven').join()).toContain('100 more are not')
})
