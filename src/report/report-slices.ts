import { sql } from 'kysely'
import type { LedgerTables } from '../core/tables/ledger-tables.ts'
import type { Window } from '../core/time/spans.ts'
import { uncovered } from '../core/time/uncovered.ts'
import type { Transaction } from '../warehouse/connect.ts'
import type { SourceRun } from './source-runs.ts'

export interface Slice {
  name: string
  state: string
  owned: Window | undefined
  finishedAtMs: number
  runId: number
  quarantined: number
  error: string | undefined
}

interface Asked {
  account: string
  stream: string
  run: SourceRun
}

/** Returns the last attempt of each slice as of a run, without windows that later complete ones cover. */
export async function slicesAsOf(tx: Transaction, asked: Asked): Promise<Slice[]> {
  return standing(await lastWord(tx, asked))
}

/**
 * Returns the last attempt of each slice. An unchecked response that the list does not exist does not replace
 * an earlier attempt.
 */
async function lastWord(tx: Transaction, { account, stream, run }: Asked): Promise<Slice[]> {
  const absent = sql<boolean>`callsheet.no_list(state, error) and not checked`
  const rows = await tx
    .selectFrom('callsheet.slices')
    .crossJoinLateral(tx.selectNoFrom(absent.as('absent')).as('a'))
    .distinctOn('slice')
    .select(['slice', 'state', 'absent', 'owned_from', 'owned_to', 'requested_at', 'finished_at'])
    .select(['run_id', 'quarantined', 'error'])
    .where('account', '=', account)
    .where('stream', '=', stream)
    .where('run_id', '<=', run.id)
    .orderBy('slice')
    .orderBy('absent')
    .orderBy('run_id', 'desc')
    .orderBy('finished_at', 'desc')
    .execute()
  return rows.map((row) => ({
    name: row.slice,
    state: row.absent ? 'absent' : row.state,
    finishedAtMs: Date.parse(row.finished_at),
    owned: owned(row),
    runId: row.run_id,
    quarantined: row.quarantined,
    error: row.error ?? undefined,
  }))
}

type SliceRow = Pick<LedgerTables['callsheet.slices'], 'owned_from' | 'owned_to' | 'requested_at'>

/** Returns the slice's window, if it has one, cut at the time of its request: it cannot cover later time. */
function owned({ owned_from, owned_to, requested_at }: SliceRow): Window | undefined {
  if (owned_from === null || owned_to === null) return undefined
  const toMs = Math.min(Date.parse(owned_to), Date.parse(requested_at))
  return { fromMs: Date.parse(owned_from), toMs }
}

function standing(slices: readonly Slice[]): Slice[] {
  return slices.filter(({ owned: window, finishedAtMs }) => {
    if (window === undefined) return true
    const since = slices.filter(
      (slice) => slice.state === 'complete' && slice.finishedAtMs > finishedAtMs,
    )
    return (
      uncovered(
        window,
        since.flatMap((slice) => slice.owned ?? []),
      ).length > 0
    )
  })
}
