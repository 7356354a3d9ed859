import { sql } from 'kysely'
import type { Job } from '../../core/define/job.ts'
import type { Window } from '../../core/time/spans.ts'
import { DAY_MS, utcDay } from '../../core/time/time.ts'
import { uncovered } from '../../core/time/uncovered.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'
import type { RunSummary } from './read-runs.ts'

export type DayState = 'complete' | 'incomplete' | 'not read'

/** The state of each stream by UTC day, the oldest first and today last. */
export interface CoverageDays {
  days: readonly string[]
  streams: readonly StreamDays[]
}

export interface StreamDays {
  stream: string
  /**
   * `records`: a day stands for the records of that day, in a stream that is read by time windows. `reads`:
   * it stands for the runs that began on it, in a stream that is read as a whole.
   */
  of: 'records' | 'reads'
  states: readonly DayState[]
}

/**
 * Returns the state of the last 90 days. A day of records is complete if complete slices that were requested
 * after it ended cover it; today counts up to the last request. A day of reads is complete if one of its runs
 * read every due slice of the stream.
 */
export async function readCoverageDays(
  warehouse: Warehouse,
  { account, jobs, nowMs }: { account: string; jobs: readonly Job[]; nowMs: number },
): Promise<CoverageDays> {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  const days = Array.from({ length: DAYS }, (_, at) => todayMs - (DAYS - 1 - at) * DAY_MS)
  const scope = { account, fromMs: days[0] ?? todayMs }
  const windowed = jobs
    .flatMap((job) => job.streams)
    .filter(({ sync }) => sync.kind === 'windows')
    .map(({ name }) => name)
  const read = await readWindows(warehouse, { ...scope, streams: windowed })
  const windows = Map.groupBy(read, ({ stream }) => stream)
  const runs = Map.groupBy(await readRunsSince(warehouse, scope), ({ job }) => job)
  const streams = jobs.flatMap((job) =>
    job.streams
      .filter(({ sync }) => sync.kind !== 'nested')
      .map(({ name: stream, sync }): StreamDays => {
        if (sync.kind === 'windows') {
          const slices = windows.get(stream) ?? []
          return {
            stream,
            of: 'records',
            states: days.map((day) => recordsState(slices, day, nowMs)),
          }
        }
        const own = runs.get(job.name) ?? []
        return { stream, of: 'reads', states: days.map((day) => readsState(own, stream, day)) }
      }),
  )
  return { days: days.map(utcDay), streams }
}

interface WindowSlice {
  stream: string
  complete: boolean
  owned: Window
  requestedAtMs: number
}

/** The latest read and the latest complete read of each window that overlaps the days. */
async function readWindows(
  { db }: Warehouse,
  { account, fromMs, streams }: { account: string; fromMs: number; streams: readonly string[] },
): Promise<WindowSlice[]> {
  const complete = sql<boolean>`(state = 'complete' and checked)`
  const rows = await db
    .selectFrom('callsheet.slices')
    .crossJoinLateral(db.selectNoFrom(complete.as('complete')).as('c'))
    .distinctOn(['stream', 'slice', 'complete'])
    .select(['stream', 'slice', 'complete', 'owned_from', 'owned_to', 'requested_at'])
    .where('account', '=', account)
    .where('stream', '=', anyOf(streams))
    .where('owned_to', '>', new Date(fromMs).toISOString())
    .where('state', '<>', 'not_allowed')
    .orderBy('stream')
    .orderBy('slice')
    .orderBy('complete')
    .orderBy('requested_at', 'desc')
    .execute()
  return rows.map((row) => ({
    stream: row.stream,
    complete: row.complete,
    owned: { fromMs: Date.parse(row.owned_from ?? ''), toMs: Date.parse(row.owned_to ?? '') },
    requestedAtMs: Date.parse(row.requested_at),
  }))
}

/** A slice covers no time after its request. */
function recordsState(slices: readonly WindowSlice[], fromMs: number, nowMs: number): DayState {
  const endMs = fromMs + DAY_MS
  const touching = slices.filter(({ owned }) => owned.fromMs < endMs && owned.toMs > fromMs)
  const askedMs = touching.reduce((latest, slice) => Math.max(latest, slice.requestedAtMs), 0)
  if (askedMs <= fromMs) return 'not read'
  const read = touching
    .filter(({ complete }) => complete)
    .map(({ owned, requestedAtMs }) => ({
      fromMs: owned.fromMs,
      toMs: Math.min(owned.toMs, requestedAtMs),
    }))
  const toMs = endMs <= nowMs ? endMs : Math.min(endMs, askedMs)
  return uncovered({ fromMs, toMs }, read).length === 0 ? 'complete' : 'incomplete'
}

interface DayRun {
  job: string
  partial: boolean
  complete: boolean
  startedMs: number
  summary: RunSummary
}

async function readRunsSince(
  { db }: Warehouse,
  { account, fromMs }: { account: string; fromMs: number },
): Promise<DayRun[]> {
  const rows = await db
    .selectFrom('callsheet.runs')
    .select(['job', 'partial', 'state', 'started_at'])
    .select(
      sql<RunSummary>`jsonb_build_object('slices', summary->'slices',
        'notAllowed', summary->'notAllowed', 'trippedGuards', summary->'trippedGuards')`.as(
        'summary',
      ),
    )
    .where('account', '=', account)
    .where('started_at', '>=', new Date(fromMs).toISOString())
    .orderBy('id', 'desc')
    .limit(MOST_RUNS)
    .execute()
  return rows.map(({ state, started_at, ...row }) => ({
    ...row,
    complete: state === 'complete',
    startedMs: Date.parse(started_at),
  }))
}

function readsState(runs: readonly DayRun[], stream: string, fromMs: number): DayState {
  const ofDay = runs
    .filter(({ startedMs }) => startedMs >= fromMs && startedMs < fromMs + DAY_MS)
    .map((run) => verdictOn(run, stream))
  if (ofDay.includes('complete')) return 'complete'
  return ofDay.includes('incomplete') ? 'incomplete' : 'not read'
}

/** A complete run of the whole job without counts of the stream had no slice to read. */
function verdictOn({ partial, complete, summary }: DayRun, stream: string): DayState {
  const { slices, notAllowed, trippedGuards } = summary
  const counts = slices?.[stream]
  if (counts === undefined) {
    if (partial) return 'not read'
    return complete ? 'complete' : 'incomplete'
  }
  const refused = notAllowed?.[stream] === undefined ? 0 : counts.notAllowed
  if (refused > 0 && refused === counts.planned) return 'not read'
  const isHeldBack = trippedGuards?.some((guard) => guard.stream === stream) === true
  return counts.complete + refused === counts.planned && !isHeldBack ? 'complete' : 'incomplete'
}

const DAYS = 90
/** About 50 a day. With more, the oldest days may look incomplete. */
const MOST_RUNS = 5_000
