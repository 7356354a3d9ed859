import type { Stream } from '../../core/declare/stream.ts'
import { point } from '../../core/kill-point.ts'
import { joinKey } from '../../core/records/record-key.ts'
import {
  type Batch,
  noCounts,
  type PreparedRow,
  type RowCounts,
} from '../../core/records/row-batch.ts'
import type { Client, Transaction } from '../connection/connect.ts'
import { keyTexts, presentRows, sameKey, typedKeys } from '../connection/table-sql.ts'
import { recordFindings } from '../ledgers/quarantine.ts'
import { copyRows } from './copy-rows.ts'
import { markChildrenDeleted } from './mark-deleted.ts'
import { mergeRows } from './merge-rows.ts'

export interface LoadTarget {
  account: string
  runId: number
  stream: Stream
  slice: string
  /** Fresh rows that the table holds all the same, outside of what the group owns, are left alone. */
  keepKnown?: boolean
}

/**
 * Sends one batch inside the caller's transaction: fresh rows by COPY, or by merging when one of them turns
 * out to be held (a row that was gone, or moved here from another window); known rows by merging. Answers
 * counts per stream.
 */
export async function loadBatch(
  { tx, client }: { tx: Transaction; client: Client },
  target: LoadTarget,
  batch: Batch,
): Promise<Map<string, RowCounts>> {
  const counts = new Map<string, RowCounts>()
  const fresh =
    target.keepKnown === true
      ? await absentRows(tx, target, distinct(batch.fresh))
      : distinct(batch.fresh)
  if (fresh.length > 0 && !(await tryCopy(client, target, { rows: fresh, counts })))
    await mergeWithChildren(tx, target, { rows: fresh, counts })
  await mergeWithChildren(tx, target, { rows: distinct(batch.known), counts })
  await point('findings:before')
  await recordFindings(tx, target, batch)
  await point('findings:after')
  return counts
}

async function absentRows(
  tx: Transaction,
  target: LoadTarget,
  rows: readonly PreparedRow[],
): Promise<PreparedRow[]> {
  if (rows.length === 0) return []
  const keys = rows.map((row) => row.key)
  const held = await tx
    .selectFrom(presentRows(target).as('t'))
    .innerJoin(typedKeys(target.stream, keys).as('k'), (join) =>
      join.on(sameKey(target.stream, 't', 'k')),
    )
    .select(keyTexts(target.stream, 't').as('key'))
    .execute()
  const present = new Set(held.map(({ key }) => joinKey(key)))
  return rows.filter((row) => !present.has(joinKey(row.key)))
}

interface Work {
  rows: readonly PreparedRow[]
  counts: Map<string, RowCounts>
}

/**
 * COPY of the rows and their children under a savepoint. False when a key is held: nothing is left behind
 * then.
 */
async function tryCopy(
  client: Client,
  target: LoadTarget,
  { rows, counts }: Work,
): Promise<boolean> {
  const sets = [{ stream: target.stream, rows }, ...childrenOf(rows)]
  const at = await beginCopy(client)
  try {
    await point('copy:before')
    for (const set of sets) await copyRows(client, { ...target, stream: set.stream, at }, set.rows)
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error
    await client.query('rollback to savepoint before_copy')
    return false
  }
  await point('copy:after')
  for (const set of sets) countIn(counts, set.stream, { ...noCounts(), inserted: set.rows.length })
  return true
}

/** The way back, which the commit closes, and the database's time: one message, since each batch sends it. */
async function beginCopy(client: Client): Promise<string> {
  const results: unknown = await client.query(
    'savepoint before_copy; select callsheet.clock()::text as at',
  )
  const [, now] = results as { rows: { at: string }[] }[]
  return now?.rows[0]?.at ?? ''
}

async function mergeWithChildren(
  tx: Transaction,
  target: LoadTarget,
  { rows, counts }: Work,
): Promise<void> {
  if (rows.length === 0) return
  await point('merge:before')
  countIn(counts, target.stream, await mergeRows(tx, target, rows))
  for (const set of childrenOf(rows)) {
    const child = { ...target, stream: set.stream }
    countIn(counts, set.stream, await mergeRows(tx, child, set.rows))
    const deleted = await markChildrenDeleted(tx, child, { parents: set.parents, kept: set.rows })
    countIn(counts, set.stream, { ...noCounts(), deleted })
  }
  await point('merge:after')
}

interface Children {
  stream: Stream
  rows: PreparedRow[]
  /** Those whose children these are, all of them. */
  parents: string[]
}

/** The rows cut from all of `rows`, one set per stream, empty ones included: they may leave others behind. */
function childrenOf(rows: readonly PreparedRow[]): Children[] {
  const streams = rows[0]?.children.map((child) => child.stream) ?? []
  return streams.map((stream, at) => ({
    stream,
    rows: rows.flatMap((row) => row.children[at]?.rows ?? []),
    parents: rows
      .filter((row) => row.children[at]?.whole === true)
      .map((row) => row.key[0] as string),
  }))
}

/** The last one wins: a key may come twice in a batch, and a statement may not touch a row twice. */
function distinct(rows: readonly PreparedRow[]): PreparedRow[] {
  const byKey = new Map(rows.map((row) => [joinKey(row.key), row]))
  return byKey.size === rows.length ? [...rows] : [...byKey.values()]
}

export function countIn(counts: Map<string, RowCounts>, stream: Stream, more: RowCounts): void {
  const sum = counts.get(stream.name) ?? noCounts()
  for (const name of ['inserted', 'updated', 'unchanged', 'deleted'] as const)
    sum[name] += more[name]
  counts.set(stream.name, sum)
}

const UNIQUE_VIOLATION = '23505'
