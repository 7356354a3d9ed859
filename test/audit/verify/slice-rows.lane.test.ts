import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import phoneNumbers from '../../../jobs/phone-numbers.ts'
import { OWNER, verifyWorld } from '../../helpers/stated-world.ts'
import { openWorld, TINY, type World } from '../../helpers/world.ts'

let world: World
/** The session of a whiteboard with the most activities, all of them read in one list. */
let session: string

beforeAll(async () => {
  world = await openWorld({ sizes: TINY, archive: { files: true } })
  await world.sync()
  const [most] = await rowsOf<{
    id: string
  }>(`select session_id as id from svc.whiteboard_activities
    group by session_id order by count(*) desc, session_id limit 1`)
  session = most?.id ?? ''
})
afterAll(() => world.close())

async function rowsOf<Row>(query: string): Promise<Row[]> {
  return (await sql<Row>`${sql.raw(query)}`.execute(world.warehouse.db)).rows
}

/** The first 16 bytes of a SHA-256. */
const short = (text: string | Buffer): Buffer =>
  createHash('sha256').update(text).digest().subarray(0, 16)
const sum = (pieces: readonly Buffer[]): string =>
  createHash('sha256')
    .update(Buffer.concat(pieces.toSorted(Buffer.compare)))
    .digest('hex')

/** The findings and what else is said while the statements are in force; as the owner of the tables can. */
async function tampered(...statements: string[]) {
  return await world.warehouse.withClient(async (client) => {
    await client.query('create schema kept')
    for (const table of TABLES)
      await client.query(`create table kept.${table} as table svc.${table}`)
    await client.query('set session_replication_role = replica')
    try {
      for (const statement of statements) {
        const { rowCount } = await client.query(statement)
        expect(rowCount).toBeGreaterThan(0)
      }
      return await verifyWorld(world)
    } finally {
      for (const table of TABLES) {
        await client.query(`delete from svc.${table}`)
        await client.query(`insert into svc.${table} table kept.${table}`)
      }
      await client.query('reset session_replication_role')
      await client.query('drop schema kept cascade')
    }
  })
}

const TABLES = ['whiteboard_activities', 'phone_numbers', 'whiteboard_sessions']

describe('the digest of a slice', () => {
  it('is over the sorted hashes of the records as they came, each bound to its list', async () => {
    const records = await rowsOf<{ bytes: Buffer }>(
      `select _bytes as bytes from svc.whiteboard_activities where session_id = '${session}'`,
    )
    expect(records.length).toBeGreaterThan(1)
    const salt = short(JSON.stringify([{}, [session]]))
    const hashes = records.map(({ bytes }) =>
      Buffer.from(short(bytes).map((byte, at) => byte ^ (salt[at] ?? 0))),
    )
    const said = await rowsOf<{ digest: string; exact: boolean }>(
      `select encode(digest, 'hex') as digest, exact from callsheet.slices
       where stream = 'whiteboard_activities' and slice = 'session=${session}'`,
    )
    expect(said).toEqual([{ digest: sum(hashes), exact: true }])
  })
})

interface Tamper {
  what: string
  statements: () => string[]
  expected: () => (readonly [code: string, what: string | RegExp])[]
}

/** As JSON within SQL writes bytes. */
const HASH = String.raw`\\x0102030405060708090a0b0c0d0e0f10`
const ALL_NUMBERS = ['slice_rows_wrong', 'the rows of phone_numbers, all'] as const
const list = () =>
  ['slice_rows_wrong', `the rows of whiteboard_activities, session=${session}`] as const

const TAMPERS: readonly Tamper[] = [
  {
    what: 'a row taken from a table whose records have no entries',
    statements: () => [
      'delete from svc.phone_numbers where id = (select min(id) from svc.phone_numbers)',
    ],
    expected: () => [ALL_NUMBERS],
  },
  {
    what: 'a row put in there',
    statements: () => [
      `insert into svc.phone_numbers
      select (jsonb_populate_record(n, '{"id": "other", "_hash": "${HASH}"}')).*
      from svc.phone_numbers n order by id limit 1`,
    ],
    expected: () => [ALL_NUMBERS],
  },
  {
    what: 'a row there that is called deleted',
    statements: () => [
      `update svc.phone_numbers set _deleted_at = now()
      where id = (select min(id) from svc.phone_numbers)`,
    ],
    expected: () => [ALL_NUMBERS],
  },
  {
    what: 'a row there with the hash of another record',
    statements: () => [
      `update svc.phone_numbers set _hash = sha256(_hash)
      where id = (select min(id) from svc.phone_numbers)`,
    ],
    expected: () => [ALL_NUMBERS],
  },
  {
    what: 'all rows of a list taken',
    statements: () => [`delete from svc.whiteboard_activities where session_id = '${session}'`],
    expected: () => [list(), ['record_missing', /^the record whiteboard_activities/]],
  },
  {
    what: 'a record with bytes of its own put into a list, before anything signs it',
    statements: () => [
      `insert into svc.whiteboard_activities
       select (jsonb_populate_record(a, '{"id": "other", "_hash": "${HASH}"}')).*
       from svc.whiteboard_activities a where session_id = '${session}' order by id limit 1`,
      `update svc.whiteboard_activities set _raw = _raw || '{"id": "other"}',
       _bytes = convert_to((_raw || '{"id": "other"}')::text, 'UTF8') where id = 'other'`,
    ],
    expected: () => [list()],
  },
  {
    what: 'a session taken from its window',
    statements: () => [`delete from svc.whiteboard_sessions where id = '${session}'`],
    expected: () => [
      ['slice_rows_wrong', /^the rows of whiteboard_sessions, 2026-\S+\.\.2026-\S+$/],
      ['record_missing', /^the record whiteboard_sessions/],
    ],
  },
]

describe('verify', () => {
  it('finds nothing where nothing was changed, and says how many lists it compared', async () => {
    const { findings, checked } = await verifyWorld(world)
    expect(findings).toEqual([])
    const [exact] = await rowsOf<{ count: number }>(
      'select count(*) as count from callsheet.slices where exact',
    )
    expect(checked.lists).toBe(exact?.count)
    expect(checked.lists).toBeGreaterThan(300)
  })

  it('says of how many lists and windows nobody can tell, since their digest is not exact', async () => {
    const { notJudged, checked } = await verifyWorld(world)
    const inexact = await rowsOf<{ stream: string; count: number }>(
      `select stream, count(*) as count from callsheet.slices
       where state = 'complete' and not coalesce(exact, false) group by stream`,
    )
    const all = inexact.reduce((total, { count }) => total + count, 0)
    expect(inexact.map(({ stream }) => stream)).toContain('session_reports')
    expect(checked.listsNotCompared).toBe(all)
    const [said = '', ...others] = notJudged.filter((text) => text.includes('lists and windows'))
    expect(others).toEqual([])
    expect(said).toContain(`Whether the rows of ${all} lists and windows (`)
    expect(said).toContain('no exact digest')
    for (const { stream, count } of inexact) expect(said).toContain(`${stream} ${count}`)
  })

  it('says of how many it cannot tell what was read before a person was erased', async () => {
    const { checked: before } = await verifyWorld(world)
    await rowsOf(`insert into callsheet.erasure_requests
      (account, subject, source, state, asked_at, requested_at, due_at, ended_at)
      values ('${OWNER}', 'somebody', 'command', 'done', now(), now(), now(), '2100-01-01')`)
    const { notJudged, checked } = await verifyWorld(world)
    await rowsOf('delete from callsheet.erasure_requests')
    expect(checked).toMatchObject({
      lists: 0,
      listsNotCompared: before.lists + before.listsNotCompared,
    })
    expect(notJudged.join()).toContain(`Whether the rows of ${before.lists} lists and windows`)
  })

  it.each(TAMPERS)('names $what', async ({ statements, expected }) => {
    const { findings } = await tampered(...statements())
    for (const [code, what] of expected())
      expect(findings).toContainEqual({
        code,
        what: typeof what === 'string' ? what : (expect.stringMatching(what) as string),
      })
    const named = findings.filter(({ code }) => code === 'slice_rows_wrong')
    expect(named).toHaveLength(1)
  })

  it('says of a list to which something was written later that it cannot be told', async () => {
    const { findings, notJudged } = await tampered(
      'update svc.phone_numbers set _run_id = _run_id + 100, _hash = sha256(_hash)',
    )
    expect(findings).toEqual([])
    expect(notJudged).toContain(
      'Whether the rows of 1 lists and windows (phone_numbers 1) are those that were shown: some were ' +
        'written later.',
    )
  })

  it('finds nothing where a list showed less than is held, and nothing was called deleted', async () => {
    await world.faults([{ kind: 'empty-list', operation: 'phone_numbers.list' }])
    await world.advance(26 * 3_600_000)
    await world.sync({ jobs: [phoneNumbers] })
    await world.faults([])
    const said = await rowsOf(`select state, exact, encode(digest, 'hex') as digest
      from callsheet.slices where stream = 'phone_numbers' order by run_id desc limit 1`)
    expect(said).toEqual([{ state: 'complete', exact: false, digest: sum([]) }])
    expect((await verifyWorld(world)).findings).toEqual([])
  })

  it('finds nothing after nights of changes, and compares what was read before them too', async () => {
    for (let night = 1; night <= 2; night++) {
      await world.advance(26 * 3_600_000)
      await world.mutate({ scale: 2 })
      await world.sync()
    }
    const { findings, checked } = await verifyWorld(world)
    expect(findings).toEqual([])
    expect(checked.lists).toBeGreaterThan(300)
  })
})
