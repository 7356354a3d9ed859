import type { Stream } from '../../core/define/stream.ts'
import type { Batch } from '../../core/records/row-batch.ts'
import type { PageCounts } from '../run/slice-reading.ts'

export interface Quarantining {
  stream: Stream
  batch: Batch
  /** The counts of the slice's earlier pages, because the limit on stored records is for a whole slice. */
  before: Readonly<Pick<PageCounts, 'quarantined'>>
  counts: PageCounts
}

/** Adds an unusable record to the batch, without its text if too long. Past `MOST_ENTRIES`, adds one note. */
export function quarantine(
  { stream, batch, before, counts }: Quarantining,
  reason: string,
  payload: string,
): 'quarantined' {
  const earlier = before.quarantined + counts.quarantined
  if (earlier > MOST_ENTRIES) return 'quarantined'
  const kept = payload.length > MOST_CHARACTERS ? '' : payload
  const size = kept === payload ? '' : `; its ${payload.length} characters were not stored`
  const entry =
    earlier === MOST_ENTRIES
      ? {
          stream,
          reason: `more than ${MOST_ENTRIES} in this list; the others were not stored`,
          payload: '',
        }
      : { stream, reason: `${reason}${size}`, payload: kept }
  batch.quarantined.push(entry)
  return 'quarantined'
}

/** How many quarantined records of a slice are stored. The others are only counted. */
export const MOST_ENTRIES = 1_000
/** A longer quarantined record is stored without its text. */
const MOST_CHARACTERS = 2 ** 20
