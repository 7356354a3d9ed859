import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { busiest, erase, type Person } from './stage.ts'

let world: World
let person: Person
let own: string[]
let shared: string
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  await world.sync()
  ;({ author: person } = await busiest(world.warehouse))
  own = await double()
  shared = await share()
})
afterAll(() => world.close())

/** Stores each file of the person under a former name too, which no record has, as after a rename. */
async function double(): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    insert into callsheet.files (account, kind, parent, item, state, sha256, size, state_at)
    select f.account, f.kind, f.parent, 'former ' || f.item, f.state, f.sha256, f.size, f.state_at
    from callsheet.files f
      join svc.whiteboard_activities a on a.account = f.account and a.session_id = f.parent
        and a.id = f.item and a.user_id = ${person.id}
    where f.state = 'stored' and f.kind = 'activity'
    returning encode(sha256, 'hex') as sha256`.execute(world.warehouse.db)
  return [...new Set(rows.map(({ sha256 }) => sha256))]
}

/** Gives another person's file in the same session the content of one of the person's; returns its digest. */
async function share(): Promise<string> {
  const { rows } = await sql<{ sha256: string }>`
    with pair as (
      select other.account, other.kind, other.parent, other.item, mine.sha256, mine.size
      from callsheet.files mine
        join svc.whiteboard_activities a on a.account = mine.account and a.session_id = mine.parent
          and a.id = mine.item and a.user_id = ${person.id}
        join callsheet.files other on other.account = mine.account and other.kind = mine.kind
          and other.parent = mine.parent and other.state = 'stored'
        join svc.whiteboard_activities b on b.account = other.account and b.session_id = other.parent
          and b.id = other.item and b.user_id <> ${person.id}
      where mine.kind = 'activity' and mine.state = 'stored' limit 1)
    update callsheet.files f set sha256 = p.sha256, size = p.size, reason = 'shared' from pair p
    where f.account = p.account and f.kind = p.kind and f.parent = p.parent and f.item = p.item
    returning encode(f.sha256, 'hex') as sha256`.execute(world.warehouse.db)
  return rows[0]?.sha256 ?? ''
}

it('an erasure also removes a file’s former contents, except content that another row uses', async () => {
  expect(own.length).toBeGreaterThan(1)
  expect(own).toContain(shared)
  const [dry] = await erase(world, { persons: [person.id], dryRun: true })
  const [done] = await erase(world, { persons: [person.id] })
  expect(done?.outcome).toEqual(dry?.outcome)
  expect(done?.outcome).toMatchObject({ files: { removed: own.length - 1 }, leftBehind: {} })
  const store = createDirectoryStore(join(dirname(world.place.configFile), 'archive', 'account-0'))
  const there = await Promise.all(own.map((sha256) => store.size(sha256)))
  await store.close()
  expect(own.filter((_, at) => there[at] !== undefined)).toEqual([shared])
  const { rows } = await sql`select state, reason from callsheet.files
    where encode(sha256, 'hex') = any(${own}::text[])`.execute(world.warehouse.db)
  expect(rows).toEqual([{ state: 'stored', reason: 'shared' }])
})
