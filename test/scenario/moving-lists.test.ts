import { afterEach, beforeEach, expect, test } from 'vitest'
import numberSettings from '../../jobs/number-settings.ts'
import phoneNumbers from '../../jobs/phone-numbers.ts'
import users from '../../jobs/users.ts'
import type { Job } from '../../src/core/define/job.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { expectTruth } from '../helpers/truth.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

const account = 'account-0'
let world: World
beforeEach(async () => {
  world = await openWorld({
    sizes: { ...TINY, trunks: 25, groups: 9 },
    habits: { pageCap: 10 },
    altered: true,
  })
})
afterEach(() => world.close())

test('a run is incomplete if a row appears twice and another row is missing', async () => {
  rowMoves({ path: '/users', list: 'users', passes: [1, 2, 3] })
  const moved = await sync(users)
  expect(moved.state).toBe('incomplete')
  expect(moved.problems.join('\n')).toMatch(
    /users status=active: .* 1 of \d+ records appeared twice/,
  )
  rowMoves({ path: '/users', list: 'users', passes: [1, 2] })
  expect(await sync(users)).toMatchObject({ state: 'complete', problems: [] })
  await truth(users)
})

test('without a total, any repeated row leaves the run incomplete', async () => {
  rowMoves({ path: '/number_management/numbers', list: 'numbers', passes: [1, 2, 3] })
  const moved = await sync(phoneNumbers)
  expect(moved.state).toBe('incomplete')
  expect(moved.problems.join('\n')).toMatch(/phone_numbers all: .*appeared twice/)
  rowMoves({ path: '/number_management/numbers', list: 'numbers', passes: [1] })
  expect(await sync(phoneNumbers)).toMatchObject({ state: 'complete', problems: [] })
  await truth(phoneNumbers)
})

test.each(['absent', 'the count of the page', 'too low', 'as text'])(
  'a total that is %s does not hide a row replaced by a repeated one',
  async (total) => {
    rowMoves({ path: '/users', list: 'users', passes: [1, 2, 3], total })
    expect(await sync(users)).toMatchObject({ state: 'incomplete' })
    rowMoves({ path: '/users', list: 'users', passes: [], total })
    expect(await sync(users)).toMatchObject({ state: 'complete', problems: [] })
    await truth(users)
  },
)

test('a repeated row leaves the run complete if no other row is missing', async () => {
  world.ways.tell = ({ path }, { body }) => {
    if (!path.includes('/users')) return
    const page = body as { users: unknown[] }
    page.users.push(page.users[0])
  }
  expect(await sync(users)).toMatchObject({ state: 'complete', problems: [] })
  await truth(users)
})

test('identical records in every pass are one row each, and the run counts them', async () => {
  const twin = (list: 'users' | 'numbers', other: object) => {
    world.ways.tell = ({ path, query }, { body }) => {
      if (!path.endsWith(`/${list}`)) return
      const page = body as Record<string, object[]> & {
        total_records?: number
        next_page_token?: string
      }
      const [first] = page[list] ?? []
      const last = page.next_page_token === '' || page.next_page_token === undefined
      const status = query.get('status') ?? ''
      if (!query.has('next_page_token')) firsts.set(status, first)
      const begins = firsts.get(status)
      // Twins are on the first and the last page, so that twins of long lists are on two pages.
      if (last && begins !== undefined) page[list]?.push({ ...begins, ...other })
      if (page.total_records !== undefined) page.total_records++
    }
  }
  const firsts = new Map<string, object | undefined>()
  for (const [job, list] of [
    [users, 'users'],
    [phoneNumbers, 'numbers'],
  ] as const) {
    twin(list, {})
    for (let night = 0; night < 2; night++) {
      const { state, problems } = await sync(job)
      expect(state === 'complete' ? '' : problems.join()).toBe('')
      expect(problems).toEqual([
        expect.stringMatching(
          /: the service sent \d records? twice with the same content; each is stored once/,
        ),
      ])
    }
    await truth(job)
    twin(list, { [list === 'users' ? 'dept' : 'status']: 'other' })
    expect(await sync(job)).toMatchObject({ state: 'incomplete' })
  }
})

test('a second read with repeated rows deletes nothing', async () => {
  const { streams, ...trunks } = only(numberSettings, 'sip_trunks')
  const all = { slice: 'all', arguments: { query: {} }, filter: {} }
  // Reads the stream as one list, since no other list would show its rows.
  const oneList: Stream['sync'] = { kind: 'snapshot', requests: () => [all] }
  const job = { ...trunks, streams: streams.map((stream) => ({ ...stream, sync: oneList })) }
  await sync(job)
  // The first pass leaves a row out, and the next ones show another row in its place.
  rowMoves({ path: '/sip_trunks', list: 'byoc_sip_trunk', passes: [2, 3, 4, 5], drop: [1] })
  const moved = await sync(job)
  expect(moved).toMatchObject({ state: 'incomplete', tables: { sip_trunks: { deleted: 0 } } })
  delete world.ways.tell
  expect(await sync(job)).toMatchObject({ state: 'complete', problems: [] })
  await truth(job)
})

test('a list that repeats a row deletes nothing, even if its total matches', async () => {
  const job = only(numberSettings, 'sip_groups')
  await sync(job)
  world.ways.tell = ({ path, query }, { body }) => {
    if (!path.endsWith('/sip_groups') || query.has('next_page_token')) return
    const page = body as { sip_groups: unknown[]; total_records: number }
    page.sip_groups.splice(0, 1, page.sip_groups[1])
    page.total_records--
  }
  const doubted = await sync(job)
  expect(doubted).toMatchObject({ state: 'incomplete', tables: { sip_groups: { deleted: 0 } } })
  expect(doubted.problems.join('\n')).toMatch(
    /sip_groups: it is uncertain whether \d missing rows? (was|were) deleted/,
  )
})

interface Moving {
  path: string
  list: string
  /** The passes in which a row is shown twice, in place of the one after it. */
  passes: number[]
  /** The passes in which a row is left out. */
  drop?: number[]
  total?: string
}

/** Makes the second page of a list begin with the last row of the first, in place of its own. */
function rowMoves({ path, list, passes, drop = [], total }: Moving): void {
  const begun = new Map<string, number>()
  const last = new Map<string, unknown>()
  world.ways.tell = (asked, { body }) => {
    if (!asked.path.endsWith(path)) return
    const page = body as Record<string, unknown[]>
    const rows = page[list] ?? []
    const token = asked.query.get('next_page_token')
    const query = new URLSearchParams(asked.query)
    query.delete('next_page_token')
    const name = query.toString()
    if (token === null) begun.set(name, (begun.get(name) ?? 0) + 1)
    const pass = begun.get(name) ?? 0
    if (token !== null && rows.length > 0 && last.get(name) !== undefined) {
      if (passes.includes(pass)) rows[0] = last.get(name)
      if (drop.includes(pass)) rows.shift()
    }
    // Only the first page's last row is repeated.
    last.set(name, token === null ? rows.at(-1) : undefined)
    told(page, total, rows.length)
  }
}

function told(page: Record<string, unknown>, total: string | undefined, count: number): void {
  if (total === 'absent') delete page.total_records
  if (total === 'the count of the page') page.total_records = count
  if (total === 'too low') page.total_records = 1
  if (total === 'as text') page.total_records = String(page.total_records)
}

function only(job: Job, name: string): Job {
  return { ...job, streams: job.streams.filter((stream) => stream.name === name) }
}

async function sync(job: Job): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [job] })
  if (result === undefined) throw new Error('No run')
  return result
}

async function truth(job: Job): Promise<void> {
  await expectTruth(world.warehouse, world.sandbox, { account, streams: job.streams })
}

test('an unusable record does not hide that a repeated row replaced another row', async () => {
  rowMoves({ path: '/users', list: 'users', passes: [1, 2, 3] })
  const moves = world.ways.tell
  world.ways.tell = (asked, answer) => {
    moves?.(asked, answer)
    const { users: shown, next_page_token: next } = answer.body as { users?: unknown[] } & Record<
      string,
      unknown
    >
    if (next === '') shown?.push(null)
  }
  expect(await sync(users)).toMatchObject({ state: 'incomplete' })
})
