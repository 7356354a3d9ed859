import type { Stream } from '../../core/define/stream.ts'
import { point } from '../../core/kill-point.ts'
import { joinKey } from '../../core/records/record-key.ts'
import {
  addCounts,
  type Batch,
  type DoubtedList,
  type LeftRows,
  noCounts,
  type PreparedRow,
  type RowCounts,
} from '../../core/records/row-batch.ts'
import type { DatabaseClient, Transaction } from '../connect.ts'
import { recordFindings } from '../ledger/quarantine.ts'
import { keyTexts, presentRows, sameKey, typedKeys } from '../schema/table-sql.ts'
import { copyRows } from './copy-rows.ts'
import { mergeable } from './left-rows.ts'
import { markChildrenDeleted } from './mark-deleted.ts'
import { mergeRows } from './merge-rows.ts'
import { judgeLists, judgeNewLists } from './nested-lists.ts'

export interface LoadTarget {
  account: string
  runId: number
  stream: Stream
  slice: string
  /** Fresh rows that are already in the table, but outside the group's own rows, stay unchanged. */
  keepKnown?: boolean
}

export interface LoadedBatch {
  counts: Map<string, RowCounts>
  doubts: DoubtedList[]
  left: LeftRows
}

export const newLoaded = (): LoadedBatch => ({
  counts: new Map(),
  doubts: [],
  left: { unreadable: [], elsewhere: [] },
})

/**
 * Loads one batch in the caller's transaction. Fresh rows are copied, or merged if one of them exists: it was
 * deleted before, or moved here from another window. Known rows are merged. Returns counts by stream, the
 * nested lists that prove no deletion, and the rows that stay unchanged.
 */
export async function loadBatch(
  { tx, client }: { tx: Transaction; client: DatabaseClient },
  target: LoadTarget,
  batch: Batch,
): Promise<LoadedBatch> {
  const loaded = newLoaded()
  const fresh =
    target.keepKnown === true
      ? await absentRows(tx, target, distinct(batch.fresh))
      : distinct(batch.fresh)
  if (fresh.length > 0 && !(await tryCopy(client, target, { rows: fresh, loaded })))
    await mergeWithChildren(tx, target, { rows: fresh, loaded })
  for (const rows of inTurns(target.stream, batch.known))
    await mergeWithChildren(tx, target, { rows, loaded })
  await point('findings:before')
  await recordFindings(tx, target, batch)
  await point('findings:after')
  return loaded
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
  loaded: LoadedBatch
}

/**
 * Copies the rows and their children under a savepoint. If a key already exists, rolls back and returns
 * false.
 */
async function tryCopy(
  client: DatabaseClient,
  target: LoadTarget,
  { rows: given, loaded: { counts, doubts } }: Work,
): Promise<boolean> {
  const { rows, doubts: found } = judgeNewLists(given, target.stream)
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
  for (const set of sets)
    countRows(counts, set.stream, { ...noCounts(), inserted: set.rows.length })
  doubts.push(...found)
  return true
}

/** Sets the savepoint and reads the database's time, in one message, because every batch needs both. */
async function beginCopy(client: DatabaseClient): Promise<string> {
  const results: unknown = await client.query(
    'savepoint before_copy; select callsheet.clock()::text as at',
  )
  const [, now] = results as { rows: { at: string }[] }[]
  return now?.rows[0]?.at ?? ''
}

async function mergeWithChildren(
  tx: Transaction,
  target: LoadTarget,
  { rows: given, loaded: { counts, doubts, left } }: Work,
): Promise<void> {
  const merging = await mergeable(tx, target, { rows: given, left })
  if (merging.length === 0) return
  const { rows, doubts: found } = await judgeLists(tx, target, merging)
  doubts.push(...found)
  await point('merge:before')
  countRows(counts, target.stream, await mergeRows(tx, target, rows))
  for (const set of childrenOf(rows)) {
    const child = { ...target, stream: set.stream }
    countRows(counts, set.stream, await mergeRows(tx, child, set.rows))
    const deleted = await markChildrenDeleted(tx, child, { parents: set.parents, kept: set.rows })
    countRows(counts, set.stream, { ...noCounts(), deleted })
  }
  await point('merge:after')
}

interface Children {
  stream: Stream
  rows: PreparedRow[]
  /** The parents whose complete lists are in `rows`. */
  parents: string[]
}

/** Returns the children of `rows`, one set per stream. Empty sets are included: old children may remain. */
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

/** Keeps the last row of each key: a batch may repeat a key, but a statement may not change a row twice. */
function distinct(rows: readonly PreparedRow[]): PreparedRow[] {
  const byKey = new Map(rows.map((row) => [joinKey(row.key), row]))
  return byKey.size === rows.length ? [...rows] : [...byKey.values()]
}

/**
 * Splits rows into sets without duplicate keys. If two lists place a row differently, the second row goes to
 * a later set, where it is compared with the first. Of two rows in the same place, the last one is used.
 */
function inTurns({ columns }: Stream, rows: readonly PreparedRow[]): PreparedRow[][] {
  const names = Object.keys(columns)
  const placeOf = ({ placedBy = [], values }: PreparedRow): string =>
    JSON.stringify(placedBy.map((name) => values[names.indexOf(name)]))
  const turns: Map<string, PreparedRow>[] = []
  for (const row of rows) {
    const key = joinKey(row.key)
    const turn = turns.find((one) => {
      const before = one.get(key)
      return before === undefined || (before.late === row.late && placeOf(before) === placeOf(row))
    })
    if (turn === undefined) turns.push(new Map([[key, row]]))
    else turn.set(key, row)
  }
  return turns.map((turn) => [...turn.values()])
}

function countRows(counts: Map<string, RowCounts>, stream: Stream, more: RowCounts): void {
  addCounts(counts, new Map([[stream.name, more]]))
}

const UNIQUE_VIOLATION = '23505'
