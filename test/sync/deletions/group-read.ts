import type { Stream } from '../../../src/core/define/stream.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import type { Owned } from '../../../src/core/records/row-batch.ts'
import type { PlannedGroup, PlannedSlice } from '../../../src/sync/plan/plan-stream.ts'
import { newReading, type SliceReading } from '../../../src/sync/run/slice-reading.ts'

/** The reading of a slice, by default complete. */
export function readingOf(
  more: Partial<SliceReading> = {},
  slice: Partial<PlannedSlice> & { name?: string } = {},
): SliceReading {
  const { name = 'all', ...given } = slice
  const request = { slice: name, arguments: {}, filter: {} }
  const planned = { request, owned: undefined, parent: undefined, history: undefined, ...given }
  const read = { state: 'complete', pages: 1, requestedAtMs: 1, endProven: true } as const
  return { ...newReading(planned), ...read, ...more }
}

/** The reading of one parent's list. */
export const listOf = (parent: string, more: Partial<SliceReading> = {}): SliceReading =>
  readingOf(more, { name: `of=${parent}`, parent: [parent] })

/** The read of a group with these slices. */
export function groupOf(
  stream: Stream,
  readings: readonly SliceReading[],
  more: Partial<PlannedGroup> = {},
): { group: PlannedGroup; readings: readonly SliceReading[] } {
  const slices = readings.map(({ slice }) => slice)
  return { group: { stream, owned: ownedBy(stream), slices, ...more }, readings }
}

/** The rows that a group of the stream owns. */
function ownedBy({ sync }: Stream): Owned {
  if (sync.kind === 'windows') return { kind: 'windows', column: sync.cursor, windows: [] }
  if (sync.kind === 'fan-out') return { kind: 'parents', column: 'parent', keys: [] }
  return { kind: 'all' }
}

/** A refusal of a list that no retry changes. */
export function refusal(status: number, code?: string): ServiceError {
  const answer = {
    operation: 'any',
    status,
    serviceCode: code,
    verdict: { kind: 'never' },
  } as const
  return new ServiceError(answer, { tried: 'reading a list', came: `HTTP ${status}` })
}
