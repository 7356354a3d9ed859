import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { POINTS } from '../helpers/kill-points.ts'
import { WHOLE } from '../helpers/whole.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import {
  busiest,
  DATA_TABLES,
  erase,
  type Person,
  publishPerson,
  tablesWith,
  verify,
} from './stage.ts'

const ERASURE = POINTS.filter((name) => name.startsWith('erase:'))
class CutOff extends Error {}

let world: World
let person: Person
beforeEach(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  await world.sync()
  ;({ author: person } = await busiest(world.warehouse))
})
afterEach(async () => {
  listenAtPoints(undefined)
  await world.close()
})

/** Every row of every data table, without its hash. */
async function content(): Promise<string[]> {
  const found: string[] = []
  for (const { schema, name } of DATA_TABLES) {
    const { rows } = await sql<{ row: string }>`
      select (to_jsonb(t) - '_hash')::text as row from ${sql.id(schema, name)} t order by 1`.execute(
      world.warehouse.db,
    )
    found.push(...rows.map(({ row }) => `${schema}.${name} ${row}`))
  }
  return found
}

describe('an interrupted erasure', () => {
  it('is completed by the next one, wherever it stopped', async () => {
    const files = await publishPerson(world, person.id)
    expect(files.filter(existsSync)).toEqual(files)
    const reached = new Set<string>()
    const cuts: { name: string; at: number }[] = []
    // Stops at the first pass of each point and, in the complete test run, at the third.
    for (const name of ERASURE) cuts.push({ name, at: 1 }, ...(WHOLE ? [{ name, at: 3 }] : []))
    for (const cut of cuts) {
      let passed = 0
      listenAtPoints((name) => {
        reached.add(name)
        if (name !== cut.name || ++passed !== cut.at) return undefined
        return Promise.reject(new CutOff(name))
      })
      await erase(world, { persons: [person.id] }).catch((error: unknown) => {
        if (!(error instanceof CutOff)) throw error
      })
    }
    listenAtPoints(undefined)
    expect(ERASURE.filter((name) => !reached.has(name))).toEqual([])
    const done = await erase(world)
    expect(done.map(({ outcome }) => outcome.leftBehind)).toEqual(done.map(() => ({})))
    expect(await tablesWith(world.warehouse, [person.id, person.email])).toEqual([])
    expect(files.filter(existsSync)).toEqual([])
    expect((await verify(world)).findings).toEqual([])
    expect(await erase(world)).toEqual([])
    const before = await content()
    const runs = await world.sync({ full: true })
    expect(runs.map(({ state }) => state)).toEqual(runs.map(() => 'complete'))
    expect(await content()).toEqual(before)
  })

  it('prevents the person’s return from the moment it begins', async () => {
    listenAtPoints((name) =>
      name === 'erase:suppressed' ? Promise.reject(new CutOff(name)) : undefined,
    )
    await expect(erase(world, { persons: [person.id] })).rejects.toThrow(CutOff)
    listenAtPoints(undefined)
    await sql`delete from svc.users where id = ${person.id}`.execute(world.warehouse.db)
    await world.sync({ full: true })
    const { rows } = await sql`select from svc.users where id = ${person.id}`.execute(
      world.warehouse.db,
    )
    expect(rows).toHaveLength(0)
    const waiting = await sql<object>`
      select state, subject from callsheet.erasure_requests`.execute(world.warehouse.db)
    expect(waiting.rows).toEqual([{ state: 'under_way', subject: `user:${person.id}` }])
  })
})
