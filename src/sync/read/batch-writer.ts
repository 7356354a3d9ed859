import type { Stream } from '../../core/define/stream.ts'
import type { Batch, RefusedRow } from '../../core/records/row-batch.ts'
import type { RunContext } from '../run/run-context.ts'
import { writeBatch } from './write-batch.ts'

/**
 * Collects the rows of a group and sends them in batches, one transaction each. Two versions of a key are
 * never in flight at once: batches of only new rows, whose keys cannot collide, may run in parallel; any
 * other batch waits for all before it, and all after it wait for it. Meanwhile pages are fetched, but not far
 * ahead.
 */
export interface BatchWriter {
  batch: Batch
  /** Sends the rows once they fill a batch, or earlier if none is in flight. Resolves when more fit in. */
  settle(slice: string, options?: { keepKnown?: boolean }): Promise<void>
  /**
   * Sends the rest and waits until all of it is committed. Returns, each once, the rows of these slices that
   * were refused or left as stored, and their doubted lists.
   */
  drain(slices: readonly string[], options?: { keepKnown?: boolean }): Promise<RefusedRow[]>
}

export function batchWriter(run: RunContext, stream: Stream): BatchWriter {
  const batchRows = run.batchRows ?? BATCH_ROWS
  // The groups of other streams already run in parallel.
  const sideBySide = stream.sync.kind === 'snapshot' ? 2 : 1
  const flying = new Set<Promise<void>>()
  let alone: Promise<void> = Promise.resolve()
  let failure: { error: unknown } | undefined
  let scale = newScale()
  let refused: RefusedRow[] = []
  const isFull = (): boolean =>
    sizeOf(writer.batch) >= batchRows || weigh(scale, writer.batch) >= BATCH_CHARACTERS
  const write = async (slice: string, keepKnown: boolean, batch: Batch): Promise<void> => {
    if (failure !== undefined) throw failure.error
    const rows = await writeBatch(run, { stream, slice, keepKnown }, batch)
    refused.push(...rows)
  }
  const send = (slice: string, keepKnown: boolean): void => {
    const batch = writer.batch
    writer.batch = emptyBatch()
    scale = newScale()
    const mixes = !keepKnown && isNew(batch)
    const before = mixes ? alone : Promise.allSettled(flying)
    const sent = before
      .then(() => write(slice, keepKnown, batch))
      // The next settle or drain throws the failure; unhandled until then, it would end the process.
      .catch((error: unknown) => void (failure ??= { error }))
      .finally(() => flying.delete(sent))
    if (!mixes) alone = sent
    flying.add(sent)
  }
  const writer: BatchWriter = {
    batch: emptyBatch(),
    async settle(slice, { keepKnown = false } = {}) {
      while (isFull() || (flying.size === 0 && writer.batch.known.length >= WORTH_ROWS))
        if (flying.size < sideBySide) send(slice, keepKnown)
        else await Promise.race(flying)
      if (failure !== undefined) throw failure.error
    },
    async drain(slices, { keepKnown = false } = {}) {
      if (sizeOf(writer.batch) > 0) send(slices[0] ?? '', keepKnown)
      await Promise.all(flying)
      if (failure !== undefined) throw failure.error
      const { theirs = [], others = [] } = Object.groupBy(refused, ({ slice = '' }) =>
        slices.includes(slice) ? 'theirs' : 'others',
      )
      refused = others
      return theirs
    },
  }
  return writer
}

/** Whether a batch has only new rows. Findings make it mixed: two batches may have findings of one name. */
function isNew({ known, quarantined, findings }: Batch): boolean {
  return known.length + quarantined.length + findings.length === 0
}

function emptyBatch(): Batch {
  return { fresh: [], known: [], quarantined: [], findings: [] }
}

function sizeOf(batch: Batch): number {
  return batch.fresh.length + batch.known.length + batch.quarantined.length
}

/** The size of the rows of a batch measured so far, so that each is measured once. */
interface Scale {
  fresh: number
  known: number
  characters: number
}

const newScale = (): Scale => ({ fresh: 0, known: 0, characters: 0 })

/** The size of a batch in characters: most rows are small, but one may have ten thousand objects. */
function weigh(scale: Scale, batch: Batch): number {
  for (const kind of ['fresh', 'known'] as const)
    for (const rows = batch[kind]; scale[kind] < rows.length; scale[kind]++)
      scale.characters += rows[scale[kind]]?.raw.length ?? 0
  return scale.characters
}

/** Rows per batch: each batch costs several messages to the database and back, and a flush of its log. */
const BATCH_ROWS = 1_000
/** The minimum of known rows that an idle writer sends: merging them takes longer than the messages. */
const WORTH_ROWS = 250
const BATCH_CHARACTERS = 16 * 2 ** 20
