import type { Job } from '../core/define/job.ts'
import type { Stream } from '../core/define/stream.ts'

/**
 * Returns the job reduced to these streams and those nested in them, without files; nothing if it has none.
 * Nested rows are written only with new and changed records, so a later read would not add omitted ones.
 */
export function partOf(job: Job, wanted: ReadonlySet<Stream>): Job[] {
  const { name, title, schedule, archive } = job
  const streams = job.streams.filter((stream) => isRead(stream, wanted))
  if (streams.length === 0) return []
  const whole = streams.length === job.streams.length && archive === undefined
  return [{ name, title, schedule, streams, ...(whole ? {} : { partial: true }) }]
}

export function isRead(stream: Stream, wanted: ReadonlySet<Stream>): boolean {
  return wanted.has(stream) || (stream.sync.kind === 'nested' && isRead(stream.sync.parent, wanted))
}
