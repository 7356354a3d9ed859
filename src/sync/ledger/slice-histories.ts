import { expressionBuilder, sql } from 'kysely'
import type { Warehouse } from '../../warehouse/connect.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'
import type { Database } from '../../warehouse/schema/types.ts'

/** The state of a slice in the ledger: its last complete and checked read, and what happened since. */
export interface SliceHistory {
  completeAtMs: number | undefined
  completeRunId: number | undefined
  /** When the first page of the complete read was requested: later changes may be missing. */
  requestedAtMs: number | undefined
  /** Since when each read has returned the present number of records. */
  countSinceMs: number | undefined
  pages: number
  received: number
  version: string | undefined
  final: boolean
  /** Failures since the complete read. */
  failures: number
  /** How often access was refused since the complete read. */
  refusals: number
  /** True if the slice was requested after the complete read without a check for deleted rows. */
  unchecked: boolean
  /** How often the service reported the list absent since the complete read. */
  absences: number
  /** When the service last reported the list absent. */
  absentAtMs: number | undefined
  /** The parent's version when the list was last reported absent. */
  absentVersion: string | undefined
  /** True if the slice was read at least once, whatever the responses since. */
  listed: boolean
  /** True if the slice was read before, and the newest response denies access. */
  taken: boolean
  /** A run that tripped the stream's guard read the slice, and no earlier chain used its approval. */
  heldBack: boolean
}

export interface ChainScope {
  account: string
  stream: string
  chainRunId: number
}

/** The states of a stream's slices, or of the given ones, for a run of the chain. */
export async function sliceHistories(
  { db }: Warehouse,
  scope: ChainScope,
  slices?: readonly string[],
): Promise<Map<string, SliceHistory>> {
  const rows = await db
    .selectFrom(historiesOf(scope).as('h'))
    .selectAll()
    .$if(slices !== undefined, (all) => all.where('h.slice', '=', anyOf(slices ?? [])))
    .execute()
  return new Map(rows.map((row) => [row.slice, historyOf(row)]))
}

/** The histories as a query, so that other queries can join it. */
export function historiesOf({ account, stream, chainRunId }: ChainScope) {
  const eb = expressionBuilder<Database>()
  const held = eb
    .selectFrom('callsheet.deletion_guards')
    .select('run_id')
    .where('account', '=', account)
    .where('stream', '=', stream)
    .where(({ or, eb: is }) =>
      or([is('used_by_run_id', 'is', null), is('used_by_run_id', '>=', chainRunId)]),
    )
  return eb
    .selectFrom('callsheet.slice_states as s')
    .select(['s.slice', 's.failures', 's.refusals', 's.absent_at', 's.absent_version'])
    .select(['s.complete_run_id as run_id', 's.complete_at as finished_at'])
    .select(['s.complete_requested_at as requested_at', 's.complete_version as version'])
    .select(({ and, case: when, eb: is, fn, lit, or, ref }) => {
      const heldAbsence = sql<boolean>`s.absent_run_ids && array(${held})`
      const isLater = is('s.unchecked_run_id', '>', fn.coalesce('s.complete_run_id', lit(0)))
      return [
        // For a slice that was never complete and checked, the time of its first count is used.
        when()
          .when('s.complete_at', 'is', null)
          .then(ref('s.first_counted_at'))
          .when('s.counted', '=', ref('s.complete_received'))
          .then(ref('s.counted_since'))
          .end()
          .as('count_since'),
        fn.coalesce('s.complete_pages', 's.most_pages').as('pages'),
        fn.coalesce('s.complete_received', lit(0)).as('received'),
        fn.coalesce('s.complete_final', lit(false)).as('final'),
        fn.coalesce(isLater, lit(false)).as('unchecked'),
        fn<number>('cardinality', ['s.absent_run_ids']).as('absences'),
        is('s.listed_at', 'is not', null).as('listed'),
        and([
          fn<boolean>('callsheet.no_list', ['s.state', 's.error']),
          is('s.checked', '=', true),
          is('s.listed_at', 'is not', null),
        ]).as('taken'),
        fn
          .coalesce(or([is('s.complete_run_id', 'in', held), heldAbsence]), lit(false))
          .as('held_back'),
      ]
    })
    .where('s.account', '=', account)
    .where('s.stream', '=', stream)
}

type HistoryRow = Awaited<ReturnType<ReturnType<typeof historiesOf>['execute']>>[number]

function historyOf(row: HistoryRow): SliceHistory {
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
    unchecked: unchecked === true,
    absences,
    absentAtMs: epochOf(row.absent_at),
    absentVersion: row.absent_version ?? undefined,
    listed: listed === true,
    taken: taken === true,
    heldBack: row.held_back === true,
  }
}

function epochOf(at: string | null): number | undefined {
  return at === null ? undefined : Date.parse(at)
}
