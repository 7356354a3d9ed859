import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { busiest, digests, erase, type Person, tablesWith, verify } from './stage.ts'

let world: World
let author: Person
let holder: Person
let before: Map<string, string[]>
let elsewhere: Map<string, string[]>
const identities = (): string[] => [author, holder].flatMap(({ id, email }) => [id, email])
const persons = (): string[] => [author.id, holder.email]
const changesOf = (results: Awaited<ReturnType<World['sync']>>) =>
  results.flatMap(({ tables }) =>
    Object.entries(tables)
      .filter(([, { inserted, updated, deleted }]) => inserted + updated + deleted > 0)
      .map(([name, { inserted, updated, deleted }]) => ({ name, inserted, updated, deleted })),
  )

beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  await world.sync()
  await world.mutate({ scale: 2 })
  await world.sync({ full: true })
  ;({ author, holder } = await busiest(world.warehouse))
  before = await digests(world.warehouse, 'account-0', identities())
})
afterAll(() => world.close())

describe('an erased person', () => {
  it('is first counted by a dry run, which changes nothing', async () => {
    expect(author.id).not.toBe(holder.id)
    const named = await tablesWith(world.warehouse, identities())
    expect(named).toEqual(
      expect.arrayContaining(['svc.users', 'svc.user_details', 'svc.whiteboard_activities']),
    )
    const dry = await erase(world, { persons: persons(), dryRun: true })
    for (const { request, outcome } of dry) {
      expect(request).toBeUndefined()
      expect(outcome.tables.users).toMatchObject({ redacted: 0 })
      expect(outcome.tables.users?.deleted).toBeGreaterThan(0)
    }
    expect(await tablesWith(world.warehouse, identities())).toEqual(named)
    expect(await digests(world.warehouse, 'account-0', identities())).toEqual(before)
    expect(await erase(world, { persons: persons(), dryRun: true })).toEqual(dry)
  })

  it('is in no table anymore, and the counts equal those of the dry run', async () => {
    const [ofAuthor] = await erase(world, { persons: [author.id], dryRun: true })
    const done = await erase(world, { persons: persons() })
    expect(done.map(({ outcome }) => outcome.leftBehind)).toEqual([{}, {}])
    const [first, second] = done.map(({ outcome }) => outcome)
    expect(first).toEqual(ofAuthor?.outcome)
    expect(first?.files.removed).toBeGreaterThan(0)
    expect(first?.tables.whiteboard_sessions?.redacted).toBeGreaterThan(0)
    expect(second?.tables.phone_numbers?.redacted).toBeGreaterThan(0)
    expect(second?.tables.phone_number_assignments?.deleted).toBeGreaterThan(0)
    expect(await tablesWith(world.warehouse, identities())).toEqual([])
  })

  it('leaves every other row unchanged, byte for byte', async () => {
    elsewhere = await digests(world.warehouse, 'account-0', identities())
    for (const [table, rows] of before) {
      const after = new Set(elsewhere.get(table))
      expect({ table, lost: rows.filter((digest) => !after.has(digest)) }).toEqual({
        table,
        lost: [],
      })
    }
  })

  it('leaves a valid evidence log that states how much was erased', async () => {
    const { findings, notJudged, checked } = await verify(world)
    expect(findings).toEqual([])
    expect(notJudged.filter((line) => /salt|entry/.test(line))).toEqual([])
    expect(checked.erased).toBeGreaterThan(1)
  })

  it('is not restored by the next two syncs', async () => {
    const results = await world.sync({ full: true })
    expect(results.map(({ state, problems }) => ({ state, problems }))).toEqual(
      results.map(() => ({ state: 'complete', problems: [] })),
    )
    expect(await tablesWith(world.warehouse, identities())).toEqual([])
    expect(changesOf(results)).toEqual([])
    expect(changesOf(await world.sync({ full: true }))).toEqual([])
    expect(await digests(world.warehouse, 'account-0', identities())).toEqual(elsewhere)
    expect((await verify(world)).findings).toEqual([])
  })

  it('is named by no erasure request once the request is done', async () => {
    const { rows } = await sql<object>`
      select state, subject, identities, left_behind from callsheet.erasure_requests`.execute(
      world.warehouse.db,
    )
    expect(rows).toEqual([
      { state: 'done', subject: 'erased:1', identities: null, left_behind: {} },
      { state: 'done', subject: 'erased:2', identities: null, left_behind: {} },
    ])
  })

  it('is not restored by later changes at the service', async () => {
    await world.mutate({ scale: 3 })
    const results = await world.sync({ full: true })
    expect(changesOf(results).length).toBeGreaterThan(3)
    expect(await tablesWith(world.warehouse, identities())).toEqual([])
  })

  it('has nothing left to erase in a second erasure', async () => {
    for (const { outcome } of await erase(world, { persons: persons() })) {
      const left = Object.values(outcome.tables).filter((one) => one.deleted + one.redacted > 0)
      expect(left).toEqual([])
      expect(outcome.files.removed).toBe(0)
    }
  })
})
