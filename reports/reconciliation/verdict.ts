import { counted } from '../../src/core/values/quantities.ts'
import type { StreamSliceCounts } from './counts.ts'
import type { RowMoves } from './row-moves.ts'
import type { Run } from './runs.ts'

export interface DayVerdict {
  verdict:
    | 'balanced'
    | 'nothing due'
    | 'counted twice'
    | 'low volume'
    | 'quarantined'
    | 'not allowed'
    | 'never read'
    | 'not read'
    | 'incomplete'
    | 'does not add up'
  /** The reason why the stream is not balanced; otherwise empty. */
  why: string
}

/** The verdicts on unbalanced streams, the worst first. */
export const WORST_FIRST = [
  'does not add up',
  'incomplete',
  'not read',
  'quarantined',
  'low volume',
  'counted twice',
  'not allowed',
  'never read',
] as const satisfies readonly DayVerdict['verdict'][]

/** How much of a stream was due on a day, how much was received, and how much was written. */
export interface StreamDay {
  stream: string
  /** The job that reads the stream; undefined if no known job does. */
  job: string | undefined
  /** The stream whose slices cover `stream`, and which `planned` counts: `stream` itself or its parent. */
  list: string
  /** The stream's last full run of the day, else any last run of the day, else the last run before it. */
  run: Run | undefined
  /** How many of the day's runs concerned the stream. */
  runs: number
  planned: number
  notRead: number
  unproven: number
  /** Undefined without a slice on the day, and for a nested stream, which has no slices of its own. */
  slices: StreamSliceCounts | undefined
  moves: RowMoves
}

interface Judged extends StreamDay {
  /** Whether the account's first run began after the day. */
  beforeFirst: boolean
  refusal: string | undefined
  /** Records that were quarantined because they could not become rows. */
  aside: number
  /** Describes how many fewer records arrived than usual; undefined if the volume was not low. */
  low: string | undefined
  /**
   * Whether a person was ever erased. Records of erased people are not counted here, but the service's total
   * includes them.
   */
  erased: boolean
}

/**
 * Returns the first verdict that applies. A stream is balanced only if everything due was read completely,
 * each received record is accounted for, and the table contains everything that was written.
 */
export function verdictOf(judged: Judged): DayVerdict {
  const sums = sumsOf(judged)
  if (sums.length > 0) return { verdict: 'does not add up', why: sums.join('; ') }
  const { run, runs, refusal, slices, aside, list, beforeFirst } = judged
  if (run === undefined)
    return {
      verdict: 'never read',
      why: beforeFirst
        ? 'the account’s first run began after this day'
        : 'no run had read this stream by the end of this day',
    }
  if (runs === 0)
    return {
      verdict: 'not read',
      why: `no run read this stream on this day; the last run that did was run ${run.id}`,
    }
  if (refusal !== undefined) return { verdict: 'not allowed', why: refusal }
  const left = leftOf(judged)
  if (left.length > 0) return { verdict: 'incomplete', why: left.join('; ') }
  if (aside > 0)
    return {
      verdict: 'quarantined',
      why: `${counted(aside, 'record')} could not become rows`,
    }
  if (!run.read.includes(list) && run.state !== 'complete')
    return { verdict: 'incomplete', why: `run ${run.id} did not read it completely (${run.state})` }
  if (judged.low !== undefined) return { verdict: 'low volume', why: judged.low }
  const twice = slices?.twice ?? 0
  if (twice > 0)
    return {
      verdict: 'counted twice',
      why: `${counted(twice, 'record')} counted twice, because a list was read again`,
    }
  if (judged.planned === 0) return { verdict: 'nothing due', why: '' }
  return { verdict: 'balanced', why: '' }
}

/** Lists figures that contradict one another. */
function sumsOf({ slices, moves, erased }: Judged): string[] {
  const { lost = 0, short = 0 } = slices ?? {}
  const more = moves.adrift > 0 ? 'more' : 'fewer'
  return [
    ...(lost === 0
      ? []
      : [`${counted(lost, 'record')} received, but neither stored nor quarantined`]),
    ...(short === 0 || erased ? [] : [`${counted(short, 'record')} short of the service’s total`]),
    ...(moves.adrift === 0
      ? []
      : [`the table has ${counted(Math.abs(moves.adrift), 'row')} ${more} than were written`]),
  ]
}

/** Lists work that was due and is not done. */
function leftOf({ run, unproven, notRead, stream }: Judged): string[] {
  const held = run?.guards.find((guard) => guard.stream === stream)?.missing ?? 0
  return [
    ...(unproven === 0 ? [] : [`${counted(unproven, 'slice')} not proven`]),
    ...(notRead === 0
      ? []
      : [`${counted(notRead, 'slice')} not read, because the daily quota was exhausted`]),
    ...(held === 0 ? [] : [`the deletion guard holds back ${counted(held, 'row')}`]),
    ...(run?.endedMs === undefined ? [`run ${run?.id} has not ended`] : []),
  ]
}
