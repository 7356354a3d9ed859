import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { liveAccount } from '../../src/apply/account-rows.ts'
import type { RowSettings } from '../../src/core/records/row-part.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { approveDeletions } from '../../src/sync/ledger/deletion-guard.ts'
import { tablesWith } from '../erasure/stage.ts'
import { verifyWorld } from '../helpers/stated-world.ts'
import { openWorld, TINY, type World, type WorldOptions } from '../helpers/world.ts'
import { DEPTS, endsOf, expectPart, type Moves, PLANTED, ROWS, shapeAnswers } from './part-world.ts'

const named = (...names: string[]) => jobs.filter(({ name }) => names.includes(name))
const USERS = named('users', 'user-details')

let world: World
afterEach(() => world.close())

async function open(rows: object, options: WorldOptions = {}) {
  const shaped = { moves: new Map() as Moves, broken: false }
  world = await openWorld({
    sizes: { ...TINY, users: 120, numbers: 60 },
    altered: true,
    settings: { rows },
    ...options,
  })
  world.ways.tell = shapeAnswers(shaped)
  return shaped
}

/** Syncs a day later, under these rows. */
async function syncUnder(rows: RowSettings | undefined, jobsOf = jobs) {
  await world.advance(86_400_000)
  const { account } = world
  const runs = await world.sync({
    jobs: jobsOf,
    account: { ...account, deps: { ...account.deps, rows } },
  })
  const states = Object.fromEntries(runs.map(({ job, state }) => [job, state]))
  return { runs, states, problems: runs.flatMap(({ problems }) => problems) }
}

async function freshness(): Promise<Record<string, [string, string | null]>> {
  const { rows } = await sql<{ table: string; state: string; kept: string | null }>`
    select "table", state, rows_kept as kept from report.freshness
    where "table" in ('users', 'user_details', 'user_phone_numbers', 'session_reports')`.execute(
    world.warehouse.db,
  )
  return Object.fromEntries(rows.map(({ table, state, kept }) => [table, [state, kept]]))
}

const users = async (): Promise<string[]> =>
  (
    await sql<{
      id: string
    }>`select id from svc.users where _deleted_at is null order by id`.execute(world.warehouse.db)
  ).rows.map(({ id }) => id)

describe('an account that keeps a part', () => {
  it('loses no row while a list fails, and has exactly the part after the list was read', async () => {
    const { moves } = await open(ROWS, { archive: { files: true } })
    await syncUnder(ROWS)
    const members = await users()
    const leaving = members.filter((id) => !id.startsWith('pending:')).slice(0, 4)
    for (const id of leaving) moves.set(id, 'Finance')
    await world.faults([
      { kind: 'status', status: 500, operation: 'users.list', about: 'inactive' },
    ])
    const failed = await syncUnder(ROWS)
    expect(failed.states.users).toBe('incomplete')
    expect(await users()).toEqual(expect.arrayContaining(leaving))
    await world.faults([])
    const whole = await syncUnder(ROWS)
    // The files are at a host that the configuration does not allow.
    expect(whole.problems).toEqual([expect.stringMatching(/^files: /)])
    await expectPart(world, { moves })
    expect(await endsOf(world, leaving)).toEqual(leaving.map(() => 'left'))
    const verified = await verifyWorld(world)
    expect(verified.findings).toEqual([])
    expect(verified.checked.rows).toBeGreaterThan(0)
  })

  it('quarantines unreadable records without their content, and deletes no row', async () => {
    const shaped = await open(ROWS)
    await syncUnder(ROWS)
    const before = await users()
    shaped.broken = true
    const { runs } = await syncUnder(ROWS)
    const counts = runs.flatMap(({ tables }) => tables.users ?? [])
    expect(counts).toMatchObject([{ quarantined: 2, deleted: 0, left: 0 }])
    expect(await users()).toEqual(before)
    expect(await tablesWith(world.warehouse, [PLANTED])).toEqual([])
    const { rows } =
      await sql`select payload from callsheet.quarantine where stream = 'users'`.execute(
        world.warehouse.db,
      )
    expect(rows).toEqual([{ payload: '' }, { payload: '' }])
  })
})

it('apply refuses to compare a stream of which only a part is kept', async () => {
  await open(ROWS)
  const live = liveAccount(world.account.deps, 'account-0')
  for (const stream of [phoneNumbers, phoneNumberAssignments])
    await expect(live.rows({ stream, columns: ['id'] })).rejects.toThrow(
      /accounts\[\]\.rows keeps only a part of phone_numbers/,
    )
})

describe('a changed part', () => {
  it('trips the deletion guard, and removes the rows outside it once a person approves', async () => {
    await open({})
    await syncUnder(undefined)
    const before = await users()
    const narrowed = { users: { dept: DEPTS } }
    const held = await syncUnder(narrowed)
    expect(held.states.users).toBe('incomplete')
    expect(held.problems.join()).toMatch(
      /missing rows still exist at the service, but accounts\[\]\.rows no longer keeps/,
    )
    expect(await users()).toEqual(expect.arrayContaining(before))
    const changed =
      'users where dept is Sales or Support or Legal (changed, and not read to its end since)'
    const waiting = await freshness()
    expect(waiting.users).toEqual(['incomplete', changed])
    expect(waiting.user_details).toEqual(['incomplete', changed])
    expect(waiting.session_reports).toEqual(['whole', null])
    const runId = held.runs.find(({ job }) => job === 'users')?.runId ?? 0
    expect(await approveDeletions(world.warehouse, { account: 'account-0', runId })).toEqual([
      'users',
    ])
    const done = await syncUnder(narrowed)
    expect(done.problems).toEqual([])
    const text = 'users where dept is Sales or Support or Legal'
    expect(await freshness()).toMatchObject({
      users: ['whole', text],
      user_details: ['whole', text],
      user_phone_numbers: ['whole', text],
    })
    const marked = sql`select id from svc.users where _deleted_at is not null`
    expect((await marked.execute(world.warehouse.db)).rows).toEqual([])
    const kept = await users()
    const left = before.filter((id) => !kept.includes(id))
    expect(await endsOf(world, left)).toEqual(left.map(() => 'left'))
    expect(left.length).toBeGreaterThan(before.length / 2)
  })

  it('removes no row if its value is misspelled, and names the value', async () => {
    await open(ROWS)
    await syncUnder(ROWS)
    const before = await users()
    const { states, problems } = await syncUnder({ ...ROWS, users: { dept: ['Salez'] } }, USERS)
    expect(states.users).toBe('incomplete')
    expect(problems.join()).toMatch(
      /none of \d+ records is in the part .*\(users where dept is Salez\)/,
    )
    expect(await users()).toEqual(before)
    const again = await syncUnder(ROWS)
    expect(again.problems).toEqual([])
    await expectPart(world)
    expect(await endsOf(world, before)).toEqual([])
  })

  it('brings all rows back if it is removed', async () => {
    await open({})
    await syncUnder({ users: { dept: DEPTS } })
    const part = await users()
    const { problems } = await syncUnder(undefined)
    expect(problems).toEqual([])
    const all: string[] = []
    for await (const { id } of world.sandbox.truth('users')) all.push(String(id))
    expect(await users()).toEqual(all.toSorted())
    expect(part.length).toBeLessThan(all.length / 2)
    expect((await freshness()).users).toEqual(['whole', null])
  })

  it('is read from the start, even if an interrupted run had read the list', async () => {
    await open({})
    const { account } = world
    const controller = new AbortController()
    world.ways.ask = ({ path }) => {
      if (/\/users\/[^/]+$/.test(path)) controller.abort()
    }
    const { syncAccount } = await import('../../src/sync/sync.ts')
    const order = { account: 'account-0', jobs: USERS, signal: controller.signal }
    await syncAccount({ ...account.deps, rows: { users: { dept: ['Sales'] } } }, order)
    delete world.ways.ask
    const runs = await world.sync({
      jobs: USERS,
      account: { ...account, deps: { ...account.deps, rows: { users: { dept: DEPTS } } } },
    })
    expect(runs.map(({ state }) => state)).toEqual(['complete', 'complete'])
    const { rows } = await sql<{
      dept: string
    }>`select distinct dept from svc.users order by dept`.execute(world.warehouse.db)
    expect(rows.map(({ dept }) => dept)).toEqual(DEPTS.toSorted())
  })
})
