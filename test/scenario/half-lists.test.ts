import { afterEach, beforeEach, expect, test } from 'vitest'
import numberSettings from '../../jobs/number-settings.ts'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: { ...TINY, recordings: 80 }, altered: true })
})
afterEach(() => world.close())

async function sync(job = numberSettings, full = false): Promise<RunResult> {
  const [run] = await world.sync({ jobs: [job], full })
  if (run === undefined) throw new Error('there was no run')
  return run
}

/** Cuts the lists of SIP groups and trunks in half; with `told` they still state the real total. */
function halve(total: 'told' | 'none'): void {
  world.ways.tell = ({ path }, { body }) => {
    const items = path.endsWith('/sip_groups') ? 'sip_groups' : 'byoc_sip_trunk'
    const page = body as Record<string, unknown>
    const list = page[items]
    if (!/\/sip_(?:groups|trunks)$/.test(path) || !Array.isArray(list)) return
    delete page.next_page_token
    delete page.total_records
    if (total === 'told') page.total_records = list.length
    page[items] = list.slice(0, Math.floor(list.length / 2))
  }
}

const NONE = { sip_groups: { deleted: 0 }, sip_trunks: { deleted: 0 } }

test('half a list with the real total is not a complete read', async () => {
  await sync()
  halve('told')
  expect(await sync()).toMatchObject({ state: 'incomplete', tables: NONE })
})

test('half a list without a total deletes a row only after two reads an hour apart', async () => {
  const { tables } = await sync()
  const before = tables.sip_trunks?.present
  expect(before).toBeGreaterThan(2)
  halve('none')
  expect(await sync()).toMatchObject({ tables: NONE })
  expect(await sync()).toMatchObject({ tables: NONE })
  // A row that returns meanwhile is no longer a deletion candidate.
  world.ways.tell = () => {}
  await world.advance(2 * 3_600_000)
  expect(await sync()).toMatchObject({ state: 'complete', tables: NONE })
  halve('none')
  expect(await sync()).toMatchObject({ tables: NONE })
  await world.advance(2 * 3_600_000)
  const later = await sync()
  expect(later.tables.sip_trunks?.deleted).toBeGreaterThan(0)
})

test('details that are all missing need an approval while their parents are listed', async () => {
  await sync(recordings)
  const { tables } = await sync(recordingDetails)
  const present = tables.recording_details?.present
  expect(present).toBeGreaterThan(50)
  world.ways.tell = ({ path }, told) => {
    if (!/\/sessions\/.+\/recordings$/.test(path)) return
    told.status = 404
    told.body = { code: 3301, message: 'There is no recording for this session.' }
  }
  expect(await sync(recordingDetails, true)).toMatchObject({
    state: 'incomplete',
    trippedGuards: [{ stream: 'recording_details', missing: present, owned: present }],
    tables: { recording_details: { deleted: 0, present } },
  })
})

test('details are deleted with their parents, without an approval', async () => {
  await sync(recordings)
  await sync(recordingDetails)
  const rows = await world.warehouse.db
    .selectFrom('svc.recording_sessions')
    .select('session_id as id')
    .where('trashed', '=', false)
    .orderBy('session_id')
    .limit(52)
    .execute()
  const ops = rows.map(({ id }) => ({ kind: 'recordings', action: 'remove', id }))
  await world.mutate({ ops })
  expect(await sync(recordingDetails, true)).toMatchObject({
    trippedGuards: [],
    tables: { recording_details: { deleted: 52 } },
  })
})
