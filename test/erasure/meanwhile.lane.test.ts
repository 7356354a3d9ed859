import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { readMembers } from '../helpers/rewrite-zip.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import {
  busiest,
  erase,
  exportPerson,
  type Person,
  publishPerson,
  tablesWith,
  tell,
} from './stage.ts'

let world: World
let person: Person
beforeEach(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  await world.sync()
  ;({ author: person } = await busiest(world.warehouse))
})
afterEach(async () => {
  held?.()
  listenAtPoints(undefined)
  await world.close()
})

/** Releases the process that waits at a point, also at the end of a failed test. */
let held: (() => void) | undefined

/** Stops the process that passes a failpoint for the nth time, until `letGo` is called. */
function stopAt(wanted: string, passing = 1) {
  const reached = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const seen: string[] = []
  let passed = 0
  listenAtPoints(async (name) => {
    seen.push(name)
    if (name !== wanted || ++passed !== passing) return
    reached.resolve()
    await go.promise
  })
  held = () => go.resolve()
  return { reached: reached.promise, letGo: held, seen }
}

/** Stops work on the person at a point, erases the person, resumes the work and returns its result. */
async function overtaken(
  point: string,
  work: (of: World, user: string) => Promise<unknown>,
): Promise<string> {
  const stop = stopAt(point)
  const made = work(world, person.id).then(
    () => 'made',
    (error: unknown) => String(error),
  )
  await stop.reached
  const [done] = await erase(world, { persons: [person.id] })
  expect(done?.outcome.leftBehind).toEqual({})
  stop.letGo()
  return await made
}

/** Waits until a transaction waits for an advisory lock. */
async function untilSomebodyWaits(): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const { rows } = await sql`select from pg_locks
      where locktype = 'advisory' and not granted and database =
        (select oid from pg_database where datname = current_database())`.execute(
      world.warehouse.db,
    )
    if (rows.length > 0) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('nobody waits')
}

describe('during an erasure,', () => {
  it('a notification whose check began earlier is waited for and emptied', async () => {
    // The next commit stores the notification, which was checked with the list from before the erasure.
    const stop = stopAt('commit:before')
    const told = tell(world, {
      event: 'visitor.checked_in',
      event_ts: 1_783_000_000_000,
      payload: { object: { invitation_id: 'i1', host: { email: person.email } } },
    })
    await stop.reached
    const erasing = erase(world, { persons: [person.id] })
    await untilSomebodyWaits()
    expect(stop.seen).not.toContain('erase:suppressed')
    stop.letGo()
    expect(await told).toBe('stored')
    const [done] = await erasing
    expect(done?.outcome).toMatchObject({ leftBehind: {}, ledgers: { notifications: 1 } })
    expect(await tablesWith(world.warehouse, [person.id, person.email])).toEqual([])
  })

  it('a report with the old rows is withdrawn, and can be made again', async () => {
    const said = await overtaken('report:staged', publishPerson)
    expect(said).toMatch(/create the report or bundle again/)
    const out = join(dirname(world.place.configFile), 'out')
    const names = readdirSync(out, { recursive: true })
    expect(names).toEqual([])
    const { rows } = await sql`select from callsheet.published_reports`.execute(world.warehouse.db)
    expect(rows).toEqual([])
    listenAtPoints(undefined)
    const again = await publishPerson(world, person.id)
    for (const path of again) expect(readFileSync(path, 'latin1')).not.toContain(person.email)
  })

  // At the first point the erasure removes an unfinished file; at the second the file is not recorded yet.
  it.each(['report:placing', 'report:recording'] as const)(
    'an export that has reached %s is withdrawn, and can be repeated',
    async (point) => {
      const said = await overtaken(point, exportPerson)
      expect(said).toMatch(/a person was erased meanwhile.*create the report or bundle again/s)
      const out = join(dirname(world.place.configFile), 'out')
      expect(readdirSync(out, { recursive: true })).toEqual([])
      const ofBundles = sql`select from callsheet.published_reports where report = 'audit-export'`
      expect((await ofBundles.execute(world.warehouse.db)).rows).toEqual([])
      listenAtPoints(undefined)
      const members = await readMembers(await exportPerson(world, person.id))
      for (const content of members.values()) expect(content.toString()).not.toContain(person.email)
      expect((await ofBundles.execute(world.warehouse.db)).rows).toHaveLength(1)
    },
  )

  it('a sync that was suspended writes nothing about the person when it resumes', async () => {
    await sql`delete from svc.users where id = ${person.id}`.execute(world.warehouse.db)
    // The sync has read the list from before the erasure and the person's record.
    const stop = stopAt('fetch:after', 3)
    const syncing = world.sync({ full: true }).then(
      (results) => results.map(({ state }) => state).join(' '),
      (error: unknown) => String(error),
    )
    await stop.reached
    await sql`update callsheet.leases set holder = null, expires_at = callsheet.wall()`.execute(
      world.warehouse.db,
    )
    const [done] = await erase(world, { persons: [person.id, person.email] })
    expect(done?.outcome.leftBehind).toEqual({})
    stop.letGo()
    expect(await syncing).toMatch(/another process|lease|failed/)
    expect(await tablesWith(world.warehouse, [person.id, person.email])).toEqual([])
  })
})

it('after an erasure, a notification that names the person in an unknown field is stored empty', async () => {
  await erase(world, { persons: [person.id] })
  await tell(world, { event: 'never.heard_of', payload: { of: [{ somebody: person.id }] } })
  expect(await tablesWith(world.warehouse, [person.id])).toEqual([])
  const { rows } = await sql<object>`select state from callsheet.notifications`.execute(
    world.warehouse.db,
  )
  expect(rows).toEqual([{ state: 'erased' }])
})
