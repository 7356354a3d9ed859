import { type QueryCreator, sql } from 'kysely'
import { cleanText } from '../../core/records/map-record.ts'
import type { Window } from '../../core/time/spans.ts'
import { sliceLeaf } from '../../evidence/sql/slice-lines.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import type { Database } from '../../warehouse/schema/types.ts'
import { remakeStates, takeEntered } from './slice-states.ts'

/** One slice's entry in `callsheet.slices`. */
export interface SliceEntry {
  stream: string
  slice: string
  state: 'complete' | 'failed' | 'not_allowed'
  owned: Window | undefined
  requestedAtMs: number
  pages: number
  received: number
  inserted: number
  updated: number
  unchanged: number
  ignored: number
  quarantined: number
  deleted: number
  /** Records outside the requested range, or outside the part that the account keeps. */
  outside: number
  serviceTotal: number | undefined
  /** A digest of the parent's version fields. */
  version: string | undefined
  /** Whether the list has the maximum number of records that the service shows. */
  possiblyTruncated: boolean
  /** The list need not be read again: its count repeated after a day, or it was denied or deleted. */
  final: boolean
  /** Whether rows that the slice did not show were checked for deletion. */
  checked: boolean
  error: string | undefined
}

interface RecordedBatch {
  account: string
  runId: number
  /** The number of the batch that the evidence states; undefined without evidence. */
  batch?: number | undefined
}

/** A slice that was recorded, with the hash of its line. */
export interface RecordedSlice {
  slice: string
  leaf: Buffer
}

/**
 * Records slices in one statement, because a fan-out has a slice for each of its parents. The same statement
 * updates the states of these slices. Returns those that were not recorded before.
 */
export async function recordSlices(
  tx: Transaction,
  run: RecordedBatch,
  entries: readonly SliceEntry[],
): Promise<RecordedSlice[]> {
  if (entries.length === 0) return []
  const recorded = await tx
    .with('entered', (db) => enterSlices(db, run, entries))
    .with('taken', takeEntered)
    .selectFrom('entered as e')
    .select(['e.stream', 'e.slice', sliceLeaf('e').as('leaf')])
    .select(({ exists, selectFrom }) => {
      const taken = selectFrom('taken as t')
        .select('t.slice')
        .whereRef('t.stream', '=', 'e.stream')
        .whereRef('t.slice', '=', 'e.slice')
      return exists(taken).as('taken')
    })
    .execute()
  // Slices that already have a newer entry: a clock was set back, or another run came first.
  const late = recorded.filter(({ taken }) => !taken)
  await remakeStates(tx, run.account, late)
  return recorded
}

function enterSlices(
  db: QueryCreator<Database>,
  { account, runId, batch }: RecordedBatch,
  entries: readonly SliceEntry[],
) {
  const given = sql<SliceColumns>`jsonb_populate_recordset(null::callsheet.slices,
    ${JSON.stringify(entries.map(asColumns))}::jsonb)`
  return db
    .insertInto('callsheet.slices')
    .columns(['account', 'run_id', 'batch', 'finished_at', ...GIVEN])
    .expression(({ selectFrom }) =>
      selectFrom(given.as('e'))
        .select(({ val }) => [
          val(account).as('account'),
          val(runId).as('run_id'),
          val(batch ?? null).as('batch'),
          now.as('finished_at'),
          ...GIVEN,
        ])
        // A retry after a lost commit response must not record a slice twice.
        .where(({ exists, not, selectFrom: from }) => {
          const entered = from('callsheet.slices as s')
            .select('s.slice')
            .where('s.account', '=', account)
            .whereRef('s.stream', '=', 'e.stream')
            .whereRef('s.slice', '=', 'e.slice')
            .where('s.run_id', '=', runId)
          return not(exists(entered))
        }),
    )
    .returningAll()
}

type SliceColumns = ReturnType<typeof asColumns>

const GIVEN = [
  ...(['stream', 'slice', 'state', 'owned_from', 'owned_to', 'requested_at'] as const),
  ...(['pages', 'received', 'inserted', 'updated', 'unchanged', 'ignored'] as const),
  ...(['quarantined', 'deleted', 'outside', 'service_total', 'version'] as const),
  ...(['possibly_truncated', 'final', 'checked', 'error'] as const),
]

function asColumns({ owned, requestedAtMs, serviceTotal, error, slice, ...entry }: SliceEntry) {
  const { version, possiblyTruncated, ...same } = entry
  return {
    ...same,
    version: version ?? null,
    possibly_truncated: possiblyTruncated,
    slice: cleanText(slice),
    owned_from: iso(owned?.fromMs),
    owned_to: iso(owned?.toMs),
    requested_at: iso(requestedAtMs),
    service_total: serviceTotal ?? null,
    error: error === undefined ? null : cleanText(error),
  }
}

function iso(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : new Date(epochMs).toISOString()
}
