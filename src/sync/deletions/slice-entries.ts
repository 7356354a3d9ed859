import type { Stream } from '../../core/define/stream.ts'
import { DAY_MS } from '../../core/time/time.ts'
import type { SliceEntry } from '../ledger/coverage.ts'
import type { GroupRead } from '../read/read-group.ts'
import type { RunContext } from '../run/run-context.ts'
import { isAbsent, isWhole, type SliceReading } from '../run/slice-reading.ts'

/**
 * The coverage ledger's entries for a group's slices; unread slices have none. A slice is not `checked` for
 * deletions while rows are `awaited` that an approval will delete, or that could not be requested. Nor is a
 * slice that was only read in addition.
 */
export function entriesOf(
  run: RunContext,
  { group, readings }: Pick<GroupRead, 'group' | 'readings'>,
  { deleted, awaited }: { deleted: number; awaited: boolean },
): SliceEntry[] {
  const read = readings.filter((reading) => reading.state !== 'not_read')
  const { deletions: rule, sync } = group.stream
  // Rows missing from such a slice do not concern the others.
  const alone =
    !awaited && (rule.by === 'never' || sync.kind === 'fan-out' || group.incremental === true)
  const whole = !awaited && group.unproven !== true && readings.every(isWhole)
  // Rows are checked although a nested record was quarantined. The slice is read again for that part, as is
  // a list that should be there.
  return read.map((reading, at) => ({
    ...entryOf(run, { group, reading, deleted: at === 0 ? deleted : 0 }),
    checked: whole || (alone && isWhole(reading)),
    ...(reading.slice.added === true ||
    reading.nested + reading.doubted > 0 ||
    isAbsent(group.stream, reading)
      ? { checked: false }
      : {}),
  }))
}

function entryOf(
  run: RunContext,
  {
    group,
    reading,
    deleted,
  }: Pick<GroupRead, 'group'> & { reading: SliceReading; deleted: number },
): Omit<SliceEntry, 'checked'> {
  const { stream, incremental } = group
  const {
    slice,
    state,
    requestedAtMs,
    pages,
    unchanged,
    ignored,
    quarantined,
    refused,
    nested,
    outside,
    serviceTotal,
  } = reading
  return {
    stream: stream.name,
    slice: slice.request.slice,
    state: state === 'not_read' ? 'failed' : state,
    owned: incremental === true ? undefined : slice.owned,
    requestedAtMs: requestedAtMs === 0 ? run.clock.now() : requestedAtMs,
    pages,
    // A nested record that is quarantined counts as one that was received.
    received: keptIn(reading) + nested,
    inserted: reading.fresh,
    updated: reading.changed,
    unchanged,
    ignored,
    quarantined: quarantined + refused + nested,
    deleted,
    outside,
    serviceTotal,
    version: slice.version,
    possiblyTruncated: reading.atBound,
    final: stream.sync.kind === 'fan-out' && isSettled(run, stream, reading),
    error: reading.error instanceof Error ? reading.error.message : undefined,
  }
}

/**
 * The count repeated after a day within the same bounds, access was denied, or the list was rightly deleted.
 */
function isSettled(run: RunContext, stream: Stream, reading: SliceReading): boolean {
  const { error, slice } = reading
  const { history } = slice
  if (error !== undefined) return !isAbsent(stream, reading)
  if (history?.countSinceMs === undefined || history.received !== keptIn(reading)) return false
  if (history.version !== slice.version) return false
  return run.clock.now() - history.countSinceMs >= DAY_MS
}

/** Records about erased persons count as not received: a list of only these stores nothing. */
function keptIn({ received, erased }: SliceReading): number {
  return received - erased
}
