import { sql } from 'kysely'
import type { Warehouse } from '../connection/connect.ts'

/** What the ledger knows of a slice. "Then" means its last complete and checked read. */
export interface SliceHistory {
  completeAtMs: number | undefined
  completeRunId: number | undefined
  /** When its first page was requested then: later changes may be missing in it. */
  requestedAtMs: number | undefined
  /** When its present count was first read, with no other count since. */
  countSinceMs: number | undefined
  pages: number
  received: number
  version: string | undefined
  final: boolean
  /** Failures since then. */
  failures: number
  /** How often access was not allowed since then. */
  refusals: number
  /** Read since then, but in a group that was not complete. */
  unchecked: boolean
  /** How often since then, last when and for which version the service denied that the list exists. */
  absences: number
  absentAtMs: number | undefined
  absentVersion: string | undefined
  /** Read by a run that tripped the stream's deletion guard, without an approval yet. */
  heldBack: boolean
}

interface ChainScope {
  account: string
  stream: string
  chainRunId: number
}

/** The history of each slice of a stream, for the runs of a chain. */
export async function sliceHistories(
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
    .select(({ and, eb, fn, lit, or, ref, selectFrom, val }) => {
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
        sql<string | null>`(array_agg(s.version order by s.finished_at desc)
          filter (where ${absent}))[1]`.as('absent_version'),
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

/** Tables of the stream's slices, their latest complete reads, until when counts differed, and held runs. */
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
  const { pages, received, final, failures, refusals, unchecked, absences } = row
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
    heldBack: row.held_back === true,
  }
}

function epochOf(at: string | null): number | undefined {
  return at === null ? undefined : Date.parse(at)
}
