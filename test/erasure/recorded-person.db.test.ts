import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { erase } from './stage.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({
    sizes: TINY,
    archive: { files: false, recordings: true, recordingsDays: 3650 },
    recordingBytes: 30_000,
  })
  for (const job of [recordings, recordingDetails, recordings]) await world.sync({ jobs: [job] })
})
afterAll(() => world.close())

interface Recorded {
  user_key: string
  of: 'sound' | 'picture'
  sha256: string
}

/** The stored audio and video files with the participants that the service named. */
async function recorded(): Promise<Recorded[]> {
  const { rows } = await sql<Recorded>`
    select r.user_key, r."of", encode(f.sha256, 'hex') as sha256
    from (select account, session_id, file_key, user_key, 'sound' as "of" from svc.recording_audio_files
      union all select account, session_id, file_key, user_key, 'picture'
      from svc.recording_participant_files) r
      join callsheet.files f on f.account = r.account and f.kind = 'recording'
        and f.parent = r.session_id and f.item = r.file_key and f.state = 'stored'
    where r.user_key is not null order by 1, 2, 3`.execute(world.warehouse.db)
  return rows
}

it('an erasure removes only the person’s own audio and video files from recordings', async () => {
  const before = await recorded()
  const person = before.find(({ of }) => of === 'sound')?.user_key ?? ''
  const own = before.filter(({ user_key }) => user_key === person)
  expect(new Set(own.map(({ of }) => of))).toEqual(new Set(['sound', 'picture']))
  const others = before.filter(({ user_key }) => user_key !== person)
  expect(others.length).toBeGreaterThan(3)
  const [done] = await erase(world, { persons: [person] })
  expect(done?.outcome).toMatchObject({ files: { removed: own.length }, leftBehind: {} })
  expect(await recorded()).toEqual(others)
  const store = createDirectoryStore(join(dirname(world.place.configFile), 'archive', 'account-0'))
  const sizes = await Promise.all(before.map(({ sha256 }) => store.size(sha256)))
  await store.close()
  const there = before.filter((_, at) => sizes[at] !== undefined)
  expect(there).toEqual(others)
})
