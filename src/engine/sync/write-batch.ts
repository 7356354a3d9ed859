import type { Stream } from '../../core/declare/stream.ts'
import { LoadError } from '../../core/errors/errors.ts'
import type { Batch, PreparedRow, Tally } from '../../core/records/row-batch.ts'
import { loadBatch } from '../../warehouse/load/load-batch.ts'
import { batchTransaction } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'

export interface WriteTarget {
  stream: Stream
  slice: string
  keepKnown: boolean
}

/**
 * Commits a batch and counts it. When the database refuses the data of a row, the batch is halved until that
 * row stands alone; it goes into quarantine, and all the others are written.
 */
export async function writeBatch(
  run: RunContext,
  target: WriteTarget,
  batch: Batch,
): Promise<void> {
  await commitParts(run, target, { batch, tallyOf: () => talliesOf(batch) })
}

interface Part {
  batch: Batch
  /** The reading that each row of the whole batch came from; worked out when the first one is refused. */
  tallyOf: () => Map<PreparedRow, Tally>
}

async function commitParts(run: RunContext, target: WriteTarget, part: Part): Promise<void> {
  const { batch } = part
  try {
    await commitBatch(run, target, batch)
  } catch (error) {
    if (!(error instanceof LoadError) || !REFUSED_DATA.test(error.code)) throw error
    const rows = batch.fresh.length + batch.known.length
    if (rows === 0) throw error
    const tallies = part.tallyOf()
    for (const smaller of rows === 1
      ? [setAside(run, { target, batch, tallies }, error)]
      : halves(batch))
      await commitParts(run, target, { batch: smaller, tallyOf: () => tallies })
  }
}

function talliesOf({ fresh, known, shares }: Batch): Map<PreparedRow, Tally> {
  const tallies = new Map<PreparedRow, Tally>()
  const next = { fresh: 0, known: 0 }
  for (const share of shares) {
    for (let n = 0; n < share.fresh; n++)
      tallies.set(fresh[next.fresh++] as PreparedRow, share.tally)
    for (let n = 0; n < share.known; n++)
      tallies.set(known[next.known++] as PreparedRow, share.tally)
  }
  return tallies
}

async function commitBatch(run: RunContext, target: WriteTarget, batch: Batch): Promise<void> {
  const scope = { ...target, account: run.account, runId: run.runId }
  const counts = await batchTransaction(run, target.stream, (tx, client) =>
    loadBatch({ tx, client }, scope, batch),
  )
  const nestedStreams = run.cutsOf(target.stream)
  for (const stream of [target.stream, ...nestedStreams]) {
    const anomalies = batch.findings.filter((found) => found.stream === stream.name).length
    run.count(stream, { ...counts.get(stream.name), anomalies })
  }
  // Those of the stream itself are counted by its readings.
  for (const stream of nestedStreams) {
    const aside = batch.quarantined.filter((record) => record.stream === stream)
    run.count(stream, { quarantined: aside.length })
  }
}

/** Fresh rows before known ones: a key may be in both, and the known one is the later. */
function halves({ fresh, known, quarantined, findings }: Batch): Batch[] {
  const none: Batch = { fresh: [], known: [], quarantined: [], findings: [], shares: [] }
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

/** The reading counted the row as written; the ledger must not. */
function setAside(
  run: RunContext,
  refused: { target: WriteTarget; batch: Batch; tallies: Map<PreparedRow, Tally> },
  error: LoadError,
): Batch {
  const { batch } = refused
  const { stream } = refused.target
  const [row] = [...batch.fresh, ...batch.known]
  const tally = row === undefined ? undefined : refused.tallies.get(row)
  if (tally !== undefined) {
    tally[batch.fresh.length === 1 ? 'fresh' : 'changed']--
    tally.refused++
  }
  run.problem(
    `${stream.name}: the database refused a row (${error.code}); it is in quarantine`,
    true,
    stream,
  )
  const record = {
    stream,
    reason: `refused by the database (${error.code})`,
    payload: row?.raw ?? '',
  }
  return { ...batch, fresh: [], known: [], quarantined: [...batch.quarantined, record] }
}

/** SQLSTATE classes 22 (data exception), 23 (integrity) and 54 (program limit exceeded). */
const REFUSED_DATA = /^sql_(22|23|54)/
