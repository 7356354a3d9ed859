import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { padded } from '../../src/evidence/log/checkpoint.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { addUser } from './add-user.ts'
import { restore, signAgain } from './later-runs.ts'
import { erase, verify } from './stage.ts'

let world: World
let users = 0
/** The request of a complete erasure of one person. */
let request: number
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
})
afterAll(() => world.close())
beforeEach(async () => {
  await sql`delete from callsheet.suppressions`.execute(world.warehouse.db)
  const id = `user-anna-${++users}`
  await addUser(world, { id, email: `${id}@example.com`, display_name: `Anna of ${id}` })
  const [erased] = await erase(world, { persons: [id] })
  request = erased?.request ?? 0
})

const named = async (): Promise<string[]> =>
  (await verify(world)).findings
    .filter(({ code }) => code === 'suppression_unexplained')
    .map(({ what }) => what)

/** The findings about this erasure. */
const foundNow = async (): Promise<[string, string][]> =>
  (await verify(world)).findings
    .filter(({ what }) => what.endsWith(` request ${request}`))
    .map(({ code, what }): [string, string] => [code, what])

const notes = () => join(dirname(world.place.configFile), 'archive', 'account-0', 'notes')

const tamper = (statement: string) => sql.raw(statement).execute(world.warehouse.db)

describe('an entry of the suppression list', () => {
  it('is explained if one of our erasures added it', async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from callsheet.suppressions`.execute(world.warehouse.db)
    expect(rows[0]?.n).toBeGreaterThan(1)
    expect(await named()).toEqual([])
  })

  it.each([
    ['without a proof', (one: string) => `${one}, null`],
    ['with a proof of zeros', (one: string) => `${one}, decode(repeat('00', 64), 'hex')`],
    [
      'with another identity’s proof',
      (one: string) => `${one}, (select min(proof::text)::bytea from callsheet.suppressions)`,
    ],
  ])('is reported if it was inserted with plain SQL, %s', async (_what, values) => {
    const one = `'account-0', decode(md5('x'), 'hex'), 'person', ${request}, now()`
    await tamper(`insert into callsheet.suppressions (account, token, counts, request_id, since, proof)
      values (${values(one)})`)
    await tamper(`insert into callsheet.suppressions (account, token, counts, request_id, since, proof)
      values (${values(one.replace(String(request), '999'))})`)
    expect(await named()).toEqual([
      `1 identities that request ${request} keeps out`,
      '1 identities that request 999 keeps out',
    ])
  })

  it.each([
    ['its name counts everywhere', `counts = 'name_everywhere' where counts = 'name_beside'`],
    ['it names another request', `request_id = 998 where counts = 'name_beside'`],
    ['it names another person', `token = decode(md5('y'), 'hex') where counts = 'name_beside'`],
    ['it has no proof', `proof = null where counts = 'name_beside'`],
  ])('is reported if its row was changed: %s', async (_what, change) => {
    await tamper(`update callsheet.suppressions set ${change}`)
    expect(await named()).toHaveLength(1)
  })

  it.each([
    ['all entries', '', 'stated_missing'],
    ['one', `where counts = 'name_beside'`, 'stated_otherwise'],
  ])('is signed, so a deletion is reported: %s', async (_what, which, code) => {
    expect(await foundNow()).toEqual([])
    await tamper(`delete from callsheet.suppressions ${which}`)
    expect(await foundNow()).toEqual([
      [code, `whom no sync keeps, by request ${request}`],
      ['erasure_note_differs', `the store's note of the erasure by request ${request}`],
    ])
  })

  it('is added again by `restored`', async () => {
    await tamper('delete from callsheet.suppressions')
    await restore(world)
    expect(await foundNow()).toEqual([])
  })
})

describe("the store's note of an erasure", () => {
  const path = () => {
    const name = readdirSync(notes()).find((one) => one.startsWith(`erased-${padded(request)}-`))
    return join(notes(), name ?? 'none')
  }
  const what = () => `the store's note of the erasure by request ${request}`

  it('is written again by the next run if it is missing', async () => {
    const text = readFileSync(path(), 'utf8')
    rmSync(path())
    expect(await foundNow()).toEqual([['erasure_note_missing', what()]])
    await signAgain(world)
    expect(readFileSync(path(), 'utf8')).toBe(text)
    expect(await foundNow()).toEqual([])
  })

  it('is not written for entries without a valid proof', async () => {
    rmSync(path())
    await tamper(`update callsheet.suppressions set proof = null`)
    await signAgain(world)
    expect(existsSync(path())).toBe(false)
  })

  it('is reported if it was replaced by a note that our key did not sign', async () => {
    writeFileSync(path(), readFileSync(path(), 'utf8').replace('person', 'perso_'))
    expect(await foundNow()).toEqual([['erasure_note_missing', what()]])
    expect((await verify(world)).findings.map(({ code }) => code)).toContain('erasure_note_strange')
    rmSync(path())
  })
})
