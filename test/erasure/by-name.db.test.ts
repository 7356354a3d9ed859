import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { placeHold } from '../../src/archive/sql/holds.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { addUser } from './add-user.ts'
import { erase, tell } from './stage.ts'

const account = 'account-0'
const NAME = `Mia "Mö" O'Muster`
/** Another spelling of the name, which is the same after folding. */
const AGAIN = ` mia  "MO\u0308"\tO'MUSTER `
const MIA = { id: 'Usr_Mia-0001', email: 'mia@example.com' }

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  await plant(world)
})
afterAll(() => world.close())

/** Plants texts in which a name field contains exactly the name (`goes`), and similar ones (`stays`). */
async function plant({ warehouse: { db } }: World): Promise<void> {
  await addUser(world, { ...MIA, display_name: NAME })
  for (const [n, object] of [
    { goes: 1, host: { host_name: NAME } },
    { goes: 2, deep: [{ display_name: AGAIN }] },
    { goes: 3, display_name: ['Otto Ost', NAME] },
    { goes: 4, who: { last_name: `O'Muster`, first_name: 'MIA "Mö"' } },
    { stays: 1, topic: NAME },
    { stays: 2, display_name: `${NAME}frau` },
    { stays: 3, name: `Board of ${NAME}` },
    { stays: 4, display_name: 'Otto Ost', note: NAME },
    { stays: 5, first_name: 'Mia', last_name: `O'Muster` },
    { stays: 6, first_name: 'Mia "Mö"', of: { last_name: `O'Muster` } },
  ].entries())
    await tellOf(n, object)
  for (const [reason, record] of [
    ['goes 1', { display_name: NAME }],
    ['goes 2', { people: [{ display_name: AGAIN, email: 'x' }] }],
    ['goes 3', { authorizing_person: NAME }],
    ['goes 4', { first_name: 'Mia', dept: 'x', last_name: `"Mö" O'Muster` }],
    ['stays 1', { topic: NAME, display_name: 'Otto Ost' }],
    ['stays 2', { display_name: `Dr ${NAME}` }],
  ] as const)
    await sql`insert into callsheet.quarantine (account, stream, slice, run_id, at, reason, payload)
      values (${account}, 'users', 'all', 1, callsheet.clock(), ${reason},
        ${JSON.stringify(record)})`.execute(db)
  for (const [kind, path, example] of [
    ['unknown_value', 'owner.display_name', NAME],
    ['unknown_field', 'authorizing_person', AGAIN],
    ['broken_value', 'language', NAME],
    ['missing_value', 'display_name', `${NAME}s`],
  ])
    await sql`insert into callsheet.drift (account, stream, kind, path, example, first_run_id,
        first_seen_at)
      values (${account}, 'users', ${kind}, ${path}, ${example}, 1, callsheet.clock())`.execute(db)
  for (const [operation, args, body, reason] of [
    ['goes.1', { path: { user_name: NAME } }, null, null],
    ['goes.2', {}, { contact: { name: AGAIN } }, null],
    ['stays.1', {}, { topic: NAME }, null],
    ['stays.2', {}, { name: 'Otto Ost' }, `not ${NAME}`],
  ] as const)
    await sql`insert into callsheet.calls
        (account, operation, asked_by, arguments, body, asked_at, state, reason)
      values (${account}, ${operation}, 'a test', ${JSON.stringify(args)}::json,
        ${body === null ? null : JSON.stringify(body)}::json, callsheet.clock(), 'done',
        ${reason})`.execute(db)
}

const tellOf = async (n: number, object: object) =>
  await tell(world, {
    event: 'never.heard_of',
    event_ts: Date.parse(WORLD_NOW) + n,
    payload: { object },
  })

/** The planted texts that still exist. */
async function left() {
  const { db } = world.warehouse
  const read = async (query: ReturnType<typeof sql<{ said: string }>>): Promise<string[]> =>
    (await query.execute(db)).rows.map(({ said }) => said)
  return {
    notifications: await read(sql`
      select concat_ws(' ', case when payload is null then state end,
        (payload #> '{payload,object}')::text) as said
      from callsheet.notifications order by id`),
    quarantine: await read(sql`select reason as said from callsheet.quarantine order by 1`),
    drift: await read(sql`select path as said from callsheet.drift order by 1`),
    calls: await read(sql`
      select operation || ' ' || arguments::text || coalesce(body::text, '') as said
      from callsheet.calls order by operation`),
  }
}

/** Adds a user with another ID and the same name, in the display name and in first and last name. */
async function addNamesake(): Promise<void> {
  const names = { display_name: NAME, first_name: 'Mia', last_name: `"Mö" O'Muster` }
  const raw = JSON.stringify({ id: 'Usr_Mia-0002', ...names })
  await sql`insert into svc.users (account, id, display_name, first_name, last_name, _raw, _hash,
      _first_seen_at, _changed_at, _run_id)
    values (${account}, 'Usr_Mia-0002', ${names.display_name}, ${names.first_name}, ${names.last_name},
      ${raw}::jsonb, '\\x00', callsheet.clock(), callsheet.clock(), 1)`.execute(world.warehouse.db)
}

describe('an erasure by name', () => {
  it('is optional: without the name, the ledgers keep it', async () => {
    const before = await left()
    const [named] = await erase(world, { persons: [MIA.id], dryRun: true })
    expect(named?.outcome.ledgers).toMatchObject({ notifications: 0, quarantine: 0 })
    expect(named?.outcome.ledgers).toMatchObject({ drift: 0, calls: 0 })
    expect(await left()).toEqual(before)
  })

  it('erases the name in name fields, but not in other texts that mention it', async () => {
    await addNamesake()
    const before = await left()
    const [dry] = await erase(world, { persons: [MIA.id], byName: true, dryRun: true })
    const [done] = await erase(world, { persons: [MIA.id], byName: true })
    const { leftBehind, ledgers } = done?.outcome ?? {}
    expect(ledgers).toMatchObject({ notifications: 4, quarantine: 4, drift: 2, calls: 2 })
    expect(ledgers).toEqual(dry?.outcome.ledgers)
    expect(leftBehind).toEqual({})
    const after = await left()
    expect(after.notifications.slice(0, 4)).toEqual(Array(4).fill('erased'))
    expect(after.notifications.slice(4)).toEqual(before.notifications.slice(4))
    expect(after.quarantine).toEqual(['stays 1', 'stays 2'])
    expect(after.drift).toEqual(['display_name', 'language'])
    expect(after.calls.slice(0, 2)).toEqual(['goes.1 nullnull', 'goes.2 nullnull'])
    expect(after.calls.slice(2)).toEqual(before.calls.slice(2))
    const { rows } = await sql<object>`
      select display_name, first_name, last_name, _raw from svc.users`.execute(world.warehouse.db)
    const nothing = { display_name: null, first_name: null, last_name: null }
    expect(rows).toEqual([{ ...nothing, _raw: { id: 'Usr_Mia-0002', ...nothing } }])
  })

  it('also erases the name in later notifications', async () => {
    await tellOf(101, { host_name: NAME })
    await tellOf(102, { who: { first_name: 'Mia "Mö"', last_name: `O'Muster` } })
    await tellOf(103, { topic: NAME })
    const { notifications } = await left()
    expect(notifications.slice(-3)).toEqual([
      'erased',
      'erased',
      expect.stringContaining('topic') as unknown,
    ])
  })

  it('reports where the name remains', async () => {
    await placeHold(world.warehouse, { account, name: NAME, reason: 'a case', placedBy: 'a test' })
    const [again] = await erase(world, { persons: [MIA.id], byName: true })
    expect(again?.outcome.leftBehind).toEqual({})
    await addUser(world, { ...MIA, display_name: NAME })
    const [known] = await erase(world, { persons: [MIA.id], byName: true })
    expect(known?.outcome.leftBehind).toEqual({ 'callsheet.holds': 1 })
  })
})
