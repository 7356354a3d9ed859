import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { addUser, erase, verify } from './stage.ts'

let world: World
let users = 0
/** Erased with all that is ours, under this request. */
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

const tamper = (statement: string) => sql.raw(statement).execute(world.warehouse.db)

describe('whom no sync keeps', () => {
  it('is explained where an erasure of ours put them there', async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from callsheet.suppressions`.execute(world.warehouse.db)
    expect(rows[0]?.n).toBeGreaterThan(1)
    expect(await named()).toEqual([])
  })

  it.each([
    ['without a proof', (one: string) => `${one}, null`],
    ['with a proof of nothing', (one: string) => `${one}, decode(repeat('00', 64), 'hex')`],
    [
      'with the proof of another',
      (one: string) => `${one}, (select min(proof::text)::bytea from callsheet.suppressions)`,
    ],
  ])('is named where it was written by plain SQL, %s', async (_what, values) => {
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
    ['a name that counts for more', `counts = 'name_everywhere' where counts = 'name_beside'`],
    ['another request', `request_id = 998 where counts = 'name_beside'`],
    ['another person', `token = decode(md5('y'), 'hex') where counts = 'name_beside'`],
    ['one without a proof', `proof = null where counts = 'name_beside'`],
  ])('is named where its row was changed: %s', async (_what, change) => {
    await tamper(`update callsheet.suppressions set ${change}`)
    expect(await named()).toHaveLength(1)
  })
})
