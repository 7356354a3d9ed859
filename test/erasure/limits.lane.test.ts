import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { placeHold, releaseHold } from '../../src/archive/sql/holds.ts'
import { BusyError, StoreError } from '../../src/core/errors.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import type { FileStore } from '../../src/store/store.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { statingRows } from '../helpers/stated-rows.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { castOfRoles } from '../security/ordinary-owner.ts'
import {
  busiest,
  digests,
  erase,
  keyOf,
  type Person,
  publishPerson,
  readmit,
  stating,
  tablesWith,
  verify,
} from './stage.ts'

describe('two accounts with the same IDs', () => {
  let world: World
  let person: Person
  beforeAll(async () => {
    world = await openWorld({ sizes: TINY, accounts: [{}, {}] })
    for (const account of [world.open(0), world.open(1)]) await world.sync({ account })
    ;({ holder: person } = await busiest(world.warehouse))
  })
  afterAll(() => world.close())

  it('stay separate: an erasure in one affects neither the other nor its later syncs', async () => {
    const other = await digests(world.warehouse, 'account-1', [])
    await erase(world, { persons: [person.id] })
    expect(await digests(world.warehouse, 'account-1', [])).toEqual(other)
    const { rows } = await sql<{ account: string }>`
      select account from svc.users where id = ${person.id}`.execute(world.warehouse.db)
    expect(rows.map(({ account }) => account)).toEqual(['account-1'])
    await world.sync({ full: true, account: world.open(1) })
    expect(await digests(world.warehouse, 'account-1', [])).toEqual(other)
  })
})

describe('an erasure of one person', () => {
  let world: World
  let person: Person
  let holder: Person
  const hold = (sessionId: string) =>
    placeHold(world.warehouse, {
      account: 'account-0',
      name: 'case-7',
      reason: 'request of the court',
      whiteboardId: undefined,
      sessionId,
      endsAtMs: undefined,
      placedBy: 'a test',
    })
  beforeAll(async () => {
    world = await openWorld({ sizes: TINY, archive: { files: true } })
    await world.sync()
    ;({ author: person, holder } = await busiest(world.warehouse))
  })
  afterAll(() => world.close())

  it('fails without any change while another process works on the account', async () => {
    const lease = await acquireLease(world.warehouse, {
      account: 'account-0',
      job: 'sync',
      clock: systemClock,
    })
    await expect(erase(world, { persons: [person.id] })).rejects.toThrow(BusyError)
    await lease.release()
    const { rows } = await sql`select from callsheet.erasure_requests`.execute(world.warehouse.db)
    expect(rows).toEqual([])
  })

  it('refuses an identifier of fewer than four characters', async () => {
    await expect(erase(world, { persons: ['abc'] })).rejects.toThrow(/4 to 512 characters/)
  })

  it('finds the user by the email address, and the email address by the user', async () => {
    const [byAddress] = await erase(world, { persons: [person.email], dryRun: true })
    const [byId] = await erase(world, { persons: [person.id], dryRun: true })
    expect(byAddress?.outcome.tables.users?.deleted).toBe(1)
    expect(byAddress?.outcome).toEqual(byId?.outcome)
  })

  it('erases an ID’s report even if its parameter is an address that begins with the ID', async () => {
    await publishPerson(world, 'nobody@nowhere.example')
    const [dry] = await erase(world, { persons: ['nobody'], dryRun: true })
    expect(dry).toMatchObject({ known: true, outcome: { reports: { reports: 1 } } })
    const [done] = await erase(world, { persons: ['nobody'] })
    expect(done?.outcome).toEqual(dry?.outcome)
    const { rows } = await sql`select params->>'user' as user, state
      from callsheet.published_reports, callsheet.erasure_requests`.execute(world.warehouse.db)
    expect(rows).toEqual([{ user: null, state: 'done' }])
  })

  it('does not erase an address that now belongs to another user', async () => {
    const own = { warehouse: world.warehouse, key: keyOf(world), account: 'account-0' }
    await statingRows(own, async (tx) => {
      await sql`update svc.users set email = ${holder.email}
        where id = (select id from svc.users where id <> ${holder.id}
          and status = 'active' order by id limit 1)`.execute(tx)
    })
    const others = async () =>
      (
        await sql`select from svc.users where email = ${holder.email} and id <> ${holder.id}`.execute(
          world.warehouse.db,
        )
      ).rows.length
    expect(await others()).toBe(1)
    const [done] = await erase(world, { persons: [holder.id] })
    expect(done?.outcome).toMatchObject({ tables: { users: { deleted: 1 } }, leftBehind: {} })
    expect(await others()).toBe(1)
  })

  it('is lifted for a readmitted person', async () => {
    const { rows: users } = await sql<{ id: string }>`
      select id from svc.users where status = 'active' and id not in (${person.id}, ${holder.id})
      order by id desc limit 1`.execute(world.warehouse.db)
    const id = users[0]?.id ?? ''
    await erase(world, { persons: [id] })
    const { closed, taken } = await readmit(world, id)
    expect(closed).toBe(0)
    expect(taken).toBeGreaterThan(1)
    await world.sync({ full: true })
    const { rows } = await sql`select from svc.users where id = ${id}`.execute(world.warehouse.db)
    expect(rows).toHaveLength(1)
  })

  it('keeps data under a hold, names the hold, and erases the data after it ends', async () => {
    const { rows } = await sql<{ session: string; files: number }>`
      select f.parent as session, count(*)::int as files from callsheet.files f
        join svc.whiteboard_activities a on a.account = f.account and a.session_id = f.parent
          and a.id = f.item and a.user_id = ${person.id}
      where f.state = 'stored' group by 1 order by 2 desc, 1 limit 1`.execute(world.warehouse.db)
    const { session = '', files = 0 } = rows[0] ?? {}
    expect(files).toBeGreaterThan(0)
    await hold(session)
    const [first] = await erase(world, { persons: [person.id] })
    expect(first?.outcome.kept.held).toEqual({ 'case-7': files })
    expect(Object.keys(first?.outcome.leftBehind ?? {})).toEqual(['svc.whiteboard_activities'])
    const activities = async () =>
      (
        await sql<{ session: string }>`
          select session_id as session from svc.whiteboard_activities
          where user_id = ${person.id}`.execute(world.warehouse.db)
      ).rows.map((row) => row.session)
    expect(await activities()).toEqual(Array(files).fill(session))
    expect((await verify(world)).findings).toEqual([])
    await world.sync({ full: true })
    expect(await activities()).toEqual(Array(files).fill(session))
    await releaseHold(world.warehouse, {
      account: 'account-0',
      name: 'case-7',
      releasedBy: 'a test',
      ...stating(world),
    })
    const [second] = await erase(world)
    expect(second?.outcome).toMatchObject({ kept: { held: {} }, leftBehind: {} })
    expect(second?.outcome.files.removed).toBeGreaterThan(0)
    expect(await tablesWith(world.warehouse, [person.id, person.email])).toEqual([])
    expect((await verify(world)).findings).toEqual([])
  })
})

describe('an object kept by a bucket lock', () => {
  it('causes no finding of verify, which still checks every byte', async () => {
    const world = await openWorld({ sizes: TINY, archive: { files: true } })
    try {
      await world.sync()
      const { author } = await busiest(world.warehouse)
      const kept: string[] = []
      const locking = (store: FileStore): FileStore => ({
        ...store,
        remove: (sha256) => {
          kept.push(sha256)
          const facts = { tried: 'Removing a file', came: 'the lock keeps it' }
          return Promise.reject(new StoreError('store_locked', facts))
        },
      })
      const [done] = await erase(world, { persons: [author.id], store: locking })
      expect(done?.outcome.kept.locked).toBe(kept.length)
      expect(kept.length).toBeGreaterThan(0)
      const { findings, checked } = await verify(world)
      expect({ findings, kept: checked.kept }).toEqual({ findings: [], kept: kept.length })
      const [sha256 = ''] = kept
      const archive = join(dirname(world.place.configFile), 'archive', 'account-0')
      writeFileSync(join(archive, 'files', sha256.charAt(0), sha256), 'other')
      expect((await verify(world)).findings).toMatchObject([{ code: 'file_changed' }])
    } finally {
      await world.close()
    }
  })
})

describe('the eraser role', () => {
  it('erases everything that names the person, and cannot change the manifest', async () => {
    const cast = await castOfRoles()
    const database = { url: cast.url(cast.writer), drop: () => Promise.resolve() }
    const world = await openWorld({ sizes: TINY, archive: { files: true } }, database)
    const eraser = connect({ url: cast.url(cast.eraser), frozenNow: Date.parse(WORLD_NOW) })
    try {
      await world.sync()
      const { author } = await busiest(world.warehouse)
      const place = { ...world, warehouse: eraser }
      const [done] = await erase(place, { persons: [author.id] })
      expect(done?.outcome.leftBehind).toEqual({})
      expect(done?.outcome.files.removed).toBeGreaterThan(0)
      expect(await tablesWith(cast.owned, [author.id, author.email])).toEqual([])
      await expect(sql`delete from callsheet.manifest`.execute(eraser.db)).rejects.toThrow(
        /permission denied|only added to/,
      )
      await expect(erase(world, { persons: [author.id] })).rejects.toThrow(/permission/)
    } finally {
      await eraser.close()
      await world.close()
      await cast.close()
    }
  })
})
