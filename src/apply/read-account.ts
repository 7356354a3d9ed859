import type { Job } from '../core/define/job.ts'
import type { Stream } from '../core/define/stream.ts'
import { CallsheetError, LargeDropError } from '../core/errors.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import type { Progress, RunResult } from '../sync/run/run-types.ts'
import { syncAccount } from '../sync/sync.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import type { Wanted } from './plan.ts'

export interface ReadOptions {
  account: string
  jobs: readonly Job[]
  wanted: readonly Wanted[]
  /** How many things our own calls may have removed since: a drop of so many needs no approval. */
  taken?: number
  /** Under which it is read; without one each reading takes its own. */
  lease?: Lease
  signal: AbortSignal
  onProgress?: (progress: Progress) => void
}

/**
 * Reads what the wanted kinds of things are compared with, as a sync of just these streams. Throws when any
 * of it could not be read to its end, or a large fall holds rows back: a plan made from half a list, or from
 * what is gone, would be wrong.
 */
export async function readAccount(deps: EngineDeps, options: ReadOptions): Promise<void> {
  const { jobs, wanted, taken = 0 } = options
  const deletionGuard = { ...deps.deletionGuard, own: taken }
  const readBy = (full: boolean): Stream[] =>
    wanted.flatMap(({ desired }) => ((desired.full ?? false) === full ? desired.reads : []))
  const whole = new Set(readBy(true))
  const due = new Set(readBy(false).filter((stream) => !isRead(stream, whole)))
  for (const full of [false, true]) {
    const parts = jobs.flatMap((job) => partOf(job, full ? whole : due))
    if (parts.length === 0) continue
    const results = await syncAccount(
      { ...deps, deletionGuard },
      { ...options, jobs: parts, full, fresh: true },
    )
    for (const result of results) requireRead(result)
  }
}

/**
 * What a job reads of these streams, with all that is cut from their records, and no files. Cuts are made
 * of new and changed records alone: what this reading left out, no later one would make up for.
 */
export function partOf(job: Job, wanted: ReadonlySet<Stream>): Job[] {
  const { name, title, schedule, archive } = job
  const streams = job.streams.filter((stream) => isRead(stream, wanted))
  if (streams.length === 0) return []
  const whole = streams.length === job.streams.length && archive === undefined
  return [{ name, title, schedule, streams, ...(whole ? {} : { partial: true }) }]
}

function isRead(stream: Stream, wanted: ReadonlySet<Stream>): boolean {
  return wanted.has(stream) || (stream.sync.kind === 'nested' && isRead(stream.sync.parent, wanted))
}

function requireRead(result: RunResult): void {
  const { job, slices, problems, error } = result
  if (error instanceof Error) throw error
  const missing = Object.entries(slices).filter(([, { planned, complete }]) => complete < planned)
  if (missing.length === 0) return requireFreed(result)
  throw new CallsheetError('not_read', {
    tried: `Reading ${missing.map(([stream]) => stream).join(', ')} of the account (${job})`,
    expected: 'all of it, since a plan made from half a list would be wrong',
    came: problems[0] ?? 'a part could not be read',
    todo: 'run callsheet doctor, fix what it reports, and apply the file again',
  })
}

/** A guard that tripped keeps rows of which nobody knows whether they are still there. */
function requireFreed({ job, runId, trippedGuards }: RunResult): void {
  if (trippedGuards.length === 0) return
  const drops = trippedGuards.map(
    ({ stream, missing, owned }) => `${stream}: ${missing} of ${owned} rows are missing`,
  )
  throw new LargeDropError('large_drop', {
    tried: `Reading ${trippedGuards.map(({ stream }) => stream).join(', ')} of the account (${job})`,
    expected: 'no more rows missing at once than the limit: a plan would take them for present',
    came: `${drops.join('; ')}, and none was marked as deleted`,
    todo: `if that is right: callsheet sync --approve ${runId}, and apply the file again`,
  })
}
