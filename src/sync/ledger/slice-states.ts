import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type OnConflictDatabase,
  type OnConflictTables,
  type QueryCreator,
  type SqlBool,
  sql,
} from 'kysely'
import type { LedgerTables } from '../../core/tables/ledger-tables.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Database, SliceState } from '../../warehouse/schema/types.ts'

export interface SliceName {
  stream: string
  slice: string
}

/** The database plus the rows that this statement inserts into the ledger of slices. */
interface WithEntered extends Database {
  entered: Database['callsheet.slices']
}

/**
 * Applies inserted ledger entries to the state of each slice. The newest attempt wins, whatever the order of
 * insertion: an older one changes nothing, and its slice is not returned.
 */
export function takeEntered(db: QueryCreator<WithEntered>) {
  return db
    .insertInto('callsheet.slice_states')
    .columns(COLUMNS)
    .expression(({ selectFrom }) =>
      selectFrom('entered')
        .distinctOn(['stream', 'slice'])
        .select(alone)
        // Always in this order, or two transactions could deadlock.
        .orderBy('stream')
        .orderBy('slice'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'stream', 'slice'])
        .doUpdateSet((eb) => ({ ...newest(eb), ...counts(eb), ...sinceComplete(eb) }))
        .where(({ eb, refTuple }) =>
          eb(
            refTuple('excluded.finished_at', 'excluded.run_id'),
            '>',
            refTuple('callsheet.slice_states.finished_at', 'callsheet.slice_states.run_id'),
          ),
        ),
    )
    .returning(['stream', 'slice'])
}

/** Rebuilds the states of these slices from all their ledger entries. */
export async function remakeStates(
  tx: Transaction,
  account: string,
  names: readonly SliceName[],
): Promise<void> {
  if (names.length === 0) return
  const { streams, slices } = columnsOf(names)
  const told = sql<LedgerTables['callsheet.slice_states']>`callsheet.slice_states_of(
    ${account}, ${streams}::text[], ${slices}::text[])`
  await tx
    .insertInto('callsheet.slice_states')
    .columns(COLUMNS)
    .expression(({ selectFrom }) => selectFrom(told.as('t')).select(COLUMNS))
    .onConflict((conflict) =>
      conflict.columns(['account', 'stream', 'slice']).doUpdateSet((eb) => ({
        ...Object.fromEntries(COLUMNS.map((name) => [name, eb.ref(`excluded.${name}`)])),
        failures: atLeast(eb, 'failures'),
        refusals: atLeast(eb, 'refusals'),
      })),
    )
    .execute()
}

/** A later complete read replaces the count. The same read never lowers it: older entries may be pruned. */
function atLeast(eb: Meeting, name: 'failures' | 'refusals') {
  const isSame = eb('excluded.complete_at', 'is not distinct from', eb.ref(`${OWN}.complete_at`))
  const [counted, known] = [eb.ref(`excluded.${name}`), eb.ref(`${OWN}.${name}`)]
  return sql<number>`case when ${isSame} then greatest(${counted}, ${known}) else ${counted} end`
}

/** Deletes the states of these slices, which then count as unread until their states are rebuilt. */
export async function forgetStates(
  tx: Transaction,
  account: string,
  names: readonly SliceName[],
): Promise<void> {
  const { streams, slices } = columnsOf(names)
  const own = sql<SliceName>`unnest(${streams}::text[], ${slices}::text[])`
  await tx
    .deleteFrom('callsheet.slice_states as s')
    .using(own.as<'n'>(sql`n(stream, slice)`))
    .where('s.account', '=', account)
    .whereRef('s.stream', '=', 'n.stream')
    .whereRef('s.slice', '=', 'n.slice')
    .execute()
}

function columnsOf(names: readonly SliceName[]): { streams: string[]; slices: string[] } {
  return { streams: names.map(({ stream }) => stream), slices: names.map(({ slice }) => slice) }
}

/** The state of a slice whose only entry is this one. */
function alone(eb: ExpressionBuilder<WithEntered, 'entered'>) {
  const { and, fn, not, ref } = eb
  const isComplete = eb('state', '=', 'complete')
  const noList = fn<boolean>('callsheet.no_list', ['state', 'error'])
  const isWhole = and([isComplete, eb('checked', '=', true)])
  const isListed = and([isComplete, not(noList)])
  const isCounted = and([isComplete, eb('pages', '>', 0)])
  const isAbsent = and([noList, eb('checked', '=', false)])
  const once = (state: SliceState) => eb.cast<number>(eb('state', '=', state), 'integer')
  return [
    ...(['account', 'stream', 'slice', ...NEWEST] as const),
    given(isComplete, ref('finished_at')).as('read_at'),
    given(isListed, ref('finished_at')).as('listed_at'),
    given(isWhole, ref('run_id')).as('complete_run_id'),
    given(isWhole, ref('finished_at')).as('complete_at'),
    given(isWhole, ref('requested_at')).as('complete_requested_at'),
    given(isWhole, ref('pages')).as('complete_pages'),
    given(isWhole, ref('received')).as('complete_received'),
    given(isWhole, ref('version')).as('complete_version'),
    given(isWhole, ref('final')).as('complete_final'),
    given(isComplete, ref('received')).as('counted'),
    sql<string | null>`null::timestamptz`.as('counted_after'),
    given(isCounted, ref('finished_at')).as('counted_since'),
    given(isCounted, ref('finished_at')).as('first_counted_at'),
    once('failed').as('failures'),
    once('not_allowed').as('refusals'),
    sql<number[]>`case when ${isAbsent} then array[run_id] else '{}' end`.as('absent_run_ids'),
    given(isAbsent, ref('finished_at')).as('absent_at'),
    given(isAbsent, ref('version')).as('absent_version'),
    given(eb('checked', '=', false), ref('run_id')).as('unchecked_run_id'),
    ref('pages').as('most_pages'),
  ] as const
}

/** The existing state, and as `excluded` the state from a newer attempt alone. */
type Meeting = ExpressionBuilder<
  OnConflictDatabase<WithEntered, 'callsheet.slice_states'>,
  OnConflictTables<'callsheet.slice_states'>
>

function newest({ fn, ref }: Meeting) {
  return {
    run_id: ref('excluded.run_id'),
    state: ref('excluded.state'),
    finished_at: ref('excluded.finished_at'),
    checked: ref('excluded.checked'),
    quarantined: ref('excluded.quarantined'),
    outside: ref('excluded.outside'),
    error: ref('excluded.error'),
    read_at: fn.coalesce('excluded.read_at', `${OWN}.read_at`),
    listed_at: fn.coalesce('excluded.listed_at', `${OWN}.listed_at`),
    unchecked_run_id: fn<number>('greatest', [
      'excluded.unchecked_run_id',
      `${OWN}.unchecked_run_id`,
    ]),
    most_pages: fn<number>('greatest', ['excluded.most_pages', `${OWN}.most_pages`]),
  }
}

/** Since when complete reads have returned the present number of records. */
function counts(eb: Meeting) {
  const { and, fn, or, ref } = eb
  const isRead = eb('excluded.counted', 'is not', null)
  const isOther = and([isRead, eb('excluded.counted', 'is distinct from', ref(`${OWN}.counted`))])
  const isAfter = (instant: Instant) =>
    or([eb(ref(instant), 'is', null), eb('excluded.counted_since', '>', ref(instant))])
  const since = (instant: Instant) => given(isAfter(instant), ref('excluded.counted_since'))
  return {
    counted: fn.coalesce('excluded.counted', `${OWN}.counted`),
    counted_after: either(isOther, ref(`${OWN}.read_at`), ref(`${OWN}.counted_after`)),
    counted_since: either(
      isOther,
      since(`${OWN}.read_at`),
      fn.coalesce(`${OWN}.counted_since`, since(`${OWN}.counted_after`)),
    ),
    first_counted_at: fn.coalesce(`${OWN}.first_counted_at`, 'excluded.first_counted_at'),
  }
}

type Instant = `${typeof OWN}.${'read_at' | 'counted_after'}`

/** The newest complete and checked read, and the failures, refusals and absences since. */
function sinceComplete(eb: Meeting) {
  const { or, ref } = eb
  const isWhole = eb('excluded.complete_at', 'is not', null)
  const isSince = or([
    eb(`${OWN}.complete_at`, 'is', null),
    eb('excluded.finished_at', '>', ref(`${OWN}.complete_at`)),
  ])
  const isAbsent = eb.and([isSince, eb('excluded.absent_at', 'is not', null)])
  const ofWhole = WHOLE.map((name) => [
    name,
    either(isWhole, ref(`excluded.${name}`), ref(`${OWN}.${name}`)),
  ])
  const sum = (name: 'failures' | 'refusals') =>
    sql<number>`case when ${isWhole} then 0 when ${isSince}
      then ${ref(`${OWN}.${name}`)} + ${ref(`excluded.${name}`)} else ${ref(`${OWN}.${name}`)} end`
  const absent = (name: 'absent_at' | 'absent_version') =>
    sql<string | null>`case when ${isWhole} then null when ${isAbsent}
      then ${ref(`excluded.${name}`)} else ${ref(`${OWN}.${name}`)} end`
  return {
    ...(Object.fromEntries(ofWhole) as object),
    failures: sum('failures'),
    refusals: sum('refusals'),
    absent_run_ids: sql<number[]>`case when ${isWhole} then '{}' when ${isAbsent}
      then ${ref(`${OWN}.absent_run_ids`)} || ${ref('excluded.absent_run_ids')}
      else ${ref(`${OWN}.absent_run_ids`)} end`,
    absent_at: absent('absent_at'),
    absent_version: absent('absent_version'),
  }
}

function given<T>(is: Expression<SqlBool>, value: Expression<T>) {
  return expressionBuilder<Database>().case().when(is).then(value).end()
}

function either<T>(is: Expression<SqlBool>, value: Expression<T>, other: Expression<T>) {
  return expressionBuilder<Database>().case().when(is).then(value).else(other).end()
}

const OWN = 'callsheet.slice_states'

const NEWEST = [
  ...(['run_id', 'state', 'finished_at', 'checked', 'quarantined', 'outside', 'error'] as const),
]

const WHOLE = [
  ...(['complete_run_id', 'complete_at', 'complete_requested_at', 'complete_pages'] as const),
  ...(['complete_received', 'complete_version', 'complete_final'] as const),
]

const COLUMNS = [
  ...(['account', 'stream', 'slice'] as const),
  ...NEWEST,
  ...(['read_at', 'listed_at'] as const),
  ...WHOLE,
  ...(['counted', 'counted_after', 'counted_since', 'first_counted_at'] as const),
  ...(['failures', 'refusals', 'absent_run_ids', 'absent_at', 'absent_version'] as const),
  ...(['unchecked_run_id', 'most_pages'] as const),
] satisfies (keyof LedgerTables['callsheet.slice_states'])[]
