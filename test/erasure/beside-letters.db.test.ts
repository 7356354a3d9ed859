import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { erasureExitCode, printErased } from '../../src/cli/frame/erasure-lines.ts'
import { createOutput } from '../../src/cli/frame/output.ts'
import type { ErasedRequest } from '../../src/erasure/erase-requests.ts'
import { mayName } from '../../src/erasure/sql/mentioning-rows.ts'
import { searchFor } from '../core/persons/search-for.ts'
import {
  ADDRESS,
  ALONE,
  ID,
  SAME,
  SPELLED,
  SPELLED_OUT,
  WIDE_ID,
  WITHIN,
  WITHIN_ONE,
} from '../core/persons/spellings.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { addUser } from './add-user.ts'
import { erase, tell } from './stage.ts'

const account = 'account-0'
const PERSON = { id: WIDE_ID, email: ADDRESS, display_name: 'Person Jones' }
/** Other users whose address or ID contains the person's. */
const OTHERS = [
  { id: `x${WIDE_ID}`, email: `super.${ADDRESS}`, display_name: 'Another' },
  { id: `${WIDE_ID}-2`, email: `${ADDRESS}.au`, display_name: 'A third' },
]

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  for (const user of [PERSON, ...OTHERS]) await addUser(world, user)
})
afterAll(() => world.close())

const inEach = (texts: readonly string[], people: readonly string[]): string[] =>
  texts.flatMap((text) => people.map((person) => text.replaceAll('¤', person)))

/** Plants each text in a row of each table that an erasure searches; in notifications, every eighth text. */
async function plant(texts: readonly string[]): Promise<void> {
  const { db } = world.warehouse
  await sql`insert into svc.users (account, id, dept, _raw, _hash, _first_seen_at, _changed_at, _run_id)
    select ${account}, 'of-' || n, t, jsonb_build_object('id', 'of-' || n, 'notes', jsonb_build_array(t)),
      '\\x00', callsheet.clock(), callsheet.clock(), 1
    from unnest(${[...texts]}::text[]) with ordinality u(t, n)`.execute(db)
  await sql`insert into history.users select u.*, _changed_at, callsheet.clock(), 1, 'changed'
    from svc.users u where id like 'of-%'`.execute(db)
  await sql`insert into callsheet.quarantine (account, stream, slice, run_id, at, reason, payload)
    select ${account}, 'users', 'all', 1, callsheet.clock(), 'of-' || n,
      jsonb_build_object('text', t)::text
    from unnest(${[...texts]}::text[]) with ordinality u(t, n)`.execute(db)
  await sql`insert into callsheet.drift (account, stream, kind, path, example, first_run_id, first_seen_at)
    select ${account}, 'users', 'unknown_field', 'of-' || n, t, 1, callsheet.clock()
    from unnest(${[...texts]}::text[]) with ordinality u(t, n)`.execute(db)
  await sql`insert into callsheet.calls (account, operation, asked_by, asked_at, state, arguments, body)
    select ${account}, 'of.' || n, 'a test', callsheet.clock(), 'done', '{}'::json,
      json_build_object('text', t)
    from unnest(${[...texts]}::text[]) with ordinality u(t, n)`.execute(db)
  await sql`insert into callsheet.published_reports
      (account, report, params, as_of, run_ids, published_at, files)
    select ${account}, 'whiteboard-audit', jsonb_build_object('user', t), callsheet.clock(), '{1}',
      callsheet.clock(), '[]'::jsonb
    from unnest(${[...texts]}::text[]) with ordinality u(t, n)`.execute(db)
  for (const text of texts.filter((_text, at) => at % 8 === 0)) {
    await tell(world, { event: 'of.any', payload: { object: { text } } })
    await tell(world, `no JSON: ${text}`)
  }
}

/** The text of all planted tables. */
async function said(): Promise<string> {
  const { db } = world.warehouse
  const { rows } = await sql<{ row: string }>`
    select concat(dept, _raw) as row from svc.users union all
    select concat(dept, _raw) from history.users union all
    select payload from callsheet.quarantine union all select example from callsheet.drift union all
    select concat(arguments, body) from callsheet.calls union all
    select params::text from callsheet.published_reports union all
    select concat(payload, callsheet.text_of(body)) from callsheet.notifications`.execute(db)
  return rows.map(({ row }) => row).join('\n')
}

function printed(done: readonly ErasedRequest[]): string {
  let text = ''
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = (piece: string | Uint8Array) => ((text += String(piece)), true)
  try {
    for (const one of done) printErased(createOutput({ json: false }), one, false)
    createOutput({ json: true }).result({ erased: done })
  } finally {
    process.stdout.write = write
  }
  return text
}

it('the database preselects every text in which the rule for whole words may find a person', async () => {
  const people = [ADDRESS, ID, WIDE_ID]
  const texts = [
    ...inEach([...ALONE, ...WITHIN], people),
    ...inEach([...ALONE, ...WITHIN], people.map(encodeURIComponent)),
    ...SPELLED,
    ...SPELLED_OUT,
    ...WITHIN_ONE.map(([text, person]) => text.replaceAll('¤', person)),
    ...SAME.flat(),
  ]
  const others = [...WITHIN_ONE.map(([, person]) => person), ...SAME.map(([person]) => person)]
  const all = searchFor(...people, ...others)
  const { rows } = await sql<{ text: string; asked: boolean }>`
    select u.t as text, ${mayName(sql`r.said`, all.likely, all.spelledOut)} as asked
    from unnest(${texts}::text[]) u(t), lateral (
      values (row(u.t)::text), (row(jsonb_build_object('x', u.t))::text)) r(said)`.execute(
    world.warehouse.db,
  )
  expect(rows).toHaveLength(2 * texts.length)
  expect(rows.filter(({ asked }) => !asked).map(({ text }) => text)).toEqual([])
})

it('the database preselects an address in every spelling', async () => {
  const missed: string[] = []
  for (const [address, other] of [
    ...SAME,
    ...SPELLED_OUT.map((text) => [ADDRESS, text] as const),
  ]) {
    const { likely, spelledOut } = searchFor(/^user/i.test(other) ? ID : address)
    const text = sql<string>`row(${other}::text)::text`
    const { rows } = await sql<{ asked: boolean }>`
      select ${mayName(text, likely, spelledOut)} as asked`.execute(world.warehouse.db)
    if (rows[0]?.asked !== true) missed.push(other)
  }
  expect(missed).toEqual([])
})

describe('an erasure', () => {
  it('erases the person’s address, but not longer addresses that contain it', async () => {
    await plant([...inEach(ALONE, [ADDRESS, WIDE_ID]), ...SPELLED, `see super.${ADDRESS}.`])
    const done = await erase(world, { persons: [PERSON.id] })
    expect(done[0]?.outcome).toMatchObject({ leftBehind: {}, uncertain: {} })
    expect(erasureExitCode(done)).toBe(0)
    const left = (await said()).replaceAll(`super.${ADDRESS}`, '').replaceAll(`${ADDRESS}.au`, '')
    expect(left).not.toContain(ADDRESS)
    expect(left.split(WIDE_ID)).toHaveLength(1 + OTHERS.length)
    const { rows } =
      await sql`select id, email from svc.users where email like ${`%${ADDRESS}%`} order by id`.execute(
        world.warehouse.db,
      )
    expect(rows).toEqual(
      OTHERS.map(({ id, email }) => ({ id, email })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    )
  })

  it('leaves words that may be longer, lists their places and exits with 1', async () => {
    await sql`delete from svc.users where id like 'of-%'`.execute(world.warehouse.db)
    const texts = [
      ...inEach(WITHIN, [ADDRESS]),
      ...SPELLED_OUT.filter((text) => !/user/i.test(text)),
    ]
    await plant(texts)
    const before = await said()
    await addUser(world, PERSON)
    const done = await erase(world, { persons: [PERSON.id] })
    const each = Object.fromEntries(
      ['svc.users.dept', 'svc.users._raw', 'history.users.dept', 'history.users._raw']
        .concat(['callsheet.quarantine.payload', 'callsheet.drift.example', 'callsheet.calls.body'])
        .concat(['callsheet.published_reports.params'])
        .map((place) => [place, texts.length]),
    )
    const told = Math.ceil(texts.length / 8)
    expect(done[0]?.outcome).toMatchObject({
      leftBehind: {},
      uncertain: {
        ...each,
        'callsheet.notifications.body': 2 * told,
        'callsheet.notifications.payload': told,
      },
    })
    expect(erasureExitCode(done)).toBe(1)
    expect((await said()).split('\n').toSorted()).toEqual(before.split('\n').toSorted())
    const lines = printed(done)
    expect(lines).toContain('erased in part')
    expect(lines).toContain('callsheet.quarantine.payload')
    expect(lines.toLowerCase()).not.toContain('person.j')
    const { rows } = await sql`select state from callsheet.erasure_requests order by id`.execute(
      world.warehouse.db,
    )
    expect(rows).toEqual([{ state: 'done' }, { state: 'kept' }])
  })
})
