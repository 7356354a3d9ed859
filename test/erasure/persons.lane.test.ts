import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { erase } from './stage.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY })
})
afterEach(async () => {
  listenAtPoints(undefined)
  await world.close()
})

const BOOKS = sql`'\\x00', callsheet.clock(), callsheet.clock(), 1`
interface User {
  id: string
  email: string
  name?: string
  gone?: boolean
  /** The addresses of earlier versions. */
  before?: readonly string[]
}

async function addUser({ id, email, name = 'Somebody', gone = false, before = [] }: User) {
  const { db } = world.warehouse
  const raw = (address: string) => JSON.stringify({ id, email: address, display_name: name })
  await sql`insert into svc.users (account, id, email, display_name, _raw, _hash, _first_seen_at,
      _changed_at, _run_id, _deleted_at)
    values ('account-0', ${id}, ${email}, ${name}, ${raw(email)}::jsonb, ${BOOKS},
      case when ${gone} then callsheet.clock() end)`.execute(db)
  for (const address of before)
    await sql`insert into history.users (account, id, email, display_name, _raw, _hash, _first_seen_at,
        _changed_at, _run_id, _valid_from, _valid_to, _ended_by_run, _end)
      values ('account-0', ${id}, ${address}, ${name}, ${raw(address)}::jsonb, ${BOOKS},
        callsheet.clock(), callsheet.clock(), 2, 'changed')`.execute(db)
}

async function addActivity(id: string, fields: Record<string, string>): Promise<void> {
  const row = { account: 'account-0', session_id: 's1', id, ...fields }
  await sql`insert into svc.whiteboard_activities (account, session_id, id, user_id, email,
      collaborator_id, collaborator_name, _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select account, session_id, id, user_id, email, collaborator_id, collaborator_name,
      ${JSON.stringify(fields)}::jsonb, ${BOOKS}
    from jsonb_populate_record(null::svc.whiteboard_activities, ${JSON.stringify(row)}::jsonb)`.execute(
    world.warehouse.db,
  )
}

/** The users with their addresses; earlier versions begin with `was`. */
async function users(): Promise<string[]> {
  const { rows } = await sql<{ said: string }>`
    select concat_ws(' ', id, email) as said from svc.users
    union all select concat_ws(' ', 'was', id, email) from history.users order by 1`.execute(
    world.warehouse.db,
  )
  return rows.map(({ said }) => said)
}

async function activities(): Promise<string[]> {
  const { rows } = await sql<{ said: string }>`
    select concat_ws(' ', id, user_id, email, collaborator_name) as said
    from svc.whiteboard_activities order by id collate "C"`.execute(world.warehouse.db)
  return rows.map(({ said }) => said)
}

describe('an email address that changed its user', () => {
  const SALES = 'sales@example.com'

  it('does not erase its new owner, even if the erasure was interrupted before', async () => {
    await addUser({ id: 'user-anna', email: SALES, name: 'Anna Jones' })
    listenAtPoints((name) =>
      name === 'erase:suppressed' ? Promise.reject(new Error('cut off')) : undefined,
    )
    await expect(erase(world, { persons: ['user-anna'] })).rejects.toThrow('cut off')
    listenAtPoints(undefined)
    await sql`update svc.users set email = null`.execute(world.warehouse.db)
    await addUser({ id: 'user-bob1', email: SALES, name: 'Bob Bell' })
    const [done] = await erase(world)
    expect(done?.outcome.tables.users).toEqual({ deleted: 1, redacted: 0 })
    expect(await users()).toEqual([`user-bob1 ${SALES}`])
  })

  it('belongs to its current user, or without one to its last user', async () => {
    await addUser({ id: 'user-anna', email: SALES, name: 'Anna Jones' })
    await addUser({ id: 'user-bob1', email: 'bob@example.com', before: [SALES] })
    await addUser({ id: 'user-carl', email: SALES, gone: true })
    await erase(world, { persons: [SALES] })
    expect(await users()).toEqual(['user-bob1 bob@example.com', 'user-carl', 'was user-bob1'])
    await addUser({ id: 'user-dora', email: 'old@example.com', name: 'Dora', gone: true })
    await addUser({ id: 'user-emil', email: 'emil@example.com', before: ['old@example.com'] })
    await erase(world, { persons: ['Old@Example.com'] })
    expect(await users()).toEqual([
      'user-bob1 bob@example.com',
      'user-carl',
      'user-emil emil@example.com',
      'was user-bob1',
      'was user-emil',
    ])
  })

  it('is removed from the records of its former owner, which stay', async () => {
    await addUser({ id: 'user-anna', email: SALES, name: 'Anna Jones' })
    await addUser({ id: 'user-bob1', email: 'bob@example.com', name: 'Bob Bell', before: [SALES] })
    await addActivity('a1', { user_id: 'user-bob1', email: SALES, collaborator_name: 'Bob Bell' })
    await addActivity('a2', { user_id: 'user-anna', email: SALES, collaborator_name: 'Anna Jones' })
    // The guest ID belongs to no user but occurs with her address, so these activities are hers too.
    await addActivity('a3', { email: SALES, collaborator_id: 'board-guest-7' })
    await addActivity('a4', { collaborator_id: 'board-guest-7', collaborator_name: 'Aj' })
    await erase(world, { persons: ['user-anna'] })
    expect(await users()).toEqual(['user-bob1 bob@example.com', 'was user-bob1'])
    expect(await activities()).toEqual(['a1 user-bob1 Bob Bell'])
  })
})

describe('a person similar to the erased one', () => {
  it('stays if it has the same name, a longer ID or address, or different letter case', async () => {
    const anna = { id: 'user-anna', email: "anna.o'neil+a@example.com", name: 'Li' }
    await addUser({ ...anna, before: ["ANNA.O'NEIL@EXÄMPLE.COM"] })
    await addUser({ id: `pending:${anna.email}`, email: anna.email, name: 'Li' })
    const others = [
      { id: 'user-anna-2', email: 'o.neil+a@example.com', name: 'Li' },
      { id: 'USER-ANNA', email: "joanna.o'neil+a@example.com", name: 'Li' },
      { id: 'user-ann', email: 'neil+a@example.com' },
      { id: 'user-9', email: "anna.o'neil+a@example.com.au" },
    ]
    for (const other of others) await addUser(other)
    await addActivity('a1', { user_id: 'user-9', email: "anna.o'neil@exämple.com" })
    const [done] = await erase(world, { persons: ['user-anna'] })
    expect(done?.outcome).toMatchObject({ leftBehind: {}, tables: { users: { deleted: 3 } } })
    expect((await users()).toSorted()).toEqual(
      others.map(({ id, email }) => `${id} ${email}`).toSorted(),
    )
    expect(await activities()).toEqual(['a1 user-9'])
  })

  it('cannot be erased by a request for a few digits, which occur in every date', async () => {
    await expect(erase(world, { persons: ['2026'] })).rejects.toThrow(
      /4 to 512 characters \(if only digits, at least 8\)/,
    )
    await addUser({ id: '20260708', email: 'x@example.com' })
    const [done] = await erase(world, { persons: ['20260708'] })
    expect(done?.outcome.tables.users).toEqual({ deleted: 1, redacted: 0 })
  })

  it('keeps thousands of rows that name the erased person deep inside, redacted', async () => {
    await addUser({ id: 'user-anna', email: 'anna@example.com', name: 'Anna Jones' })
    await sql`insert into svc.whiteboard_activities (account, session_id, id, user_id, _raw, _hash,
        _first_seen_at, _changed_at, _run_id)
      select 'account-0', 's1', g, 'user-bob1', jsonb_build_object('seen_by', array['user-anna', g]),
        ${BOOKS} from generate_series(10001, 13000) n(i), lateral (select i::text) x(g)`.execute(
      world.warehouse.db,
    )
    const [done] = await erase(world, { persons: ['user-anna'] })
    expect(done?.outcome.tables.whiteboard_activities).toEqual({ deleted: 0, redacted: 3000 })
    const { rows } = await sql`select from svc.whiteboard_activities
      where _raw = jsonb_build_object('seen_by', array[id])`.execute(world.warehouse.db)
    expect(rows).toHaveLength(3000)
  })
})
