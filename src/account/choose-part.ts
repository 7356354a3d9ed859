import { nearest } from '../config/nearest.ts'
import { historyLimitOf } from '../core/define/history-limit.ts'
import type { Job } from '../core/define/job.ts'
import type { Stream } from '../core/define/stream.ts'
import { ConfigurationError } from '../core/errors.ts'
import { DAY_MS, utcDay } from '../core/time/time.ts'
import { partOf } from '../sync/part-of-job.ts'
import { jobs as allJobs } from './catalog.ts'

/** A part of one job: a stream, or the windows that touch a range of days (UTC, both inclusive), or both. */
export interface AskedPart {
  stream?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

interface Limits {
  nowMs: number
  historyDays: number | undefined
}

/** Returns the part of the one named job. Throws if several or no jobs are named, or it has no such part. */
export function choosePart(names: readonly Job[], asked: AskedPart, limits: Limits): Job[] {
  const [job, second] = names
  if (job === undefined || second !== undefined)
    throw new ConfigurationError('one_job_needed', {
      tried: 'Choosing a part of a job',
      expected: 'one job with --stream, --from and --to',
      came: `the command names ${names.length === 0 ? 'no job' : `${names.length} jobs`}`,
      todo: 'name the job that reads the stream; callsheet plan lists the streams of each job',
    })
  const days = daysOf(job, asked)
  const read = streamsOf(job, asked.stream)
  const wanted = days === undefined ? read : read.filter(({ sync }) => sync.kind === 'windows')
  if (days === undefined) return asPart(job, wanted)
  if (wanted.length === 0) throw withoutWindows(job, asked.stream)
  if (days.to > utcDay(limits.nowMs)) throw inFuture(job, days.to, limits)
  for (const stream of wanted) checkLimit(stream, days.from, limits)
  const range = { fromMs: Date.parse(days.from), toMs: Date.parse(days.to) + DAY_MS }
  return asPart(job, wanted).map((part) => ({ ...part, range }))
}

function asPart(job: Job, streams: readonly Stream[]): Job[] {
  return partOf(job, new Set(streams)).map((part) => ({ ...part, partial: true }))
}

function daysOf({ name }: Job, { from, to }: AskedPart): { from: string; to: string } | undefined {
  if (from === undefined && to === undefined) return undefined
  const tried = `Choosing the days of ${name}`
  if (from === undefined || to === undefined)
    throw new ConfigurationError('range_needs_both', {
      tried,
      expected: 'both --from and --to',
      came: `${from === undefined ? '--from' : '--to'} is missing`,
      todo: 'give the first and the last day of the range',
    })
  if (from > to)
    throw new ConfigurationError('range_reversed', {
      tried,
      expected: 'a first day that is not after the last',
      came: `--from ${from} is after --to ${to}`,
      todo: `use --from ${to} --to ${from}`,
    })
  return { from, to }
}

/** The job's streams with lists of their own, or the named one. */
function streamsOf(job: Job, name: string | undefined): Stream[] {
  const own = job.streams.filter(({ sync }) => sync.kind !== 'nested')
  const found = own.filter((stream) => name === undefined || stream.name === name)
  if (name === undefined || found.length > 0) return found
  const names = own.map((stream) => stream.name)
  const nested = job.streams.find((stream) => stream.name === name)
  throw new ConfigurationError('unknown_stream', {
    tried: `Looking for the stream ${name.slice(0, 60)} in the job ${job.name}`,
    expected: `one of ${names.join(', ')}`,
    came:
      nested?.sync.kind === 'nested'
        ? `its rows come with the records of ${nested.sync.parent.name}`
        : 'the job does not read this stream',
    todo: remedyOf(name, { nested, names }),
  })
}

function remedyOf(
  name: string,
  { nested, names }: { nested: Stream | undefined; names: readonly string[] },
): string {
  if (nested?.sync.kind === 'nested') return `use --stream ${nested.sync.parent.name}`
  const other = allJobs.find(({ streams }) => streams.some((stream) => stream.name === name))
  if (other !== undefined) return `name the job ${other.name}, which reads it`
  const meant = nearest(name, names)
  return meant === undefined ? 'use one of these streams' : `did you mean ${meant}?`
}

function withoutWindows({ name: job }: Job, stream: string | undefined): ConfigurationError {
  return new ConfigurationError('no_windows', {
    tried: `Choosing the days of ${stream ?? job}`,
    expected: 'a stream that is read in time windows',
    came: `${stream ?? 'each stream of the job'} is read without windows`,
    todo: `leave out --from and --to to read ${stream === undefined ? 'the job' : 'all of it'}`,
  })
}

function inFuture({ name }: Job, day: string, { nowMs }: Limits): ConfigurationError {
  return new ConfigurationError('range_in_future', {
    tried: `Choosing the days of ${name}`,
    expected: `days up to today, ${utcDay(nowMs)} (UTC)`,
    came: `${day} is in the future`,
    todo: `use --to ${utcDay(nowMs)} or an earlier day`,
  })
}

function checkLimit({ name, sync }: Stream, day: string, { nowMs, historyDays }: Limits): void {
  if (sync.kind !== 'windows') return
  const days = historyLimitOf(sync, historyDays)
  const first = utcDay(nowMs - days * DAY_MS)
  if (day >= first) return
  const longer = sync.unbounded === true ? ', or increase accounts[].historyDays' : ''
  throw new ConfigurationError('range_before_limit', {
    tried: `Choosing the days of ${name}`,
    expected: `days from ${first}`,
    came: `${day} is before the history limit of ${name}, ${days} days`,
    todo: `use --from ${first}${longer}`,
  })
}
