import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pruneArchive } from '../../src/archive/prune-archive.ts'
import { placeHold, releaseHold } from '../../src/archive/sql/holds.ts'
import { erasureExitCode, printErased } from '../../src/cli/frame/erasure-lines.ts'
import { createOutput } from '../../src/cli/frame/output.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { StoreError } from '../../src/core/errors.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import type { ErasedRequest } from '../../src/erasure/erase-requests.ts'
import { enterRemoved } from '../../src/evidence/enter-files.ts'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import type { FileStore } from '../../src/store/store.ts'
import { enterRemovals } from '../archive/retained.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { busiest, erase, keyOf, type Person, stating, verify } from './stage.ts'

let world: World
let person: Person
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  await world.sync()
  ;({ author: person } = await busiest(world.warehouse))
})
afterAll(() => world.close())

const account = 'account-0'
const archive = () =>
  createDirectoryStore(join(dirname(world.place.configFile), 'archive', account))

/**
 * Adds two removed files of another session with the contents of two of the person's files: one whose bytes
 * still exist, and one whose bytes were deleted before the person's file was stored.
 */
async function shareRemoved(session: string): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    insert into callsheet.files
      (account, kind, parent, item, state, sha256, size, state_at, bytes_gone_at)
    select account, kind, ${session}, 'copy ' || n, 'removed', sha256, size, callsheet.clock(),
      case when n = 2 then callsheet.clock() end
    from (
      select f.account, f.kind, f.sha256, max(f.size) as size, row_number() over (order by f.sha256) as n
      from callsheet.files f
        join svc.whiteboard_activities a on a.account = f.account and a.session_id = f.parent
          and a.id = f.item and a.user_id = ${person.id}
      where f.state = 'stored' and f.kind = 'activity' group by 1, 2, 3) own
    where n <= 2
    returning encode(sha256, 'hex') as sha256`.execute(world.warehouse.db)
  const copies = [1, 2].map((n) => ({
    kind: 'activity' as const,
    parent: session,
    item: `copy ${n}`,
  }))
  const vouching = { account, key: keyOf(world), basis: 'a test' }
  await world.warehouse.transaction((tx) => enterRemoved(tx, vouching, copies))
  return rows.map(({ sha256 }) => sha256)
}

function linesOf(erased: ErasedRequest): string {
  let printed = ''
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = (text: string | Uint8Array) => ((printed += String(text)), true)
  try {
    printErased(createOutput({ json: false }), erased, false)
  } finally {
    process.stdout.write = write
  }
  return printed
}

async function prune() {
  const store = archive()
  const { warehouse } = world
  const deps = { warehouse, store, clock: systemClock, observer: silentObserver, key: keyOf(world) }
  const { signal } = new AbortController()
  const recordRemovals = () => enterRemovals(warehouse, account)
  const pruned = await pruneArchive({ ...deps, recordRemovals }, { account, rules: [], signal })
  await store.close()
  return pruned
}

describe('content shared with a removed file under a hold', () => {
  let contents: string[]
  const areThere = async (): Promise<boolean[]> => {
    const store = archive()
    const sizes = await Promise.all(contents.map((sha256) => store.size(sha256)))
    await store.close()
    return sizes.map((size) => size !== undefined)
  }

  it('is removed neither by an erasure nor by a prune, and the hold is named', async () => {
    contents = await shareRemoved('session-of-the-case')
    await placeHold(world.warehouse, {
      account,
      name: 'case-9',
      reason: 'request of the court',
      sessionId: 'session-of-the-case',
      placedBy: 'a test',
    })
    expect(await prune()).toMatchObject({ finished: 0 })
    expect(await areThere()).toEqual([true, true])
    const [dry] = await erase(world, { persons: [person.id], dryRun: true })
    const [done] = await erase(world, { persons: [person.id] })
    expect(done?.outcome.kept).toMatchObject({ held: {}, shared: { 'case-9': 2 }, locked: 0 })
    expect(done?.outcome).toEqual(dry?.outcome)
    expect(await areThere()).toEqual([true, true])
    expect(erasureExitCode([done as ErasedRequest])).toBe(4)
    expect(linesOf(done as ErasedRequest)).toMatch(
      /: erased in part\n.*Held by case-9: the content of 2 files/s,
    )
    expect((await verify(world)).findings).toEqual([])
  })

  it('is removed by the next prune after the hold ends', async () => {
    await releaseHold(world.warehouse, {
      account,
      name: 'case-9',
      releasedBy: 'a test',
      ...stating(world),
    })
    expect(await prune()).toMatchObject({ finished: 2 })
    expect(await areThere()).toEqual([false, false])
    expect((await verify(world)).findings).toEqual([])
  })
})

describe('the removal of a file before its flush', () => {
  it('is completed by the next erasure if the flush fails', async () => {
    const { author: other } = await busiest(world.warehouse)
    expect(other.id).not.toBe(person.id)
    const entered = await filesOf(other)
    expect(entered.length).toBeGreaterThan(0)
    const fault = new StoreError('store_failed', { tried: 'flushing', came: 'EIO' })
    const failing = (store: FileStore): FileStore => ({
      ...store,
      flush: () => Promise.reject(fault),
    })
    await expect(erase(world, { persons: [other.id], store: failing })).rejects.toBe(fault)
    expect(await filesOf(other)).toEqual(entered.map((name) => name.replace('stored', 'removed')))
    const [done] = await erase(world)
    expect(done?.outcome).toMatchObject({ leftBehind: {}, files: { removed: entered.length } })
    const { rows } = await sql`select from callsheet.files where state = 'removed'
      and reason = 'erased' and bytes_gone_at is null`.execute(world.warehouse.db)
    expect(rows).toEqual([])
  })
})

describe('the record of a file under a hold', () => {
  let other: Person
  let at: { session: string; item: string }
  const row = async (): Promise<string> => {
    const { rows } = await sql<{ row: string }>`
      select a::text as row from svc.whiteboard_activities a
      where session_id = ${at.session} and id = ${at.item}`.execute(world.warehouse.db)
    return rows[0]?.row ?? ''
  }
  beforeAll(async () => {
    ;({ author: other } = await busiest(world.warehouse))
    const { rows } = await sql<{ session: string; item: string }>`
      update svc.whiteboard_activities a set content = ${`ask ${other.email} about it`}
      where (a.session_id, a.id) = (
        select f.parent, f.item from callsheet.files f
          join svc.whiteboard_activities b on b.session_id = f.parent and b.id = f.item
            and b.user_id <> ${other.id}
        where f.state = 'stored' and f.kind = 'activity'
        order by f.parent, f.item limit 1)
      returning a.session_id as session, a.id as item`.execute(world.warehouse.db)
    at = rows[0] as typeof at
    await placeHold(world.warehouse, {
      account,
      name: 'case-11',
      reason: 'request of the court',
      sessionId: at.session,
      placedBy: 'a test',
    })
  })

  it('stays unchanged if it only names the person, and the hold is named', async () => {
    const before = await row()
    expect(before).toContain(other.email)
    const [dry] = await erase(world, { persons: [other.id], dryRun: true })
    const [done] = await erase(world, { persons: [other.id] })
    expect(await row()).toBe(before)
    expect(done?.outcome.kept.held['case-11']).toBeGreaterThan(0)
    expect(done?.outcome.kept).toEqual(dry?.outcome.kept)
    expect(done?.outcome.leftBehind['svc.whiteboard_activities']).toBeGreaterThan(0)
    expect(erasureExitCode([done as ErasedRequest])).toBe(4)
    const [left] = await filesAt()
    expect(left).toEqual({ state: 'stored' })
  })

  it('does not hide data that remains elsewhere', async () => {
    await sql`update callsheet.holds set reason = ${`about ${other.email}`}
      where name = 'case-11'`.execute(world.warehouse.db)
    const [again] = await erase(world)
    expect(again?.outcome.leftBehind['callsheet.holds']).toBe(1)
    expect(erasureExitCode([again as ErasedRequest])).toBe(1)
    await sql`update callsheet.holds set reason = 'of the court'`.execute(world.warehouse.db)
  })

  it('loses the name after the hold ends', async () => {
    await releaseHold(world.warehouse, {
      account,
      name: 'case-11',
      releasedBy: 'a test',
      ...stating(world),
    })
    const [done] = await erase(world)
    expect(done?.outcome).toMatchObject({ kept: { held: {} }, leftBehind: {} })
    expect(await row()).toContain('ask  about it')
    expect(await filesAt()).toEqual([{ state: 'stored' }])
  })

  async function filesAt() {
    const { rows } = await sql<{ state: string }>`
      select state from callsheet.files where parent = ${at.session} and item = ${at.item}`.execute(
      world.warehouse.db,
    )
    return rows
  }
})

/** The ledger's rows of the files of the person's own activities, each with its state. */
async function filesOf({ id }: Person): Promise<string[]> {
  const { rows } = await sql<{ file: string }>`
    select concat_ws(' ', f.parent, f.item, f.state) as file from callsheet.files f
      join svc.whiteboard_activities a on a.account = f.account and a.session_id = f.parent
        and a.id = f.item and a.user_id = ${id}
    where f.kind = 'activity' and f.state in ('stored', 'removed') order by 1`.execute(
    world.warehouse.db,
  )
  return rows.map(({ file }) => file)
}
