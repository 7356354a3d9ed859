import type { Stream } from '../../core/define/stream.ts'
import { DAY_MS } from '../../core/time/time.ts'
import type { SliceEntry } from '../ledger/coverage.ts'
import type { GroupRead } from '../read/read-group.ts'
import type { RunContext } from '../run/run-context.ts'
import { isAbsent, isWhole, type SliceReading } from '../run/slice-reading.ts'

/**
 * The ledger's entries for a group's slices; unread slices have none. A slice is not `checked` for deletions
 * if rows are `awaited`: their state is unknown, or an approved deletion needs a later read. A slice read
 * only to look for certain rows is not checked either.
 */
export function entriesOf(
  run: RunContext,
  { group, readings }: Pick<GroupRead, 'group' | 'readings'>,
  { deleted, awaited }: { deleted: number; awaited: boolean },
): SliceEntry[] {
  const read = readings.filter((reading) => reading.state !== 'not_read')
  const { deletions: rule, sync } = group.stream
  // The slices of these groups are checked one by one.
  const alone =
    !awaited && (rule.by === 'never' || sync.kind === 'fan-out' || group.incremental === true)
  const whole = !awaited && group.unproven !== true && readings.every(isWhole)
  // A slice stays unchecked, and is read again, if a nested record was quarantined or doubted, or if its list
  // is absent although the parent exists.
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
    apart,
    serviceTotal,
  } = reading
  return {
    stream: stream.name,
    slice: slice.request.slice,
    state: state === 'not_read' ? 'failed' : state,
    owned: incremental === true ? undefined : slice.owned,
    requestedAtMs: requestedAtMs === 0 ? run.clock.now() : requestedAtMs,
    pages,
    // A quarantined nested record counts as received.
    received: keptIn(reading) + nested,
    inserted: reading.fresh,
    updated: reading.changed,
    unchanged,
    ignored,
    quarantined: quarantined + refused + nested,
    deleted,
    // At most one of the two is above 0: lists read by ranges have no part, lists read whole no range.
    outside: outside + apart,
    serviceTotal,
    version: slice.version,
    possiblyTruncated: reading.atBound,
    final: stream.sync.kind === 'fan-out' && isSettled(run, stream, reading),
    error: reading.error instanceof Error ? reading.error.message : undefined,
  }
}

/**
 * Whether the list need not be read again: it had the same count a day later, denied access, or was deleted.
 */
function isSettled(run: RunContext, stream: Stream, reading: SliceReading): boolean {
  const { error, slice } = reading
  const { history } = slice
  if (error !== undefined) return !isAbsent(stream, reading)
  if (history?.countSinceMs === undefined || history.received !== keptIn(reading)) return false
  if (history.version !== slice.version) return false
  return run.clock.now() - history.countSinceMs >= DAY_MS
}

/** Records about erased persons do not count as received: a list of only these stores nothing. */
function keptIn({ received, erased }: SliceReading): number {
  return received - erased
}
