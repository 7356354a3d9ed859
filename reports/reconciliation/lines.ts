import type { Stream } from '../../src/core/define/stream.ts'
import { lowText } from '../../src/core/records/low-text.ts'
import type { LowStretch } from '../../src/core/values/low-stretch.ts'
import type { StreamSliceCounts, Write } from './counts.ts'
import { type Remedy, remedyOf } from './remedies.ts'
import { rowMoves } from './row-moves.ts'
import type { Run, Runs } from './runs.ts'
import { type DayVerdict, type StreamDay, verdictOf } from './verdict.ts'

/** A stream's day with its verdict, and what to do about it. */
export type Line = StreamDay & DayVerdict & Remedy

export interface LineFacts {
  account: string
  /** Returns the job that reads a stream; undefined if no known job does. */
  jobOf(stream: Stream): string | undefined
  runs: Runs
  slices: ReadonlyMap<string, StreamSliceCounts>
  writes: readonly Write[]
  unproven: ReadonlyMap<string, number>
  erasures: readonly number[]
  low: readonly LowStretch[]
}

export function linesOf(streams: readonly Stream[], facts: LineFacts): Line[] {
  return streams.map((stream) => lineOf(stream, facts))
}

function lineOf(stream: Stream, facts: LineFacts): Line {
  const { runs, slices, unproven, erasures } = facts
  const list = listOf(stream)
  const low = facts.low.filter((one) => one.stream === stream.name)
  const entered = slices.get(list.name)?.runIds ?? []
  // A run whose process died has no summary, but its slices are in the ledger.
  const ofDay = runs.ofDay.filter((run) => concerns(run, list) || entered.includes(run.id))
  const earlier = [...runs.before.values()].filter(
    (run) => run !== undefined && concerns(run, list),
  )
  const last = ofDay.findLast(({ partial }) => !partial)
  const run = last ?? ofDay.at(-1) ?? earlier.toSorted((a, b) => (a?.id ?? 0) - (b?.id ?? 0)).at(-1)
  const line: StreamDay = {
    stream: stream.name,
    job: facts.jobOf(stream) ?? run?.job,
    list: list.name,
    run,
    runs: ofDay.length,
    planned: ofDay.reduce((sum, { planned }) => sum + (planned[list.name] ?? 0), 0),
    notRead: last?.slices[list.name]?.notRead ?? 0,
    unproven: unproven.get(list.name) ?? 0,
    slices: list === stream ? slices.get(stream.name) : undefined,
    moves: rowMoves(stream.name, { ...facts, job: run?.job }),
  }
  const judged = {
    ...line,
    refusal: run && refusalOf(stream, run),
    // A nested stream has no slices, so the runs' counts of its quarantined records are added up.
    aside:
      line.slices?.quarantined ??
      ofDay.reduce((sum, { tables }) => sum + (tables[stream.name]?.quarantined ?? 0), 0),
    low: low.length === 0 ? undefined : lowText(low, stream.name),
    erased: erasures.length > 0,
    beforeFirst: runs.first?.afterDay ?? false,
  }
  const verdict = verdictOf(judged)
  const readBy = readSince(list, runs.since)
  return {
    ...line,
    ...verdict,
    ...remedyOf({ ...line, ...verdict, account: facts.account, readBy }),
  }
}

/** Returns the stream whose slices cover `stream`: `stream` itself or, if nested, its parent. */
function listOf(stream: Stream): Stream {
  return stream.sync.kind === 'nested' ? listOf(stream.sync.parent) : stream
}

/** Returns the run after the day by which a stream and the streams it fans out from had all been read. */
function readSince({ name, sync }: Stream, since: Runs['since']): number | undefined {
  const own = since.get(name)
  if (own === undefined || sync.kind !== 'fan-out') return own
  const parent = readSince(listOf(sync.parent), since)
  return parent === undefined ? undefined : Math.max(own, parent)
}

function concerns(run: Run, { name }: Stream): boolean {
  return (
    [run.planned, run.notAllowed, run.tables].some((of) => name in of) || run.read.includes(name)
  )
}

/** Returns why the account may not read a stream or its parent. */
function refusalOf(stream: Stream, run: Run): string | undefined {
  const own = run.notAllowed[stream.name]
  if (own !== undefined) return own
  const { sync } = stream
  return sync.kind === 'nested' || sync.kind === 'fan-out' ? refusalOf(sync.parent, run) : undefined
}
