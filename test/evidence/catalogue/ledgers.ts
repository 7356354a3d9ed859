import { OWNER } from '../../helpers/stated-world.ts'
import type { Found } from './tamper.ts'

/** Inserts a copy of a slice of the first run, with other values in some columns. */
export const copied = (otherwise: Record<string, string>): string => {
  const columns =
    `account stream slice run_id state owned_from owned_to requested_at finished_at pages
    received inserted updated unchanged ignored quarantined deleted outside service_total version
    possibly_truncated final checked error batch`.split(/\s+/)
  return `insert into callsheet.slices (${columns.join(', ')})
    select ${columns.map((name) => otherwise[name] ?? name).join(', ')} from callsheet.slices
    where ${A_SLICE}`
}
const FIRST = `account = '${OWNER}' and stream = 'users'
  and run_id = (select min(run_id) from callsheet.slices where stream = 'users')`
const A_SLICE = `${FIRST} and slice = (select min(slice) from callsheet.slices where ${FIRST})`
export const LATER = `finished_at + interval '1 hour'`
/** Computes the slice states as the engine does, so that they agree with inserted slices. */
const STATES = `insert into callsheet.slice_states select s.* from (
    select array_agg(stream) as streams, array_agg(slice) as slices from (
      select distinct stream, slice from callsheet.slices where account = '${OWNER}') n) n
  cross join lateral callsheet.slice_states_of('${OWNER}', n.streams, n.slices) s`
const COLUMNS = `run_id state finished_at checked quarantined outside error read_at listed_at
  complete_run_id complete_at complete_requested_at complete_pages complete_received complete_version
  complete_final`.split(/\s+/)
/** Computes the slice states for a role that may update but not delete them. */
export const UPDATED = `${STATES} on conflict (account, stream, slice) do update
  set ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`
const ANEW = [`delete from callsheet.slice_states`, STATES]

const BATCH = /^the slices of users by run \d+, batch \d+$/
export const NEW_BATCH = /^the slices of users by run \d+, batch 999$/
const NO_BATCH = /^the slices of users by run \d+, which it entered without a statement$/

/** A name, the statements, and all expected findings. */
export type LedgerTamper = readonly [string, readonly string[], Found]

/** Tampers with ledgers by the writer's own grants. */
export const WRITER_LEDGERS: readonly LedgerTamper[] = [
  [
    'audit settings inserted',
    [
      `insert into callsheet.audit_settings (account, at, noted_by, settings)
        select account, at, noted_by, settings from callsheet.audit_settings`,
    ],
    [['stated_nowhere', /^what is audited, row \d+$/]],
  ],
  [
    'a run changed to list other streams as read',
    [
      `update callsheet.runs set summary = jsonb_set(summary, '{read}', '["x"]')
        where id = (select min(id) from callsheet.runs)`,
    ],
    [['stated_otherwise', /^run \d+$/]],
  ],
  [
    'a hold limited to another board',
    [`update callsheet.holds set whiteboard_id = 'x'`],
    [['stated_otherwise', /^hold \d+$/]],
  ],
  [
    'a release changed to an earlier time',
    [`update callsheet.deletion_guards set approved_at = approved_at - interval '1 day'`],
    [['stated_otherwise', /^the release of the drop users\/\d+$/]],
  ],
  [
    'a later slice inserted into a stated batch',
    [copied({ slice: `'status=other'`, finished_at: LATER }), UPDATED],
    [['stated_otherwise', BATCH]],
  ],
  [
    'a slice inserted again into its batch, as complete',
    [copied({ finished_at: LATER, state: `'complete'` }), UPDATED],
    [['stated_otherwise', BATCH]],
  ],
  [
    'a later slice inserted with its own batch',
    [copied({ batch: '999', finished_at: LATER }), UPDATED],
    [['stated_nowhere', NEW_BATCH]],
  ],
  [
    'a later slice inserted without a batch, as an old one',
    [copied({ batch: 'null', finished_at: LATER }), UPDATED],
    [['stated_nowhere', NO_BATCH]],
  ],
  [
    'a later slice inserted with an invented run',
    [
      `insert into callsheet.runs (id, account, job, epoch, state, started_at, finished_at, summary)
        overriding system value select 9999, account, job, epoch, state, started_at, finished_at, summary
        from callsheet.runs where id = (select min(id) from callsheet.runs)`,
      copied({ run_id: '9999', finished_at: LATER }),
      UPDATED,
    ],
    [
      ['stated_nowhere', /^the slices of users by run 9999, batch \d+$/],
      ['stated_nowhere', /^run 9999$/],
    ],
  ],
  [
    'only a slice state changed to complete',
    [
      `update callsheet.slice_states set complete_at = now() where stream = 'users'
      and slice = 'status=active'`,
    ],
    [['slice_state_wrong', 'the state of users, status=active']],
  ],
  [
    'a state inserted of a slice that no run read',
    [
      `insert into callsheet.slice_states select (jsonb_populate_record(s, '{"slice": "status=other"}')).*
        from callsheet.slice_states s where stream = 'users' and slice = 'status=active'`,
    ],
    [['slice_state_wrong', 'the state of users, status=other']],
  ],
  [
    'a run changed to running again',
    [`update callsheet.runs set state = 'running' where id = (select min(id) from callsheet.runs)`],
    [['stated_missing', /^run \d+$/]],
  ],
  [
    'a release inserted',
    [
      `insert into callsheet.deletion_guards (account, stream, run_id, missing, owned, at, approved_at)
      values ('${OWNER}', 'rooms', 1, 1, 1, now(), now())`,
    ],
    [['stated_nowhere', 'the release of the drop rooms/1']],
  ],
  [
    'a hold released by an update',
    [`update callsheet.holds set released_at = now(), released_by = 'x'`],
    [['stated_otherwise', /^hold \d+$/]],
  ],
]

/** Tampers with ledgers by the eraser's own grants. */
export const ERASER_LEDGERS: readonly LedgerTamper[] = [
  [
    'a slice and its state changed',
    [`update callsheet.slices set state = 'failed' where ${A_SLICE}`, ...ANEW],
    [['stated_otherwise', BATCH]],
  ],
  [
    'a slice state deleted',
    [`delete from callsheet.slice_states where stream = 'users' and slice = 'status=active'`],
    [['slice_state_wrong', 'the state of users, status=active']],
  ],
  [
    'a whole batch deleted',
    [`delete from callsheet.slices where ${FIRST}`, ...ANEW],
    [['stated_missing', BATCH]],
  ],
  [
    'a batch renumbered',
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
]

/** Tampers with ledgers by the owner of the tables. */
export const OWNER_LEDGERS: readonly LedgerTamper[] = [
  [
    'audit settings changed to allow longer gaps',
    [
      `update callsheet.audit_settings
        set settings = jsonb_set(settings, '{jobs,0,longest_wait_ms}', '864000000')`,
    ],
    [['stated_otherwise', /^what is audited, row \d+$/]],
  ],
  [
    'audit settings deleted',
    ['delete from callsheet.audit_settings'],
    [['stated_missing', /^what is audited, row \d+$/]],
  ],
  [
    'a run removed',
    [`delete from callsheet.runs where id = (select min(id) from callsheet.runs)`],
    [['stated_missing', /^run \d+$/]],
  ],
  [
    'a release removed',
    ['delete from callsheet.deletion_guards'],
    [['stated_missing', /^the release of the drop users\/\d+$/]],
  ],
  ['a hold removed', ['delete from callsheet.holds'], [['stated_missing', /^hold \d+$/]]],
  [
    'an incident removed',
    ['delete from callsheet.incidents'],
    [['stated_missing', /^incident \d+$/]],
  ],
  [
    'the retention of the ledger deleted',
    ['delete from callsheet.retention'],
    [['stated_missing', 'since when the ledger is kept: slices']],
  ],
]
