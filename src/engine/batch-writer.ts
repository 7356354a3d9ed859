import type { Batch } from '../core/load.ts'
import type { Stream } from '../core/stream.ts'
import type { RunContext } from './run-context.ts'
import { writeBatch } from './write-batch.ts'

/**
 * Collects the rows of a group and sends them in batches, one transaction each and one after the other, so
 * that two versions of a key are never under way at once. Pages go on being fetched meanwhile, but not far
 * ahead.
 */
export interface BatchWriter {
  batch: Batch
  /** Sends what is collected once it is enough; resolves when the writer can take more. */
  settle(slice: string, options?: { keepKnown?: boolean }): Promise<void>
  /** Sends the rest and waits until all of it is committed. */
  drain(slice: string, options?: { keepKnown?: boolean }): Promise<void>
}

export function batchWriter(run: RunContext, stream: Stream): BatchWriter {
  let tail: Promise<void> = Promise.resolve()
  let waiting = 0
  const send = (slice: string, keepKnown: boolean): void => {
    const batch = writer.batch
    if (sizeOf(batch) === 0) return
    writer.batch = emptyBatch()
    waiting++
    tail = tail
      .then(() => writeBatch(run, { stream, slice, keepKnown }, batch))
      .finally(() => waiting--)
    // The failure is thrown by the next settle or drain; unheard in between it would end the process.
    tail.catch(() => {})
  }
  const writer: BatchWriter = {
    batch: emptyBatch(),
    async settle(slice, { keepKnown = false } = {}) {
      if (sizeOf(writer.batch) >= BATCH_ROWS) send(slice, keepKnown)
      if (waiting > MAX_WAITING) await tail
    },
    async drain(slice, { keepKnown = false } = {}) {
      send(slice, keepKnown)
      await tail
    },
  }
  return writer
}

function emptyBatch(): Batch {
  return { fresh: [], known: [], quarantined: [], findings: [], shares: [] }
}

function sizeOf(batch: Batch): number {
  return batch.fresh.length + batch.known.length + batch.quarantined.length
}

const BATCH_ROWS = 1_000
const MAX_WAITING = 0
