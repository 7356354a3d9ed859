import { LoadError } from '../core/errors.ts'
import type { Batch, PreparedRow } from '../core/load.ts'
import type { Stream } from '../core/stream.ts'
import { loadBatch } from '../warehouse/load-batch.ts'
import { inTransaction } from './retry-database.ts'
import type { RunContext } from './run-context.ts'

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
  try {
    await commitBatch(run, target, batch)
  } catch (error) {
    if (!(error instanceof LoadError) || !REFUSED_DATA.test(error.code)) throw error
    const rows = batch.fresh.length + batch.known.length
    if (rows === 0) throw error
    for (const part of rows === 1 ? [setAside(run, target, { batch, error })] : halves(batch))
      await writeBatch(run, target, part)
  }
}

async function commitBatch(run: RunContext, target: WriteTarget, batch: Batch): Promise<void> {
  const scope = { ...target, account: run.account, runId: run.runId }
  const counts = await inTransaction(run, (tx, client) => loadBatch({ tx, client }, scope, batch))
  for (const stream of [target.stream, ...run.cutsOf(target.stream)]) {
    const anomalies = batch.findings.filter((found) => found.stream === stream.name).length
    run.count(stream, { ...counts.get(stream.name), anomalies })
  }
}

/** Fresh rows before known ones: a key may be in both, and the known one is the later. */
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
  { stream }: WriteTarget,
  { batch, error }: { batch: Batch; error: LoadError },
): Batch {
  const [row] = [...batch.fresh, ...batch.known]
  run.count(stream, { quarantined: 1 })
  run.problem(
    `${stream.name}: the database refused a row (${error.code}); it is in quarantine`,
    true,
  )
  const record = {
    stream,
    reason: `refused by the database (${error.code})`,
    payload: row?.raw ?? '',
  }
  return { ...batch, fresh: [], known: [], quarantined: [...batch.quarantined, record] }
}

/** SQLSTATE classes 22 (data exception) and 54 (program limit exceeded). */
const REFUSED_DATA = /^sql_(22|54)/
