import { type RawBuilder, sql } from 'kysely'
import type { LedgerTables } from '../../core/tables/ledger-tables.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'
import type { RecordKeys } from './audited-records.ts'

type SliceColumn = keyof LedgerTables['callsheet.slices']

/**
 * A slice's row as one line of JSON, with its columns in a fixed order. Omits `account` and `batch`, which
 * the statement names.
 */
export function sliceLine(alias: string): RawBuilder<string> {
  const columns = sql.join(STATED_COLUMNS.map((name) => sql.id(alias, name)))
  return sql<string>`(select row_to_json(l)::text from (select ${columns}) l)`
}

/** The leaf hash (RFC 6962) of a slice's line. */
export function sliceLeaf(alias: string): RawBuilder<Buffer> {
  return sql<Buffer>`sha256('\\x00'::bytea || convert_to(${sliceLine(alias)}, 'UTF8'))`
}

/** The slices that one statement covers. */
export interface SliceBatch {
  subject: string
  rows: number
  /** The leaf hashes of the slices' lines, concatenated in the order of the slices. */
  leaves: Buffer
}

export interface BatchesWanted {
  account: string
  /** If given, only batches of these streams. */
  streams?: readonly string[] | undefined
  /** If given, only batches with these subjects. */
  subjects?: readonly string[] | undefined
  /** If given, only complete batches of runs that recorded slices at this instant or later. */
  from?: string | undefined
}

/** The batches of an account's slices, by subject. */
export function sliceBatches(tx: Transaction, wanted: BatchesWanted): AsyncGenerator<SliceBatch> {
  return cursorRows(tx, 'batches of slices', batches(tx, wanted))
}

function batches(tx: Transaction, { account, streams, subjects, from }: BatchesWanted) {
  return tx
    .selectFrom('callsheet.slices as s')
    .select(({ fn }) => [
      subjectOfBatch('s').as('subject'),
      fn.countAll<number>().as('rows'),
      sql<Buffer>`string_agg(${sliceLeaf('s')}, ''::bytea order by ${IN_ORDER})`.as('leaves'),
    ])
    .where('s.account', '=', account)
    .$if(streams !== undefined, (some) => some.where('s.stream', '=', anyOf(streams ?? [])))
    .$if(from !== undefined, (some) => {
      const later = runsSince(tx, account, { streams, from: from ?? '' })
      return some.where('s.run_id', 'in', later.select('r.id')).where(
        's.finished_at',
        '>=',
        later.select(({ fn }) => fn.min('r.started_at').as('begin')),
      )
    })
    .$if(subjects !== undefined, (some) =>
      some.where(subjectOfBatch('s'), '=', anyOf(subjects ?? [])),
    )
    .groupBy(['s.stream', 's.run_id', 's.batch'])
    .orderBy(sql`${subjectOfBatch('s')} collate "C"`)
}

/**
 * The runs that recorded slices at an instant or later. The slices of a batch are recorded one after another,
 * and the instant may lie between two of them, so complete batches need all slices of these runs.
 */
function runsSince(
  tx: Transaction,
  account: string,
  { streams, from }: { streams: readonly string[] | undefined; from: string },
) {
  return tx
    .selectFrom('callsheet.slices as later')
    .innerJoin('callsheet.runs as r', (join) =>
      join.onRef('r.account', '=', 'later.account').onRef('r.id', '=', 'later.run_id'),
    )
    .where('later.account', '=', account)
    .$if(streams !== undefined, (some) => some.where('later.stream', '=', anyOf(streams ?? [])))
    .where('later.finished_at', '>=', from)
}

interface LinesWanted {
  account: string
  /** The stream whose slices are windows of time. */
  windows: string
  /** A window is wanted if it overlaps this period. */
  period: { from: string; to: string }
  /** The stream whose slices are lists, one for each session. */
  lists: string
  /** The slice of a session's list is named by this prefix and the session's ID. */
  prefix: string
  /** The IDs of the sessions in scope. */
  sessions: RecordKeys
}

/** The lines of all slices in each batch that has at least one wanted slice, ordered by subject. */
export function batchLines(
  tx: Transaction,
  { account, windows, period, lists, prefix, sessions }: LinesWanted,
): AsyncGenerator<{ subject: string; lines: string[] }> {
  const wanted = sql<boolean>`(
    (s.stream = ${windows} and s.owned_from < ${period.to} and s.owned_to > ${period.from})
    or (s.stream = ${lists} and s.slice in (
      select ${prefix} || k.id from (${sessions}) k)))`
  const query = tx
    .selectFrom('callsheet.slices as s')
    .select([
      subjectOfBatch('s').as('subject'),
      sql<string[]>`array_agg(${sliceLine('s')} order by ${IN_ORDER})`.as('lines'),
    ])
    .where('s.account', '=', account)
    .where('s.stream', '=', anyOf([windows, lists]))
    .groupBy(['s.stream', 's.run_id', 's.batch'])
    .having(sql<boolean>`bool_or(${wanted})`)
    .orderBy(sql`${subjectOfBatch('s')} collate "C"`)
  return cursorRows(tx, 'lines of slices', query)
}

/** The number of slices recorded before an instant, by account and batch. */
export async function countBatches(
  tx: Transaction,
  before: string,
): Promise<{ account: string; subject: string; rows: number }[]> {
  return await tx
    .selectFrom('callsheet.slices as s')
    .select(({ fn }) => [
      's.account',
      subjectOfBatch('s').as('subject'),
      fn.countAll<number>().as('rows'),
    ])
    .where('s.finished_at', '<', before)
    .groupBy(['s.account', 's.stream', 's.run_id', 's.batch'])
    .execute()
}

/** The subject of a batch in statements. A run's slices without a batch share one subject per stream. */
export function subjectOfBatch(alias: string): RawBuilder<string> {
  const [stream, run, batch] = ['stream', 'run_id', 'batch'].map((name) => sql.id(alias, name))
  return sql<string>`concat('ledger/slices/', ${stream}, '/', ${run}, '/' || ${batch})`
}

/** The order of slices in a batch. A run that records no statements may record a slice twice. */
const IN_ORDER = sql`s.slice collate "C", s.finished_at`

const STATED_COLUMNS: readonly SliceColumn[] = [
  ...(['stream', 'slice', 'run_id', 'state', 'owned_from', 'owned_to', 'requested_at'] as const),
  ...(['finished_at', 'pages', 'received', 'inserted', 'updated', 'unchanged', 'ignored'] as const),
  ...(['quarantined', 'deleted', 'outside', 'service_total', 'version'] as const),
  ...(['possibly_truncated', 'final', 'checked', 'error'] as const),
]
