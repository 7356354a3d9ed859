import { sql } from 'kysely'
import type { SliceHistory } from '../../src/sync/ledger/slice-histories.ts'
import type { Transaction, Warehouse } from '../../src/warehouse/connect.ts'

interface ChainScope {
  account: string
  stream: string
  chainRunId: number
}

/** Computes the history of each slice of a stream from the whole ledger, without its states. */
export async function ledgerHistories(
  warehouse: Warehouse,
  scope: ChainScope,
): Promise<Map<string, SliceHistory>> {
  const rows = await readHistories(warehouse, scope)
  return new Map(rows.map((row) => [row.slice, historyOf(row)]))
}

async function readHistories(warehouse: Warehouse, scope: ChainScope) {
  return await readings(warehouse, scope)
    .selectFrom('own as s')
    .leftJoin('latest as l', 'l.slice', 's.slice')
    .leftJoin('otherwise as o', 'o.slice', 's.slice')
    .select(['s.slice', 'l.requested_at', 'l.finished_at', 'l.run_id', 'l.version'])
    .select(({ and, eb, fn, lit, not, or, ref, selectFrom, val }) => {
      const held = selectFrom('held').select('run_id')
      const since = or([
        eb('l.finished_at', 'is', null),
        eb('s.finished_at', '>', ref('l.finished_at')),
      ])
      const noList = fn<boolean>('callsheet.no_list', ['s.state', 's.error'])
      const absent = and([noList, eb('s.checked', '=', false), since])
      const unread = and([
        eb('s.checked', '=', false),
        eb('s.run_id', '>', fn.coalesce('l.run_id', lit(0))),
      ])
      const anyHeld = fn.agg<boolean | null>('bool_or', [eb('s.run_id', 'in', held)])
      const count = fn.countAll<number>()
      return [
        fn
          .min<string | null>('s.finished_at')
          .filterWhere('s.state', '=', 'complete')
          .filterWhere('s.pages', '>', 0)
          .filterWhere('s.finished_at', '>', fn.coalesce('o.until', val('-infinity')))
          .as('count_since'),
        fn.coalesce('l.pages', fn.max('s.pages')).as('pages'),
        fn.coalesce('l.received', lit(0)).as('received'),
        fn.coalesce('l.final', lit(false)).as('final'),
        count.filterWhere('s.state', '=', 'failed').filterWhere(since).as('failures'),
        count.filterWhere('s.state', '=', 'not_allowed').filterWhere(since).as('refusals'),
        fn.agg<boolean>('bool_or', [unread]).as('unchecked'),
        count.filterWhere(absent).as('absences'),
        fn.max<string | null>('s.finished_at').filterWhere(absent).as('absent_at'),
        sql<string | null>`(array_agg(s.version order by s.finished_at desc, s.run_id desc)
          filter (where ${absent}))[1]`.as('absent_version'),
        fn
          .agg<boolean>('bool_or', [and([eb('s.state', '=', 'complete'), not(noList)])])
          .as('listed'),
        and([
          sql<boolean>`(array_agg(${noList} and s.checked order by s.finished_at desc, s.run_id desc))[1]`,
          fn.agg<boolean>('bool_or', [and([eb('s.state', '=', 'complete'), not(noList)])]),
        ]).as('taken'),
        or([
          fn.coalesce(eb('l.run_id', 'in', held), lit(false)),
          fn.coalesce(anyHeld.filterWhere(absent), lit(false)),
        ]).as('held_back'),
      ]
    })
    .groupBy(['s.slice', 'l.run_id', 'l.requested_at', 'l.finished_at'])
    .groupBy(['l.pages', 'l.received', 'l.version', 'l.final'])
    .execute()
}

/** The stream's slices; for each, its latest complete read, and until when its count was different. */
function readings({ db }: Warehouse, { account, stream, chainRunId }: ChainScope) {
  return db
    .with('own', (from) =>
      from
        .selectFrom('callsheet.slices')
        .selectAll()
        .where('account', '=', account)
        .where('stream', '=', stream),
    )
    .with('latest', (from) =>
      from
        .selectFrom('own')
        .distinctOn('slice')
        .select(['slice', 'run_id', 'requested_at', 'finished_at'])
        .select(['pages', 'received', 'version', 'final'])
        .where('state', '=', 'complete')
        .where('checked', '=', true)
        .orderBy('slice')
        .orderBy('finished_at', 'desc')
        .orderBy('run_id', 'desc'),
    )
    .with('otherwise', (from) =>
      from
        .selectFrom('own as o')
        .innerJoin('latest as l', 'l.slice', 'o.slice')
        .select(({ fn }) => ['o.slice', fn.max('o.finished_at').as('until')])
        .where('o.state', '=', 'complete')
        .whereRef('o.received', '<>', 'l.received')
        .groupBy('o.slice'),
    )
    .with('held', (from) =>
      from
        .selectFrom('callsheet.deletion_guards')
        .select('run_id')
        .where('account', '=', account)
        .where('stream', '=', stream)
        .where(({ eb, or }) =>
          or([eb('used_by_run_id', 'is', null), eb('used_by_run_id', '>=', chainRunId)]),
        ),
    )
}

function historyOf(row: Awaited<ReturnType<typeof readHistories>>[number]): SliceHistory {
  const { pages, received, final, failures, refusals, unchecked, absences, listed, taken } = row
  return {
    completeAtMs: epochOf(row.finished_at),
    completeRunId: row.run_id ?? undefined,
    requestedAtMs: epochOf(row.requested_at),
    countSinceMs: epochOf(row.count_since),
    pages,
    received,
    version: row.version ?? undefined,
    final,
    failures,
    refusals,
    unchecked,
    absences,
    absentAtMs: epochOf(row.absent_at),
    absentVersion: row.absent_version ?? undefined,
    listed,
    taken: taken === true,
    heldBack: row.held_back === true,
  }
}

function epochOf(at: string | null): number | undefined {
  return at === null ? undefined : Date.parse(at)
}

/** Computes the newest attempt at each slice of an account from the whole ledger. */
export async function ledgerAttempts({ db }: Warehouse, account: string) {
  return await db
    .with('attempts', () => attemptsOf(db, account))
    .selectFrom('attempts')
    .select(['stream', 'slice', 'state', 'run_id', 'error', 'quarantined', 'outside', 'checked'])
    .select('read_at')
    .where('back', '=', 1)
    .orderBy('stream', (order) => order.collate('C'))
    .orderBy('slice', (order) => order.collate('C'))
    .execute()
}

function attemptsOf(db: Transaction, account: string) {
  return db
    .selectFrom('callsheet.slices')
    .select(['stream', 'slice', 'state', 'run_id', 'error', 'quarantined', 'outside', 'checked'])
    .select(({ fn }) => [
      fn
        .agg<number>('row_number')
        .over((slice) =>
          slice
            .partitionBy(['stream', 'slice'])
            .orderBy('finished_at', 'desc')
            .orderBy('run_id', 'desc'),
        )
        .as('back'),
      fn
        .max<string | null>('finished_at')
        .filterWhere('state', '=', 'complete')
        .over((slice) => slice.partitionBy(['stream', 'slice']))
        .as('read_at'),
    ])
    .where('account', '=', account)
}

/** Reads the newest attempts from the slice states. */
export async function toldAttempts({ db }: Warehouse, account: string) {
  return await db
    .selectFrom('callsheet.slice_states')
    .select(['stream', 'slice', 'state', 'run_id', 'error', 'quarantined', 'outside', 'checked'])
    .select('read_at')
    .where('account', '=', account)
    .orderBy('stream')
    .orderBy('slice')
    .execute()
}
