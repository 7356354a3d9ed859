import type { Job } from '../../core/declare/job.ts'
import type { RateLabel } from '../../core/declare/operation.ts'
import type { Stream } from '../../core/declare/stream.ts'
import type { Warehouse } from '../../warehouse/connection/connect.ts'
import { openChain } from '../../warehouse/ledgers/runs.ts'
import { countPresent } from '../../warehouse/load/count-present.ts'
import { dueGroups } from '../job/run-job.ts'
import type { PlannedGroup } from '../plan/plan-stream.ts'
import type { PlanDeps } from '../run/run-context.ts'

export interface StreamPlan {
  job: string
  stream: string
  slices: number
  label: RateLabel
  /** Calls that the slices took when they were last read; one each where they never were. */
  expectedCalls: number
  /** True when some of the slices were never read, so that the figure is a floor. */
  atLeast: boolean
}

export interface Plan {
  account: string
  streams: StreamPlan[]
  callsPerLabel: Partial<Record<RateLabel, number>>
}

/** What a run would read now and how many calls it will take. Reads the database only; sends nothing. */
export async function planRun(
  deps: PlanDeps,
  { account, jobs, full = false }: { account: string; jobs: readonly Job[]; full?: boolean },
): Promise<Plan> {
  const streams: StreamPlan[] = []
  for (const job of jobs) {
    const chain = await openChain(deps.warehouse.db, { account, job: job.name })
    const scope = { ...deps, account, full, chainRunId: chain ?? Number.MAX_SAFE_INTEGER }
    for (const stream of job.streams) {
      if (stream.sync.kind === 'nested') continue
      const groups = await dueGroups(scope, stream)
      streams.push({ job: job.name, ...(await expectedCalls(scope, stream, groups)) })
    }
  }
  const callsPerLabel: Plan['callsPerLabel'] = {}
  for (const { label, expectedCalls: calls } of streams)
    callsPerLabel[label] = (callsPerLabel[label] ?? 0) + calls
  return { account, streams, callsPerLabel }
}

async function expectedCalls(
  scope: { warehouse: Warehouse; account: string },
  stream: Stream,
  groups: PlannedGroup[],
): Promise<Omit<StreamPlan, 'job'>> {
  const slices = groups.flatMap((group) => group.slices)
  const known = slices.filter((slice) => slice.history?.completeAtMs !== undefined)
  const pages = known.reduce((sum, slice) => sum + Math.max(1, slice.history?.pages ?? 1), 0)
  const mean =
    known.length === 0 ? await meanPages(scope, stream, slices.length) : pages / known.length
  const unknown = slices.length - known.length
  return {
    stream: stream.name,
    slices: slices.length,
    label: stream.operation.rate,
    expectedCalls: pages + Math.ceil(unknown * mean),
    atLeast: unknown > 0,
  }
}

/** Before the first reading the rows at hand tell at least how many pages there are. */
async function meanPages(
  { warehouse, account }: { warehouse: Warehouse; account: string },
  stream: Stream,
  slices: number,
): Promise<number> {
  const { paging } = stream.operation
  if (paging?.style !== 'token') return 1
  const rows = await countPresent(warehouse, { account, stream })
  return Math.max(1, rows / paging.maxPageSize / Math.max(1, slices))
}
