import type { Job } from '../../src/core/define/job.ts'
import type { Stream } from '../../src/core/define/stream.ts'

/** Returns these jobs with at most `mostDays` of history. Parents of streams are replaced too. */
export function shortJobs(jobs: readonly Job[], mostDays: number): Job[] {
  const known = new Map<Stream, Stream>()
  const short = (stream: Stream): Stream => {
    const done = known.get(stream) ?? shortStream(stream, { mostDays, short })
    known.set(stream, done)
    return done
  }
  return jobs.map((job) => ({ ...job, streams: job.streams.map(short) }))
}

function shortStream(
  stream: Stream,
  { mostDays, short }: { mostDays: number; short: (parent: Stream) => Stream },
): Stream {
  const { sync } = stream
  if (sync.kind === 'snapshot') return stream
  if (sync.kind !== 'windows') return { ...stream, sync: { ...sync, parent: short(sync.parent) } }
  // Removed, because the account's setting would override the stream's limit.
  const { unbounded: _wish, ...bounded } = sync
  const historyLimitDays = Math.min(sync.historyLimitDays, mostDays)
  return { ...stream, sync: { ...bounded, historyLimitDays } }
}
