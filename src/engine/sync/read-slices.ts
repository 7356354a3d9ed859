import { meansDeleted, meansWithheld } from '../../core/declare/means-deleted.ts'
import { meansRefused } from '../../core/declare/means-refused.ts'
import {
  AuthenticationError,
  CallsheetError,
  FencedError,
  isDaySpent,
  LoadError,
} from '../../core/errors/errors.ts'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import type { Window } from '../../core/time/spans.ts'
import type { PlannedGroup } from '../plan/plan-stream.ts'
import { FAILURES_IN_A_ROW } from '../run/circuit-breaker.ts'
import type { RunContext } from '../run/run-context.ts'
import { runLimited } from '../run/run-limited.ts'
import { newReading, type SliceReading } from '../run/slice-reading.ts'
import type { BatchWriter } from './batch-writer.ts'
import { holdsMore, lackingBelow } from './holds-more.ts'
import { readSlice } from './read-slice.ts'
import type { TimelessRows } from './timeless-rows.ts'

export interface GroupRead {
  group: PlannedGroup
  table: FingerprintTable
  writer: BatchWriter
  timeless?: TimelessRows | undefined
  readings: SliceReading[]
  /** Why nothing of the run can go on; what was received before is written all the same. */
  ended?: Error
}

/**
 * Reads all slices once, lower ranks first: a higher rank counts only for what the lower ones did not show.
 */
export async function readSlices(run: RunContext, groupRead: GroupRead): Promise<void> {
  const { slices, stream } = groupRead.group
  groupRead.readings = slices.map((slice) => newReading(slice, slices.length === 1))
  const all = { stream, readings: groupRead.readings }
  const ranks = [...new Set(slices.map((slice) => slice.request.rank ?? 0))].sort((a, b) => a - b)
  for (const rank of ranks) {
    const readings = groupRead.readings.filter(({ slice }) => (slice.request.rank ?? 0) === rank)
    const unread = unreadBelow(groupRead, rank)
    for (const reading of readings) reading.unread = unread
    await runLimited(readings, SLICES_AT_ONCE, async (reading) => {
      if (groupRead.ended !== undefined) return
      const broken = run.breaker.tripped()
      const ended =
        broken === undefined
          ? lackingBelow(groupRead.readings, reading)
          : ({ state: 'failed', error: broken } as const)
      if (ended !== undefined) {
        Object.assign(reading, ended)
        return
      }
      try {
        if (reading.slice.request.ifMore !== true || (await holdsMore(run, all, reading)))
          await readSlice(run, { ...groupRead, stream }, reading)
        reading.state = 'complete'
        run.breaker.note(undefined)
      } catch (error) {
        noteFailure(run, { groupRead, reading }, error)
      }
    })
    const last = readings[0]?.slice.request
    await groupRead.writer.drain(last?.slice ?? '', { keepKnown: last?.keepKnown === true })
    await groupRead.timeless?.writer.drain(last?.slice ?? '')
    if (groupRead.ended !== undefined) throw groupRead.ended
  }
}

function unreadBelow({ readings }: GroupRead, rank: number): Window[] {
  return readings
    .filter(({ slice, state }) => (slice.request.rank ?? 0) < rank && state !== 'complete')
    .flatMap(({ slice }) => slice.owned ?? [])
}

/** A failure concerns its slice alone, unless it means that nothing of this run can go on. */
function noteFailure(
  run: RunContext,
  { groupRead, reading }: { groupRead: GroupRead; reading: SliceReading },
  error: unknown,
): void {
  if (error instanceof FencedError || error instanceof LoadError) throw error
  // What was under way when the run stopped counts as not read; what came before is written.
  if (run.signal.aborted) {
    groupRead.ended ??= error instanceof Error ? error : new Error(String(error))
    return
  }
  if (!(error instanceof CallsheetError)) throw error
  reading.error = error
  if (isDaySpent(error)) return
  if (error instanceof AuthenticationError) {
    reading.state = 'failed'
    groupRead.ended ??= error
    return
  }
  const { operation, sync } = groupRead.group.stream
  if (
    sync.kind === 'fan-out' &&
    (meansDeleted(operation, error) || meansWithheld(operation, error))
  ) {
    // The parent was listed, and is deleted or not allowed when it is read: read, with nothing in it.
    reading.state = 'complete'
    return
  }
  const refused = meansRefused(operation, error)
  reading.state = refused ? 'not_allowed' : 'failed'
  // What is not allowed is reported once, for the stream.
  if (refused) return
  const { stream } = groupRead.group
  const name = `${stream.name} ${reading.slice.request.slice}`
  run.problem(`${name}: ${error.message}`, true, stream)
  if (run.breaker.note(error))
    run.problem(`${tripText(error)}, so the rest was not tried`, true, stream)
}

function tripText(error: unknown): string {
  const tls = error instanceof CallsheetError && error.code === 'tls'
  return tls
    ? 'the certificate of the service is not right'
    : `the service failed ${FAILURES_IN_A_ROW} slices in a row`
}

/** True if the stream cannot go on at all, so that its other slices need not be tried. */
export function blocksStream({ error, state }: SliceReading): boolean {
  return isDaySpent(error) || state === 'not_allowed'
}

const SLICES_AT_ONCE = 8
