import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reports, streams } from '../../src/account/catalog.ts'
import { columnPolicyOf } from '../../src/account/column-policy.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { REPORT_FORMATS, TABLE_FORMATS } from '../../src/core/define/report-format.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { exportTable } from '../../src/report/export-table.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { receiveNotification } from '../../src/serve/notifications/receive-notification.ts'
import { openedOf, tablesWith } from '../erasure/stage.ts'
import { openWorld, TINY, TOLD_SECRET, type World } from '../helpers/world.ts'
import { textOf } from '../reports/owned-world.ts'
import { PLANTED, POLICY, plant } from './planted.ts'

/** Reports that need no parameter, in all formats that need no browser. */
const PLAIN = reports.filter(({ params }) => params.safeParse({}).success)
const FORMATS = REPORT_FORMATS.filter((format) => format !== 'pdf')
const WRITTEN_BY = ['users', 'user_details', 'session_reports', 'phone_numbers'] as const

/** An account whose service sends planted values everywhere, and unusable numbers without an ID. */
async function openPlanted(columns: object): Promise<World> {
  const world = await openWorld({ sizes: TINY, altered: true, settings: { columns } })
  world.ways.tell = (asked, told) => {
    const { numbers } = told.body as { numbers?: object[] }
    if (asked.path.endsWith('/numbers')) numbers?.push({ number: '+12025550199' })
    plant(asked, told)
  }
  await world.sync()
  return world
}

async function notify(world: World, columns: object): Promise<void> {
  const { wiring } = openedOf(world)
  const settings = { name: 'account-0', columns: columns as typeof POLICY }
  const owner = { account: 'account-0', accountId: null, clientId: null, secret: TOLD_SECRET }
  const object = {
    invitation_id: 'i1',
    visitor_email: 'planted@guest.example',
    visitor_name: 'Planted',
  }
  const event = 'visitor_management.invitation_created'
  await receiveNotification(
    { warehouse: world.warehouse, clock: systemClock, observer: silentObserver },
    { ...owner, columns: columnPolicyOf(wiring.config, settings) },
    Buffer.from(JSON.stringify({ event, event_ts: 1_751_900_000_000, payload: { object } })),
  )
}

/** Writes every report and export; returns the names of the files that contain a planted value. */
async function filesWith(world: World, directory: string): Promise<string[]> {
  const { warehouse } = world
  const scope = { account: 'account-0', directory }
  const paths: string[] = []
  for (const report of PLAIN) {
    const wanted = { ...scope, report, params: {}, timeZone: 'UTC', formats: FORMATS }
    paths.push(...(await publishReport({ warehouse }, wanted)).files.map(({ path }) => path))
  }
  for (const stream of streams.filter(({ name }) => WRITTEN_BY.some((one) => one === name)))
    for (const format of TABLE_FORMATS) {
      const { files } = await exportTable(warehouse, {
        ...scope,
        stream,
        format,
        endedByMs: undefined,
      })
      paths.push(...files.map(({ path }) => path))
    }
  expect(paths.length).toBeGreaterThan(50)
  const found: string[] = []
  for (const path of paths)
    if ((await textOf(path)).toLowerCase().includes(PLANTED)) found.push(basename(path))
  return found
}

describe.each([
  ['a column policy', POLICY, true],
  ['no column policy', {}, false],
] as const)('under %s', (_name, columns, isKept) => {
  let world: World
  let directory = ''
  beforeAll(async () => {
    world = await openPlanted(columns)
    await notify(world, columns)
    directory = await mkdtemp(join(tmpdir(), 'callsheet-columns-'))
  })
  afterAll(async () => {
    await world.close()
    await rm(directory, { recursive: true })
  })

  it('quarantined records and notifications have the values only if they may', async () => {
    const { rows } = await sql<{ quarantined: number; notified: number }>`
      select (select count(*)::int from callsheet.quarantine) as quarantined,
        (select count(*)::int from callsheet.notifications) as notified`.execute(world.warehouse.db)
    expect(rows[0]?.quarantined).toBeGreaterThan(0)
    expect(rows[0]?.notified).toBe(1)
    const found = await tablesWith(world.warehouse, [PLANTED])
    const both = ['callsheet.notifications', 'callsheet.quarantine']
    expect(found.filter((table) => both.includes(table))).toEqual(isKept ? [] : both)
  })

  it('files of reports and exports have the values only if they may', async () => {
    const found = await filesWith(world, directory)
    if (isKept) expect(found).toEqual([])
    else expect(found.length).toBeGreaterThan(10)
  })
})
