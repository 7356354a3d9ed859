import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import phoneNumbers from '../../jobs/phone-numbers.ts'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import type { Job } from '../../src/core/define/job.ts'
import { approveDeletions } from '../../src/sync/ledger/deletion-guard.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World, type WorldOptions } from '../helpers/world.ts'

/** The service returns records whose nested lists lost rows, without any other change. */
let world: World
afterEach(() => world.close())

type Item = Record<string, unknown>
const FILES = ['recording_files', 'participant_video_files', 'participant_audio_files']

test.each([
  ['null', () => null],
  ['an empty text', () => ''],
  ['an empty list', () => []],
  ['a missing field', () => undefined],
  [
    'a list without its first record',
    (list: unknown) => (Array.isArray(list) ? list.slice(1) : list),
  ],
])(
  '%s instead of a recording’s files deletes none, and the run is incomplete',
  async (_name, spoil) => {
    world = await open({ sizes: { ...TINY, recordings: 20 } })
    await sync(recordings)
    await sync(recordingDetails)
    const before = await filesHeld()
    expect(before.every((held) => held > 3)).toBe(true)
    spoilLists(FILES, spoil)
    for (const job of [recordings, recordingDetails])
      for (let night = 0; night < 2; night++) {
        const run = await sync(job, true)
        expect(run.state).toBe('incomplete')
        expect(run.problems.join()).toMatch(
          /listed fewer than before, or none, which contradicts .*total_size/,
        )
      }
    expect(await filesHeld()).toEqual(before)
    delete world.ways.tell
    for (const job of [recordings, recordingDetails]) {
      expect(await sync(job, true)).toMatchObject({ state: 'complete', problems: [] })
      const again = await sync(job, true)
      expect(
        Object.values(again.tables).every(({ updated, inserted }) => updated + inserted === 0),
      ).toBe(true)
    }
    await equalsService(recordings)
  },
)

test('recordings loaded without their files leave every run incomplete', async () => {
  world = await open()
  spoilLists(FILES, () => undefined)
  for (let night = 0; night < 2; night++) {
    const run = await sync(recordings, true)
    expect(run.state).toBe('incomplete')
    const told = run.problems.join('\n')
    expect(told).toMatch(/^recording_files: \d+ records? of recording_sessions listed fewer/m)
    expect(told).toMatch(
      /^trashed_recording_files: \d+ records? of trashed_recordings listed .* contradicts recording_count/m,
    )
  }
  delete world.ways.tell
  expect((await sync(recordings, true)).state).toBe('complete')
  await equalsService(recordings)
})

test.each([
  { job: phoneNumbers, list: 'assigned_list', stream: 'phone_number_assignments' },
  { job: whiteboardArchives, list: 'regulated_participants', stream: 'whiteboard_participants' },
])(
  '$list missing from all records deletes no row, and the run is incomplete',
  async ({ job, list, stream }) => {
    world = await open()
    await sync(job)
    const before = await count(stream)
    spoilLists([list], () => undefined)
    for (let night = 0; night < 2; night++) {
      const run = await sync(job, true)
      expect(run.state).toBe('incomplete')
      expect(run.problems.join()).toMatch(/came without this list, although rows of it are stored/)
      expect(await count(stream)).toBe(before)
    }
    delete world.ways.tell
    expect((await sync(job, true)).state).toBe('complete')
    await equalsService(job)
  },
)

test('rows of lists that become empty together are deleted only after an approval', async () => {
  world = await open()
  await sync(phoneNumbers)
  const before = await count('phone_number_assignments')
  expect(before).toBeGreaterThan(5)
  spoilLists(['assigned_list'], () => [])
  const stream = 'phone_number_assignments'
  for (let night = 0; night < 2; night++) {
    const run = await sync(phoneNumbers, true)
    expect(run).toMatchObject({
      state: 'incomplete',
      trippedGuards: [{ stream, missing: before, owned: before }],
    })
    expect(await count(stream)).toBe(before)
    if (night === 0) continue
    const { runId } = run
    await approveDeletions(world.warehouse, { account: 'account-0', runId })
  }
  expect(await sync(phoneNumbers, true)).toMatchObject({ state: 'complete', trippedGuards: [] })
  expect(await count(stream)).toBe(0)
  delete world.ways.tell
  expect(await sync(phoneNumbers, true)).toMatchObject({ state: 'complete', trippedGuards: [] })
  await equalsService(phoneNumbers)
  // The approval was used, so it does not apply again.
  spoilLists(['assigned_list'], () => [])
  expect((await sync(phoneNumbers, true)).trippedGuards).toHaveLength(1)
})

test('an object instead of a list counts neither as an empty list nor as a record', async () => {
  world = await open()
  await sync(phoneNumbers)
  const before = await count('phone_number_assignments')
  spoilLists(['assigned_list'], (list) => (Array.isArray(list) ? Object.assign({}, list) : list))
  const run = await sync(phoneNumbers, true)
  expect(run.state).toBe('incomplete')
  expect(run.problems.join()).toMatch(
    /phone_number_assignments: \d+ unusable records were quarantined/,
  )
  expect(await count('phone_number_assignments')).toBe(before)
})

test('a file listed twice with equal content is one row', async () => {
  world = await open()
  spoilLists(['recording_files'], (list) => (Array.isArray(list) ? [...list, ...list] : list))
  await sync(recordings)
  const { rows } = await sql`select session_id, file_key from svc.recording_files
    where id is not null group by 1, 2 having count(*) > 1`.execute(world.warehouse.db)
  expect(rows).toEqual([])
})

test('if the lists of a few records are missing, they count as empty', async () => {
  world = await open()
  await sync(phoneNumbers)
  const before = await count('phone_number_assignments')
  const emptied = new Set<unknown>()
  spoilLists(['assigned_list'], (list, { id }) => {
    if (Array.isArray(list) && list.length > 0 && emptied.size < 3) emptied.add(id)
    return emptied.has(id) ? undefined : list
  })
  for (const deleted of [true, false]) {
    const run = await sync(phoneNumbers, true)
    expect(run.state).toBe('complete')
    expect((run.tables.phone_number_assignments?.deleted ?? 0) > 0).toBe(deleted)
    expect(await count('phone_number_assignments')).toBeLessThan(before)
  }
})

const open = (options: WorldOptions = {}) => openWorld({ sizes: TINY, altered: true, ...options })

/** From now on, spoils nested lists of these names in lists and details. */
function spoilLists(
  names: readonly string[],
  spoil: (list: unknown, record: Item) => unknown,
): void {
  world.ways.tell = (asked, { body }) => {
    if (asked.path.includes('trash=true')) return
    for (const record of recordsIn(body as Item))
      for (const name of names) if (name in record) record[name] = spoil(record[name], record)
  }
}

function recordsIn(body: Item): Item[] {
  const lists = ['sessions', 'numbers'].flatMap((name) => (body[name] ?? []) as Item[])
  return [body, ...lists]
}

async function sync(job: Job, full = false): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job], full })
  if (result === undefined) throw new Error('No run')
  return result
}

async function count(stream: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*)::int as rows
    from ${sql.id('svc', stream)} where _deleted_at is null`.execute(world.warehouse.db)
  return rows[0]?.rows ?? 0
}

const filesHeld = async (): Promise<number[]> =>
  await Promise.all(
    ['recording_files', 'recording_participant_files', 'recording_audio_files'].map(count),
  )

async function equalsService({ streams }: Job): Promise<void> {
  await expectTruth(world.warehouse, world.sandbox, { account: 'account-0', streams })
}
