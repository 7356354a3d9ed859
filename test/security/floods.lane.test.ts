import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  await world.sync({ jobs: two })
})
afterAll(() => world.close())

const two = jobs.filter(({ name }) => name === 'users' || name === 'phone-numbers')

/** Each in place of the active users, or of a number of theirs. */
const RECORD = '"id":"flood","email":"flood@example.com"'
const FLOODS: [string, string, () => string][] = [
  ['ten million records', 'users', () => `{"users":[${'{},'.repeat(1e7)}{}]}`],
  ['a list of a hundred thousand items', 'users', () => `{"users":[${'{},'.repeat(1e5)}{}]}`],
  ['five million fields in a record', 'users', () => users(`{${RECORD},${fields(2e6)}}`)],
  ['three thousand fields in a record', 'users', () => users(`{${RECORD},${fields(3_000)}}`)],
  ['a million fields around the records', 'users', () => `{${fields(1e6)},"users":[]}`],
  ['nesting a million deep', 'users', () => users(`{${RECORD},"deep":${nested(1e6)}}`)],
  ['nesting of twenty million', 'users', () => users(`{${RECORD},"deep":${nested(2e7)}}`)],
  [
    'nesting around the records',
    'users',
    () => `{"a":${nested(4e5)},"users":null,"total_records":9}`,
  ],
  ['one text of sixty megabytes', 'users', () => users(`{${RECORD},"dept":"${'x'.repeat(6e7)}"}`)],
  ['a text of digits', 'users', () => users(`{${RECORD},"dept":"x${'1'.repeat(4e7)}"}`)],
  ['a number of a million digits', 'users', () => users(`{${RECORD},"pmi":1.${'0'.repeat(1e6)}1}`)],
  [
    'an exponent of a million digits',
    'users',
    () => users(`{${RECORD},"pmi":1e-${'1'.repeat(1e6)}}`),
  ],
  ['quotes and backslashes', 'users', () => users(`{${RECORD},"dept":"${'\\\\\\"'.repeat(5e6)}"}`)],
  ['a hundred thousand tiny chunks', 'numbers', () => numbers('{}', 1e5)],
  ['nine thousand broken chunks', 'numbers', () => numbers('null', 9_000)],
]

describe.each(FLOODS)('a response of %s', (_name, list, flood) => {
  it('affects only its own stream, and does not block the process', async () => {
    const text = flood()
    world.ways.tell = ({ path, query }, told) => {
      const due = list === 'users' ? query.get('status') === 'active' : path.endsWith('numbers')
      if (due) told.body = text
    }
    const delay = monitorEventLoopDelay({ resolution: 20 })
    delay.enable()
    const runs = await world.sync({ jobs: two, full: true })
    delay.disable()
    world.ways.tell = () => {}
    const own = runs.find(({ job }) => (job === 'users') === (list === 'users'))
    const other = runs.find((run) => run !== own)
    const aside = Object.values(own?.tables ?? {}).some(({ quarantined }) => quarantined > 0)
    // A page is refused, or its record is set aside: nothing of it is taken for right.
    expect({ aside, state: own?.state }).toEqual(
      aside ? { aside, state: expect.any(String) as string } : { aside, state: 'incomplete' },
    )
    expect(other?.state).toBe('complete')
    // What took minutes takes a second, or a few where others want the machine as well.
    expect(delay.max / 1e6).toBeLessThan(10_000)
    const { rows } = await sql<{ entries: string; longest: number }>`
      select count(*) as entries, coalesce(max(length(payload)), 0) as longest
      from callsheet.quarantine`.execute(world.warehouse.db)
    expect(Number(rows[0]?.entries)).toBeLessThan(2_000)
    expect(rows[0]?.longest).toBeLessThanOrEqual(2 ** 20)
  })
})

const users = (record: string): string => `{"users":[${record}]}`
const fields = (count: number): string =>
  Array.from({ length: count }, (_, at) => `"f${at}":1`).join(',')
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const numbers = (part: string, count: number): string =>
  `{"numbers":[{"id":"flood","assigned_list":[${`${part},`.repeat(count)}${part}]}]}`
