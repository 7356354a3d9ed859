import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { POINTS } from '../helpers/kill-points.ts'
import { runChild } from '../helpers/killed-child.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { type FrozenPlace, freezePlace, thawPlace } from './frozen-place.ts'
import { busiest, DATA_TABLES, type Person, publishPerson, tablesWith, verify } from './stage.ts'

/** Kills at the first, a middle and the last pass of every point; by default at few points. */
const EVERY_HIT = process.env.ERASE_KILL_ALL === '1'
const OURS = POINTS.filter((name) => name.startsWith('erase:'))

/** The default points: before and after each change that others can see. */
const SOME = ['erase:suppressed', 'erase:files', 'erase:rows', 'erase:report', 'erase:finishing']

let place: FrozenPlace
let person: Person
let trace: string[]
let said: string
let undisturbed: End

beforeAll(async () => {
  const world = await openWorld({ sizes: TINY, archive: { files: true } })
  await world.sync()
  ;({ author: person } = await busiest(world.warehouse))
  await publishPerson(world, person.id)
  place = await freezePlace(world)
  await world.close()
  const copy = await thaw()
  const traceFile = join(copy.folder, 'trace.json')
  said = (await copy.erase({ PROOF_TRACE: traceFile })).said
  trace = JSON.parse(readFileSync(traceFile, 'utf8')) as string[]
  undisturbed = await copy.end()
  await copy.close()
})
afterAll(() => place.drop())

it('an erasure passes every failpoint and leaves nothing of the person', () => {
  expect(said).toContain('"leftBehind":{}')
  const names = new Set(trace.map((hit) => hit.split('#')[0]))
  expect(OURS.filter((name) => !names.has(name))).toEqual([])
  expect(undisturbed).toMatchObject({ named: [], findings: [], states: ['done'] })
  expect(undisturbed.rows.length).toBeGreaterThan(500)
})

it('after a kill at any point, the next erasure has the result of an undisturbed one', {
  timeout: 600_000,
}, async () => {
  const hits = chosenHits()
  expect(hits.length).toBeGreaterThan(SOME.length)
  for (const hit of hits) {
    const copy = await thaw()
    try {
      expect({ hit, ...(await copy.erase({ PROOF_KILL_AT: hit })) }).toMatchObject({
        signal: 'SIGKILL',
      })
      const entries = await copy.entries()
      const again = await copy.erase({})
      expect({ hit, code: again.code }).toEqual({ hit, code: 0 })
      expect({ hit, lost: missing(entries, await copy.entries()) }).toEqual({ hit, lost: [] })
      expect({ hit, ...(await copy.end()) }).toEqual({ hit, ...undisturbed })
    } finally {
      await copy.close()
    }
  }
})

function chosenHits(): string[] {
  const byName = Map.groupBy(trace, (hit) => hit.split('#')[0] ?? '')
  const between = [...byName].filter(([name]) => !/^(lease|quota|run):/.test(name))
  if (EVERY_HIT)
    return between.flatMap(([, hits]) => [
      ...new Set([hits[0] ?? '', hits[hits.length >> 1] ?? '', hits.at(-1) ?? '']),
    ])
  return [
    ...SOME.flatMap((name) => byName.get(name)?.slice(0, 1) ?? []),
    ...(byName.get('commit:before')?.slice(2, 3) ?? []),
    ...(byName.get('commit:after')?.slice(-2, -1) ?? []),
  ]
}

interface End {
  /** Tables in which the person is named. */
  named: string[]
  findings: readonly unknown[]
  states: string[]
  /** The rows of all tables, without their times and without their order. */
  rows: string[]
  files: string[]
}

async function thaw() {
  const copy = await thawPlace(place)
  const { configFile, databaseUrl, warehouse } = copy
  return {
    ...copy,
    erase: (environment: Record<string, string>) =>
      runChild(
        'erase',
        { configFile, databaseUrl, now: WORLD_NOW, persons: [person.id] },
        environment,
      ),
    entries: () => entriesOf(warehouse),
    end: () => endOf({ warehouse, place: { configFile, databaseUrl } }),
  }
}

async function entriesOf({ db }: Warehouse): Promise<string[]> {
  const { rows } = await sql<{ entry: string }>`
    select seq || ' ' || kind || ' ' || subject as entry from callsheet.manifest
    order by seq`.execute(db)
  return rows.map(({ entry }) => entry)
}

const missing = (before: readonly string[], after: readonly string[]): string[] => {
  const there = new Set(after)
  return before.filter((entry) => !there.has(entry))
}

async function endOf(copy: Pick<World, 'warehouse' | 'place'>): Promise<End> {
  const { db } = copy.warehouse
  const found: string[] = []
  for (const { schema, name } of DATA_TABLES) {
    const { rows } = await sql<{ row: string }>`
      select (to_jsonb(t) - '_salt')::text as row from ${sql.id(schema, name)} t order by 1`.execute(
      db,
    )
    found.push(...rows.map(({ row }) => `${schema}.${name} ${row}`))
  }
  const files = await sql<{ file: string }>`
    select concat_ws(' ', kind, parent, item, state) as file from callsheet.files order by 1`.execute(
    db,
  )
  const states = await sql<{ state: string }>`
    select state from callsheet.erasure_requests order by id`.execute(db)
  return {
    named: await tablesWith(copy.warehouse, [person.id, person.email]),
    findings: (await verify(copy as World)).findings,
    states: [...new Set(states.rows.map(({ state }) => state))],
    rows: found,
    files: files.rows.map(({ file }) => file),
  }
}
