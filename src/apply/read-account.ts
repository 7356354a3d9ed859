import type { Job } from '../core/define/job.ts'
import type { Stream } from '../core/define/stream.ts'
import { CallsheetError, LargeDropError } from '../core/errors.ts'
import { isRead, partOf } from '../sync/part-of-job.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import type { Progress, RunResult } from '../sync/run/run-types.ts'
import { syncAccount } from '../sync/sync.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import type { Wanted } from './plan.ts'

export interface ReadOptions {
  account: string
  jobs: readonly Job[]
  wanted: readonly Wanted[]
  /** The number of deletions that need no approval, because Callsheet's own calls may have caused them. */
  taken?: number
  /** The lease for reading; without one, each read takes its own. */
  lease?: Lease
  signal: AbortSignal
  onProgress?: (progress: Progress) => void
}

/**
 * Reads the data for the comparison with the desired state, as a sync of only these streams. Throws if a
 * stream was not read completely or the deletion guard tripped, because a plan from such data would be wrong.
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

function requireRead(result: RunResult): void {
  const { job, slices, problems, error } = result
  if (error instanceof Error) throw error
  const missing = Object.entries(slices).filter(([, { planned, complete }]) => complete < planned)
  if (missing.length === 0) return requireFreed(result)
  throw new CallsheetError('account_not_read', {
    tried: `Reading ${missing.map(([stream]) => stream).join(', ')} of the account (${job})`,
    expected: 'complete lists, because a plan made from incomplete ones would be wrong',
    came: problems[0] ?? 'a part of the lists could not be read',
    todo: 'run callsheet doctor, fix what it reports, and apply the file again',
  })
}

/** Throws if the guard tripped, because the tables may then contain rows that no longer exist. */
function requireFreed({ job, runId, trippedGuards }: RunResult): void {
  if (trippedGuards.length === 0) return
  const drops = trippedGuards.map(
    ({ stream, missing, owned }) => `${stream}: ${missing} of ${owned} rows are missing`,
  )
  throw new LargeDropError('large_drop', {
    tried: `Reading ${trippedGuards.map(({ stream }) => stream).join(', ')} of the account (${job})`,
    expected: 'fewer missing rows than deletionGuard allows',
    came: `${drops.join('; ')}; none was marked as deleted`,
    todo:
      `if the service really deleted these rows, run callsheet sync --approve ${runId} and ` +
      'apply the file again',
  })
}
