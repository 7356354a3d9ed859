import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addEntries } from '../../../src/engine/manifest/add-entries.ts'
import { batchFact } from '../../../src/engine/manifest/statement-facts.ts'
import { sliceBatches } from '../../../src/warehouse/evidence/slice-lines.ts'
import { OWNER, openStatedWorld, type StatedWorld } from '../../helpers/stated-world.ts'

/** Of a slice by the first run: what a copy of it says otherwise. */
const copied = (otherwise: Record<string, string>): string => {
  const columns =
    `account stream slice run_id state owned_from owned_to requested_at finished_at pages
    received inserted updated unchanged ignored quarantined deleted outside service_total version
    possibly_truncated final checked error batch digest exact`.split(/\s+/)
  return `insert into callsheet.slices (${columns.join(', ')})
    select ${columns.map((name) => otherwise[name] ?? name).join(', ')} from callsheet.slices
    where ${A_SLICE}`
}
const FIRST = `account = '${OWNER}' and stream = 'users'
  and run_id = (select min(run_id) from callsheet.slices where stream = 'users')`
const A_SLICE = `${FIRST} and slice = (select min(slice) from callsheet.slices where ${FIRST})`
const LATER = `finished_at + interval '1 hour'`
/** As the engine makes them, so that the slices that were put in count. */
const STATES = `insert into callsheet.slice_states select s.* from (
    select array_agg(stream) as streams, array_agg(slice) as slices from (
      select distinct stream, slice from callsheet.slices where account = '${OWNER}') n) n
  cross join lateral callsheet.slice_states_of('${OWNER}', n.streams, n.slices) s`
const ANEW = [`delete from callsheet.slice_states`, STATES]

const BATCH = /^the slices of users by run \d+, batch \d+$/
const NEW_BATCH = /^the slices of users by run \d+, batch 999$/
const NO_BATCH = /^the slices of users by run \d+, which it entered without a statement$/

type Found = readonly (readonly [string, string | RegExp])[]

/** What is done with all rights, and all the findings that must come of it. */
const CHANGED: readonly (readonly [string, readonly string[], Found])[] = [
  [
    'a later slice put into a batch that was stated',
    [copied({ slice: `'status=other'`, finished_at: LATER }), ...ANEW],
    [['stated_otherwise', BATCH]],
  ],
  [
    'the same slice put into its batch once more, as complete',
    [copied({ finished_at: LATER, state: `'complete'` }), ...ANEW],
    [['stated_otherwise', BATCH]],
  ],
  [
    'a later slice put into a batch of its own',
    [copied({ batch: '999', finished_at: LATER }), ...ANEW],
    [['stated_nowhere', NEW_BATCH]],
  ],
  [
    'a later slice put in without a batch, as of before the statements',
    [copied({ batch: 'null', finished_at: LATER }), ...ANEW],
    [['stated_nowhere', NO_BATCH]],
  ],
  [
    'a later slice put into a run that was made up',
    [
      `insert into callsheet.runs (id, account, job, epoch, state, started_at, finished_at, summary)
        overriding system value select 9999, account, job, epoch, state, started_at, finished_at, summary
        from callsheet.runs where id = (select min(id) from callsheet.runs)`,
      copied({ run_id: '9999', finished_at: LATER }),
      ...ANEW,
    ],
    [
      ['stated_nowhere', /^the slices of users by run 9999, batch \d+$/],
      ['stated_nowhere', /^run 9999$/],
    ],
  ],
  [
    'a slice called complete that is not, and its state with it',
    [`update callsheet.slices set state = 'failed' where ${A_SLICE}`, ...ANEW],
    [['stated_otherwise', BATCH]],
  ],
  [
    'a state alone called complete',
    [
      `update callsheet.slice_states set complete_at = now() where stream = 'users'
      and slice = 'status=active'`,
    ],
    [['slice_state_wrong', 'the state of users, status=active']],
  ],
  [
    'a state taken',
    [`delete from callsheet.slice_states where stream = 'users' and slice = 'status=active'`],
    [['slice_state_wrong', 'the state of users, status=active']],
  ],
  [
    'a state of a slice that nobody read',
    [
      `insert into callsheet.slice_states select (jsonb_populate_record(s, '{"slice": "status=other"}')).*
        from callsheet.slice_states s where stream = 'users' and slice = 'status=active'`,
    ],
    [['slice_state_wrong', 'the state of users, status=other']],
  ],
  [
    'a whole batch taken',
    [`delete from callsheet.slices where ${FIRST}`, ...ANEW],
    [['stated_missing', BATCH]],
  ],
  [
    'a batch given another number',
    [`update callsheet.slices set batch = 999 where ${FIRST}`],
    [
      ['stated_missing', BATCH],
      ['stated_nowhere', NEW_BATCH],
    ],
  ],
  [
    'a batch moved to another run',
    [`update callsheet.slices set run_id = 9999 where ${FIRST}`, ...ANEW],
    [
      ['stated_missing', BATCH],
      ['stated_nowhere', /^the slices of users by run 9999, batch \d+$/],
    ],
  ],
  [
    'a run taken',
    [`delete from callsheet.runs where id = (select min(id) from callsheet.runs)`],
    [['stated_missing', /^run \d+$/]],
  ],
  [
    'a run that is called at work again',
    [`update callsheet.runs set state = 'running' where id = (select min(id) from callsheet.runs)`],
    [['stated_missing', /^run \d+$/]],
  ],
  [
    'a release taken',
    ['delete from callsheet.deletion_guards'],
    [['stated_missing', /^the release of the drop users\/\d+$/]],
  ],
  [
    'a release that nobody gave',
    [
      `insert into callsheet.deletion_guards (account, stream, run_id, missing, owned, at, approved_at)
      values ('${OWNER}', 'rooms', 1, 1, 1, now(), now())`,
    ],
    [['stated_nowhere', 'the release of the drop rooms/1']],
  ],
  ['a hold taken', ['delete from callsheet.holds'], [['stated_missing', /^hold \d+$/]]],
  [
    'a hold released by nobody',
    [`update callsheet.holds set released_at = now(), released_by = 'x'`],
    [['stated_otherwise', /^hold \d+$/]],
  ],
  [
    'an incident taken',
    ['delete from callsheet.incidents'],
    [['stated_missing', /^incident \d+$/]],
  ],
  [
    'what says since when the ledger is kept taken',
    ['delete from callsheet.retention'],
    [['stated_missing', 'since when the ledger is kept: slices']],
  ],
  [
    'what is audited changed, so that a longer silence is as was due',
    [
      `update callsheet.audit_settings
      set settings = jsonb_set(settings, '{jobs,0,longest_wait_ms}', '864000000')`,
    ],
    [['stated_otherwise', /^what is audited, row \d+$/]],
  ],
  [
    'what is audited put in by nobody',
    [
      `insert into callsheet.audit_settings (account, at, noted_by, settings)
      select account, at, noted_by, settings from callsheet.audit_settings`,
    ],
    [['stated_nowhere', /^what is audited, row \d+$/]],
  ],
  [
    'what is audited taken',
    ['delete from callsheet.audit_settings'],
    [['stated_missing', /^what is audited, row \d+$/]],
  ],
]

let stated: StatedWorld
beforeAll(async () => {
  stated = await openStatedWorld()
})
afterEach(() => stated.restore())
afterAll(() => stated.world.close())

describe('verify', () => {
  it.each(CHANGED)('names %s', async (_what, statements, expected) => {
    await stated.tamper(...statements)
    const { findings } = await stated.verify()
    expect(findings).toEqual(
      expected.map(([code, what]) => ({
        code,
        what: typeof what === 'string' ? what : (expect.stringMatching(what) as string),
      })),
    )
  })

  it('says of holds and incidents that were put in that the next run states them', async () => {
    await stated.tamper(
      `insert into callsheet.holds (account, name, reason, begins_at, placed_by)
        values ('${OWNER}', 'case-2', 'x', now(), 'x')`,
      `insert into callsheet.incidents (account, kind, subject, at, detail)
        values ('${OWNER}', 'missing', 'activity:s:b', now(), 'x')`,
    )
    const { findings, notJudged } = await stated.verify()
    expect(findings).toEqual([])
    expect(notJudged).toEqual(
      expect.arrayContaining([
        '1 holds are stated nowhere yet; the next run states them.',
        '1 incidents are stated nowhere yet; the next run states them.',
      ]),
    )
  })

  it('believes no statement without the word of the key, and nothing after it is signed', async () => {
    const { warehouse } = stated.world
    await stated.tamper(copied({ batch: '999', finished_at: LATER }), ...ANEW)
    const { rows } = await sql<{ subject: string }>`
      select 'ledger/slices/users/' || run_id || '/999' as subject from callsheet.slices
      where batch = 999`.execute(warehouse.db)
    const subjects = rows.map(({ subject }) => subject)
    await warehouse.transaction(async (tx) => {
      for await (const batch of sliceBatches(tx, { account: OWNER, subjects }))
        await addEntries(tx, OWNER, [batchFact(batch)])
    })
    const expected = [
      { code: 'entry_unexplained', what: expect.stringContaining(subjects[0] ?? '') as string },
      { code: 'stated_nowhere', what: expect.stringMatching(NEW_BATCH) as string },
    ]
    expect((await stated.verify()).findings).toEqual(expected)
    const evidence = (await stated.world.sync()).at(-1)?.evidence
    expect(evidence).toMatchObject({ signed: 0, unexplained: 1 })
    expect((await stated.verify()).findings).toEqual(expected)
  })
})
