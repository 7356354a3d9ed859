import type { Stream } from '../../core/define/stream.ts'
import { LoadError } from '../../core/errors.ts'
import type { Batch, PlacedRow, PreparedRow, RefusedRow } from '../../core/records/row-batch.ts'
import { type LoadedBatch, loadBatch, newLoaded } from '../../warehouse/load/load-batch.ts'
import type { RunContext } from '../run/run-context.ts'
import { batchTransaction } from './batch-transaction.ts'
import { hasMoved, reportInBoth } from './two-places.ts'

export interface WriteTarget {
  stream: Stream
  slice: string
  keepKnown: boolean
}

/**
 * Commits a batch and counts it. If the database refuses the data of a row, the batch is halved until that
 * row is alone; it is quarantined, and all the others are written. Returns the refused rows, the rows left as
 * stored, and the doubted lists: the slices counted them as written, and the ledger must not.
 */
export async function writeBatch(
  run: RunContext,
  target: WriteTarget,
  batch: Batch,
): Promise<RefusedRow[]> {
  let loaded: LoadedBatch
  try {
    loaded = await commitBatch(run, target, batch)
  } catch (error) {
    if (!(error instanceof LoadError) || !REFUSED_DATA.test(error.code)) throw error
    const [row, ...others] = [...batch.fresh, ...batch.known]
    if (row === undefined) throw error
    if (others.length === 0) {
      await writeBatch(run, target, setAside(run, { target, batch, row }, error))
      return [{ slice: row.slice, kind: batch.fresh.length === 1 ? 'fresh' : 'known' }]
    }
    const refused: RefusedRow[] = []
    for (const half of halves(batch)) refused.push(...(await writeBatch(run, target, half)))
    return refused
  }
  const { left, doubts } = loaded
  const fresh = new Set(batch.fresh)
  const keptRow = (row: PreparedRow, kept: RefusedRow['kept']): RefusedRow => {
    const kind = row.late === true ? 'late' : fresh.has(row) ? 'fresh' : 'known'
    return { slice: row.slice, kind, kept }
  }
  return [
    ...doubts.map(({ slice }): RefusedRow => ({ slice, kind: 'doubted' })),
    ...left.unreadable.map((row) => keptRow(row, 'unreadable')),
    ...(await settlePlaced(run, target, { placed: left.elsewhere, keptRow })),
  ]
}

/** Writes the rows that moved to this list. Returns rows that were refused or stay as stored. */
async function settlePlaced(
  run: RunContext,
  target: WriteTarget,
  {
    placed,
    keptRow,
  }: {
    placed: readonly PlacedRow[]
    keptRow(row: PreparedRow, kept: RefusedRow['kept']): RefusedRow
  },
): Promise<RefusedRow[]> {
  const { stream } = target
  const moved: PreparedRow[] = []
  const both: PlacedRow[] = []
  for (const one of placed) {
    const { late: _late, ...row } = one.row
    // A row with `from` has moved before: if it is in its old place again, both lists show it in turn.
    if (row.from === undefined && (await hasMoved(run, stream, one)))
      moved.push({ ...row, from: one.held })
    else both.push(one)
  }
  reportInBoth(run, stream, both)
  const kept = both.map(({ row }) => keptRow(row, 'in two lists'))
  if (moved.length === 0) return kept
  const none = { fresh: [], quarantined: [], findings: [] }
  return [...kept, ...(await writeBatch(run, target, { ...none, known: moved }))]
}

async function commitBatch(
  run: RunContext,
  target: WriteTarget,
  batch: Batch,
): Promise<LoadedBatch> {
  const scope = { ...target, account: run.account, runId: run.runId }
  let last: LoadedBatch | undefined
  const counts = await batchTransaction(run, target.stream, async (tx, client) => {
    last = await loadBatch({ tx, client }, scope, batch)
    return last.counts
  })
  const loaded = last ?? newLoaded()
  run.doubtedLists.note([...batch.fresh, ...batch.known], loaded.doubts)
  const nestedStreams = run.cutsOf(target.stream)
  for (const stream of [target.stream, ...nestedStreams]) {
    const anomalies = batch.findings.filter((found) => found.stream === stream.name).length
    run.count(stream, { ...counts.get(stream.name), anomalies })
  }
  // The slice readings already count the stream's own quarantined records.
  for (const stream of nestedStreams) {
    const aside = batch.quarantined.filter((record) => record.stream === stream)
    run.count(stream, { quarantined: aside.length })
  }
  return loaded
}

/** Halves a batch, fresh rows first: a key may be in both kinds, and its known row is the later one. */
function halves({ fresh, known, quarantined, findings }: Batch): Batch[] {
  const none: Batch = { fresh: [], known: [], quarantined: [], findings: [] }
  const parts = [
    ...cut(fresh).map((rows) => ({ ...none, fresh: rows })),
    ...cut(known).map((rows) => ({ ...none, known: rows })),
  ]
  return [{ ...none, quarantined, findings }, ...parts]
}

function cut(rows: PreparedRow[]): PreparedRow[][] {
  const middle = Math.ceil(rows.length / 2)
  return [rows.slice(0, middle), rows.slice(middle)].filter((part) => part.length > 0)
}

function setAside(
  run: RunContext,
  { target: { stream }, batch, row }: { target: WriteTarget; batch: Batch; row: PreparedRow },
  error: LoadError,
): Batch {
  run.problem(
    `${stream.name}: the database refused a row (${error.code}), which was quarantined`,
    true,
    stream,
  )
  const record = {
    stream,
    reason: `refused by the database (${error.code})`,
    payload: row.raw,
  }
  return { ...batch, fresh: [], known: [], quarantined: [...batch.quarantined, record] }
}

/** SQLSTATE classes 22 (data exception), 23 (integrity) and 54 (program limit exceeded). */
const REFUSED_DATA = /^sql_(22|23|54)/
