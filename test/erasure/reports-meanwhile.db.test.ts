import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import usersJob from '../../jobs/users.ts'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { exportTable } from '../../src/report/export-table.ts'
import { users } from '../../src/resources/users.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { erase } from './stage.ts'

let world: World
let directory: string
let ids: string[]
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-meanwhile-'))
  world = await openWorld({ sizes: TINY })
  await world.sync({ jobs: [usersJob] })
  const { rows } = await sql<{ id: string }>`select id from svc.users order by id`.execute(
    world.warehouse.db,
  )
  ids = rows.map(({ id }) => id)
})
afterEach(async () => {
  listenAtPoints(undefined)
  for (const name of await readdir(directory)) await rm(join(directory, name))
  await sql`delete from callsheet.published_reports`.execute(world.warehouse.db)
})
afterAll(async () => {
  await world.close()
  await rm(directory, { recursive: true })
})

const write = () =>
  exportTable(world.warehouse, { account: 'account-0', stream: users, format: 'csv', directory })

/** The names of the files that contain the ID. */
async function naming(id: string): Promise<string[]> {
  const names = await readdir(directory)
  const said = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
  return names.filter((_, at) => said[at]?.includes(id))
}

/** Starts to write the report when an erasure is about to delete rows, and stops the report at a point. */
function writing(at: string) {
  const reached = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  let made: Promise<string> | undefined
  const listen = async (name: string): Promise<void> => {
    if (name === 'erase:rows' && made === undefined) {
      made = write().then(() => 'made', String)
      await reached.promise
    } else if (name === at && made !== undefined) {
      reached.resolve()
      await go.promise
    }
  }
  return { listen, letGo: go.resolve, made: () => made }
}

it('a report made from the old rows is withdrawn, even if the erasure was killed', async () => {
  const [id = ''] = ids
  const { listen, letGo, made } = writing('report:recording')
  listenAtPoints((name) =>
    name === 'erase:rows-done' ? Promise.reject(new Error('killed')) : listen(name),
  )
  await expect(erase(world, { persons: [id] })).rejects.toThrow('killed')
  letGo()
  expect(await made()).toMatch(/create the report or bundle again/)
  listenAtPoints(undefined)
  const [erased] = await erase(world)
  expect(erased?.outcome).toMatchObject({ leftBehind: {}, reports: { undecided: [] } })
  expect(await naming(id)).toEqual([])
})

it('a report that is being recorded is waited for and made again', async () => {
  const [, id = ''] = ids
  let recording = false
  const { listen, letGo, made } = writing('commit:before')
  listenAtPoints((name) => {
    if (name === 'report:recording') recording = true
    return name === 'commit:before' && !recording ? undefined : listen(name)
  })
  const erasing = erase(world, { persons: [id] })
  await expect.poll(waiting).toBe(1)
  letGo()
  expect(await made()).toBe('made')
  const [erased] = await erasing
  expect(erased?.outcome).toMatchObject({ leftBehind: {}, reports: { anew: 1, undecided: [] } })
  expect(await naming(id)).toEqual([])
  expect(await readdir(directory)).not.toEqual([])
})

async function waiting(): Promise<number> {
  const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`.execute(
    world.warehouse.db,
  )
  return rows.length
}

it('only files reported for this person can be confirmed as handled', async () => {
  const [, , first = '', second = ''] = ids
  const { files } = await write()
  const file = files[0]?.path ?? ''
  await appendFile(file, '\n')
  const undecided = [{ file, why: 'it was changed since it was published' }]
  const erased = async (id: string) => {
    const [done] = await erase(world, { persons: [id], settled: true })
    return done?.outcome.reports
  }
  expect(await erased(first)).toMatchObject({ undecided, settled: [] })
  expect(await erased(first)).toMatchObject({ undecided: [], settled: undecided })
  expect(await erased(second)).toMatchObject({ undecided, settled: [] })
})
