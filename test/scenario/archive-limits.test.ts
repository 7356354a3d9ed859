import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { fileRows, storedFiles, untrueFiles } from '../helpers/archive-files.ts'
import { archiveFilesOf } from '../helpers/scarce-calls.ts'
import { openWorld, TINY, type World, type WorldOptions } from '../helpers/world.ts'

let world: World
afterEach(() => world.close())

const open = async ({ archive: settings = {}, ...options }: WorldOptions = {}) => {
  world = await openWorld({ sizes: TINY, archive: { files: true, ...settings }, ...options })
  return world
}
const sync = async (job = whiteboardArchives) => (await world.sync({ jobs: [job] }))[0]
const archivePlace = () => join(dirname(world.place.configFile), 'archive')
const archive = (retry = false) => archiveFilesOf(world, [whiteboardArchives, recordings], retry)
const countOf = async (state: string, kind: 'activity' | 'recording' = 'activity') =>
  (await fileRows(world.warehouse, { kind })).filter((row) => row.state === state).length

/** The `callsheet` tables that contain one of the texts anywhere. */
async function rowsThatHold(...texts: string[]): Promise<string[]> {
  const { db } = world.warehouse
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'callsheet' and table_type = 'BASE TABLE'`.execute(db)
  const holding: string[] = []
  for (const { name } of rows)
    for (const text of texts) {
      const found = await sql`select 1 from ${sql.id('callsheet', name)} t
        where strpos(t::text, ${text}) > 0 limit 1`.execute(db)
      if (found.rows.length > 0) holding.push(`${name}: ${text}`)
    }
  expect(rows.length).toBeGreaterThan(10)
  return holding
}

describe('a store that fails', () => {
  it('leaves every file pending and is reported; the next run fetches them', async () => {
    const { sandbox } = await open()
    writeFileSync(archivePlace(), 'in the way')
    const run = await sync()
    expect(run?.state).toBe('incomplete')
    expect(run?.problems.join()).toContain('Opening the archive in')
    expect(run?.problems.join()).toContain('find out who created that object')
    expect(run?.files).toMatchObject({ stored: 0 })
    expect(run?.files?.pending).toBeGreaterThan(20)
    expect(await countOf('pending')).toBe(run?.files?.pending)
    rmSync(archivePlace())
    const again = await archive()
    expect(again).toMatchObject({ state: 'complete', problems: [], files: { pending: 0 } })
    expect((await untrueFiles(world.warehouse, sandbox)).untrue).toEqual([])
    const { rows } = await sql<{ job: string; state: string }>`
      select job, state from callsheet.runs order by id`.execute(world.warehouse.db)
    expect(rows).toEqual([
      { job: 'whiteboard-archives', state: 'incomplete' },
      { job: 'evidence', state: 'incomplete' },
      { job: 'archive', state: 'complete' },
    ])
  })
})

describe('an unavailable file host', () => {
  it('receives requests for only a few sessions in one run', async () => {
    await open({ sizes: { ...TINY, whiteboards: 100, activities: 400 } })
    const operation = 'whiteboard_sessions.download'
    await world.faults([{ kind: 'status', status: 503, operation }])
    const run = await sync()
    expect(run).toMatchObject({ state: 'incomplete', files: { stored: 0, missing: 0 } })
    expect(run?.problems.join()).toContain('8 sessions in a row gave no file')
    const { rows } = await sql<{ tried: number; sessions: number }>`
      select count(distinct parent)::int as sessions,
        count(distinct parent) filter (where reason like '%503%')::int as tried
      from callsheet.files`.execute(world.warehouse.db)
    const { tried = 0, sessions } = rows[0] ?? {}
    expect(tried).toBeGreaterThanOrEqual(8)
    expect(sessions).toBeGreaterThan(2 * tried)
  })
})

describe('the files of recordings', () => {
  const on = { recordings: true, recordingsDays: 3650 }
  const small = { archive: on, recordingBytes: 30_000 }

  it('are not fetched unless they are enabled', async () => {
    await open()
    expect((await sync(recordings))?.files).toBeUndefined()
    expect(await fileRows(world.warehouse, { kind: 'recording' })).toEqual([])
  })

  /** Participants' audio is in no list: a second job reads its address, and a third run fetches it. */
  const untilAllAreKnown = async () => {
    const runs = [await sync(recordings), await sync(recordingDetails), await sync(recordings)]
    for (const run of runs) expect(run).toMatchObject({ state: 'complete', problems: [] })
    return runs
  }

  it('are stored with the length that the service lists', async () => {
    const { sandbox } = await open(small)
    await untilAllAreKnown()
    const { looked, untrue } = await untrueFiles(world.warehouse, sandbox, 'recording')
    expect(untrue).toEqual([])
    expect(looked).toBeGreaterThan(20)
    expect(await countOf('stored', 'recording')).toBe(looked)
    expect(storedFiles(join(archivePlace(), 'account-0'))).toMatchObject({ wrong: [], left: [] })
  })

  it('are entered and signed even if no other files are archived', async () => {
    const { sandbox } = await open({ ...small, archive: { ...on, files: false } })
    const entered: number[] = []
    for (const job of [recordings, recordingDetails, recordings])
      for (const { evidence } of await world.sync({ jobs: [job] })) {
        if (evidence === undefined) continue
        expect(evidence.problems).toEqual([])
        entered.push(evidence.files)
      }
    expect(entered).toHaveLength(2)
    const files = (entered[0] ?? 0) + (entered[1] ?? 0)
    expect(files).toBe([...sandbox.files('recording')].length)
  })

  it('include each participant’s audio once another job has read its address', async () => {
    const { sandbox } = await open(small)
    const [before, , after] = await untilAllAreKnown()
    const { rows } = await sql<{ sounds: number; stored: number }>`
      select count(*)::int as sounds, count(*) filter (where f.state = 'stored')::int as stored
      from svc.recording_audio_files r
        join svc.recording_sessions s on s.session_id = r.session_id and not s.trashed
          and s._deleted_at is null
        left join callsheet.files f on f.account = r.account and f.parent = r.session_id
          and f.item = r.file_key`.execute(world.warehouse.db)
    const { sounds = 0, stored } = rows[0] ?? {}
    expect(sounds).toBeGreaterThan(5)
    expect(stored).toBe(sounds)
    expect(after?.files?.stored).toBe(sounds)
    const { length } = [...sandbox.files('recording')]
    expect((before?.files?.stored ?? 0) + sounds).toBe(length)
  })

  it('are fetched with the JWT in the query if password-protected; the JWT is not stored', async () => {
    const { sandbox } = await open(small)
    const files = [...sandbox.files('recording')].length
    await untilAllAreKnown()
    const { operations } = sandbox.stats()
    // Password-protected files were refused at the first attempt, without the JWT.
    expect(operations['recordings.download']).toBeGreaterThan(files)
    expect(operations['recordings.download']).toBeLessThan(files * 2)
    expect(await countOf('stored', 'recording')).toBe(files)
    expect(await rowsThatHold('access_token', 'eyJ')).toEqual([])
  })

  it('with a wrong length are not stored', async () => {
    await open(small)
    await world.faults([{ kind: 'shorter', operation: 'recordings.download' }])
    const run = await sync(recordings)
    expect(run?.state).toBe('incomplete')
    // Files without a length in the list (captions, timelines) cannot be checked for completeness.
    const { rows } = await sql<{ ok: boolean }>`
      select bool_and(r.file_size is null) as ok from callsheet.files f
        join svc.recording_files r on r.account = f.account and r.session_id = f.parent
          and r.file_key = f.item
      where f.state = 'stored'`.execute(world.warehouse.db)
    expect(rows[0]?.ok ?? true).toBe(true)
    expect(await countOf('pending', 'recording')).toBeGreaterThan(5)
  })

  it('are fetched only within the limits on age and total size', async () => {
    await open({
      archive: { ...on, recordingsDays: 30, recordingsBytes: 60_000 },
      recordingBytes: 30_000,
    })
    expect((await sync(recordings))?.state).toBe('complete')
    const { rows } = await sql<{ bytes: number; oldest: string }>`
      select sum(size) filter (where state = 'stored')::int as bytes,
        min(s.start_time) as oldest from callsheet.files f
        join svc.recording_sessions s on s.account = f.account and s.session_id = f.parent`.execute(
      world.warehouse.db,
    )
    expect(rows[0]?.bytes).toBeGreaterThan(0)
    expect(rows[0]?.bytes).toBeLessThanOrEqual(60_000)
    expect(Date.parse(rows[0]?.oldest ?? '')).toBeGreaterThan(
      world.sandbox.clock.now() - 31 * DAY_MS,
    )
    expect(await countOf('pending', 'recording')).toBeGreaterThan(0)
  })
})
