import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import users from '../../jobs/users.ts'
import { erasureExitCode } from '../../src/cli/frame/erasure-lines.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { addUser } from './add-user.ts'
import { erase, tell, verify } from './stage.ts'

const account = 'account-0'
const PERSON = { id: 'Usr/Sofia+90aQ==', email: 'sofia.f@firm.example', display_name: 'Sofia F' }
const OF_ANOTHER = [
  'xsofia.f@firm.example',
  'see from+sofia.f@firm.example!',
  'old.Usr/Sofia+90aQ==x',
]
const WORDS = ['xsofia.f@firm.example', 'from+sofia.f@firm.example', 'old.Usr/Sofia+90aQ==x']

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  await world.sync({ jobs: [users] })
})
afterAll(() => world.close())

/** Plants texts in rows that stay unchanged, in rows that also name the person, and in rows to be deleted. */
async function plant(texts: readonly string[]): Promise<void> {
  const { db } = world.warehouse
  await addUser(world, PERSON)
  await sql`update svc.users set dept = null where dept like '%ofia.f@%' or dept like '%90aQ%'`.execute(
    db,
  )
  for (const [n, text] of texts.entries()) {
    const both = `${text} and ${PERSON.email}`
    const beside = n === 1 ? PERSON.email : null
    await sql`update svc.users set dept = ${n === 0 ? both : text}, job_title = ${beside}
      where id = (select id from svc.users where id <> ${PERSON.id} order by id offset ${n} limit 1)`.execute(
      db,
    )
    await sql`insert into callsheet.quarantine (account, stream, slice, run_id, at, reason, payload)
      values (${account}, 'users', 'all', 1, callsheet.clock(), 'of ' || ${n}, ${text}),
        (${account}, 'users', 'all', 1, callsheet.clock(), 'goes ' || ${n}, ${both})`.execute(db)
    await tell(world, { event: 'of.any', payload: { object: { text } } })
    await tell(world, { event: 'of.any', payload: { object: { text: both } } })
  }
}

const requests = async () =>
  (
    await sql`select state, subject, left_behind, erased->'another' as another
      from callsheet.erasure_requests order by id`.execute(world.warehouse.db)
  ).rows

const PLACES = {
  'callsheet.notifications.body': 3,
  'callsheet.notifications.payload': 3,
  'callsheet.quarantine.payload': 3,
  'svc.users.dept': 3,
}

describe('a text that may name the person or somebody else', () => {
  it('is reported by the dry run and by the erasure, which stays open', async () => {
    await plant(OF_ANOTHER)
    const [dry] = await erase(world, { persons: [PERSON.id], dryRun: true })
    expect(dry?.outcome).toMatchObject({ uncertain: PLACES, leftBehind: {} })
    const [done] = await erase(world, { persons: [PERSON.id] })
    expect(done?.outcome).toEqual(dry?.outcome)
    expect(erasureExitCode([done!])).toBe(1)
    expect(await requests()).toMatchObject([{ state: 'kept', left_behind: PLACES }])
  })

  it('keeps the erasure open until each longer word is named', async () => {
    const [done] = await erase(world, {
      othersWords: [WORDS[0]!, 'ofia.f@firm', PERSON.email, PERSON.id],
    })
    expect(done?.outcome).toMatchObject({ words: 1, another: { 'svc.users.dept': 1 } })
    expect(done?.outcome.uncertain).toMatchObject({ 'svc.users.dept': 2 })
    expect(erasureExitCode([done!])).toBe(1)
    expect(await requests()).toMatchObject([{ state: 'kept' }])
  })

  it('stays unchanged, on record, once its words are confirmed as another person’s', async () => {
    const [dry] = await erase(world, { othersWords: WORDS, dryRun: true })
    const [done] = await erase(world, { othersWords: WORDS })
    expect(done?.outcome).toEqual(dry?.outcome)
    expect(done?.outcome).toMatchObject({
      words: 3,
      uncertain: {},
      leftBehind: {},
      another: PLACES,
    })
    expect(erasureExitCode([done!])).toBe(0)
    expect(await requests()).toMatchObject([
      { state: 'done', subject: 'erased:1', another: PLACES },
    ])
    const { rows } = await sql<{ basis: string; line: string }>`
      select basis, line from callsheet.manifest
      where basis like 'request 1: %' order by seq`.execute(world.warehouse.db)
    expect(rows.map(({ basis }) => basis)).toEqual(
      [1, 3].map((words) => `request 1: longer words that are another's: ${words}, by a test`),
    )
    expect(JSON.stringify(rows)).not.toMatch(/ofia\.f|90aQ/)
    const { findings } = await verify(world)
    expect(findings.filter(({ code }) => !/^(record|row|slice)/.test(code))).toEqual([])
    const { rows: left } = await sql<{ dept: string }>`
      select dept from svc.users where dept like '%ofia.f@%' or dept like '%90aQ%' order by id`.execute(
      world.warehouse.db,
    )
    expect(left.map(({ dept }) => dept.replace(/ and $/, ''))).toEqual(OF_ANOTHER)
  })

  it('is erased with the longer word if that is the person too', async () => {
    const [first] = await erase(world, { persons: [PERSON.email] })
    expect(erasureExitCode([first!])).toBe(1)
    const words = await erase(world, { persons: WORDS })
    expect(erasureExitCode(words)).toBe(0)
    const [done] = await erase(world)
    expect(done?.outcome).toMatchObject({ leftBehind: {}, uncertain: {}, another: {} })
    expect((await requests()).map((row) => (row as { state: string }).state)).toEqual(
      Array.from({ length: 5 }, () => 'done'),
    )
  })
})
