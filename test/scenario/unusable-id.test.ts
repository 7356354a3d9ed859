import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import { fileRows } from '../helpers/archive-files.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
afterEach(() => world.close())

test('an ID that does not fit into a URL affects only its own rows and files', async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  const { name, title, schedule, streams } = whiteboardArchives
  const sessions = streams.filter((stream) => stream.name === 'whiteboard_sessions')
  await world.sync({ jobs: [{ name, title, schedule, streams: sessions }] })
  await makeOdd()
  const [run] = await world.sync({ jobs: [whiteboardArchives], full: true })
  expect(run?.error).toBeUndefined()
  expect(run?.state).toBe('incomplete')
  const { planned = 0, complete } = run?.slices.whiteboard_activities ?? {}
  expect(planned).toBeGreaterThan(10)
  expect(complete).toBe(planned - 1)
  const problems = run?.problems.join('\n')
  expect(problems).toContain('could not check whether missing rows are deleted')
  expect(problems?.match(/is not valid Unicode/g)).toHaveLength(3)
  // The row that the service no longer has is deleted; the row that cannot be requested stays.
  expect(run?.tables.whiteboard_sessions?.deleted).toBe(1)
  const files = await fileRows(world.warehouse)
  expect(files.filter(({ state }) => state === 'stored').length).toBeGreaterThan(10)
  expect(files.filter(({ state }) => state === 'pending')).toMatchObject([
    { parent: ODD, reason: expect.stringMatching(/is not valid Unicode/) as string },
  ])
})

/** Makes a session with half a surrogate pair as ID, a session that the service no longer has, and a file. */
async function makeOdd(): Promise<void> {
  const { db } = world.warehouse
  const rename = (id: string) =>
    sql`update svc.whiteboard_sessions set id = ${id}, _hash = decode(md5(${id}), 'hex') where id = (
      select id from svc.whiteboard_sessions where id not in (${ODD}, 'no-more')
      order by expire_time desc limit 1)`.execute(db)
  await rename(ODD)
  await rename('no-more')
  await sql`insert into callsheet.files (account, kind, parent, item, state, state_at)
    values ('account-0', 'activity', ${ODD}, 'a-1', 'pending', callsheet.clock())`.execute(db)
}

/** The odd ID as it is stored in a key. */
const ODD = String.raw`x\ud800`
