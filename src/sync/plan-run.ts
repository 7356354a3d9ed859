import type { FileSource } from '../core/define/file-source.ts'
import type { Job } from '../core/define/job.ts'
import type { RateLabel } from '../core/define/operation.ts'
import { fetchedStream, type Stream } from '../core/define/stream.ts'
import type { CallsheetError } from '../core/errors.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { openChain } from '../warehouse/ledger/runs.ts'
import { countPresent } from '../warehouse/load/count-rows.ts'
import { countDue } from './ledger/due-parents.ts'
import { everRead } from './ledger/refused-streams.ts'
import type { PlannedSlice } from './plan/plan-stream.ts'
import type { PlanDeps } from './run/run-context.ts'
import { dueGroups } from './run-job.ts'
import type { ListSampler } from './sample-lists.ts'

export interface StreamPlan {
  job: string
  stream: string
  slices: number
  label: RateLabel
  /** The calls that the slices last took, plus the calls expected for slices that were never read. */
  expectedCalls: number
  /** None of the due slices was ever read. */
  first: boolean
  /** The figure is based on first pages, or on an expected number of parents. */
  estimated: boolean
  /** Some slices take an unknown number of calls, so the figure is a minimum. */
  atLeast: boolean
}

export interface Plan {
  account: string
  streams: StreamPlan[]
  callsPerLabel: Partial<Record<RateLabel, number>>
  /** The calls that the plan itself made, for first pages of lists that were never read. */
  asked: Partial<Record<RateLabel, number>>
  /** The error that stopped the plan's own calls, if any. */
  failure: CallsheetError | undefined
  /** By job: calls for the files that are expected in lists never read before. */
  newFiles: Readonly<Record<string, number>>
}

interface PlanScope {
  account: string
  jobs: readonly Job[]
  full?: boolean
}

/**
 * Plans what a run would read now, and how many calls it takes. With a sampler it requests first pages of
 * lists never read; without one it sends nothing.
 */
export async function planRun(
  deps: PlanDeps,
  { account, jobs, full = false }: PlanScope,
  sampler?: ListSampler,
): Promise<Plan> {
  const streams: StreamPlan[] = []
  /** The rows that the run is expected to add to each stream. */
  const expected = new Map<Stream, Expected>()
  for (const job of jobs.toSorted((a, b) => depthOf(a) - depthOf(b))) {
    const { name, partial, range } = job
    const chain = partial ? undefined : await openChain(deps.warehouse.db, { account, job: name })
    const scope = { ...deps, account, full, range, chainRunId: chain ?? Number.MAX_SAFE_INTEGER }
    for (const stream of job.streams) {
      if (stream.sync.kind === 'nested') continue
      const due = await dueOf(scope, stream)
      const planned = await planStream({ ...scope, sampler, expected }, stream, due)
      streams.push({ job: job.name, stream: stream.name, label: stream.operation.rate, ...planned })
    }
  }
  const order = new Map(jobs.map(({ name }, at) => [name, at]))
  streams.sort((a, b) => (order.get(a.job) ?? 0) - (order.get(b.job) ?? 0))
  const callsPerLabel: Plan['callsPerLabel'] = {}
  for (const { label, expectedCalls: calls } of streams)
    callsPerLabel[label] = (callsPerLabel[label] ?? 0) + calls
  const newFiles = jobs.map(
    ({ name, archive }) => [name, callsForFiles(archive, expected)] as const,
  )
  const { calls: asked = {}, failure } = sampler ?? {}
  const beside = { asked: { ...asked }, failure, newFiles: Object.fromEntries(newFiles) }
  return { account, streams, callsPerLabel, ...beside }
}

/** One call for each file, and one for each parent's list of files. */
function callsForFiles(source: FileSource | undefined, expected: ReadonlyMap<Stream, Expected>) {
  const added = (stream: Stream): number => expected.get(stream)?.added ?? 0
  const files = source?.rows.reduce((sum, { stream }) => sum + added(stream), 0) ?? 0
  return source === undefined || files === 0 ? 0 : Math.ceil(files + added(source.parent))
}

/** Jobs that list parents are planned before jobs that read their details. */
function depthOf({ streams }: Job): number {
  const depth = ({ sync }: Stream): number =>
    sync.kind === 'fan-out' || sync.kind === 'nested' ? 1 + depth(sync.parent) : 0
  return Math.max(0, ...streams.filter(({ sync }) => sync.kind !== 'nested').map(depth))
}

interface Expected {
  /** Rows that a first reading adds to those stored. */
  added: number
  estimated: boolean
  atLeast: boolean
}

interface StreamScope {
  warehouse: Warehouse
  account: string
  sampler: ListSampler | undefined
  expected: Map<Stream, Expected>
}

/** The slices of a stream that are due. */
interface Due {
  /** How many slices were read before. */
  known: number
  /** How many pages the `known` slices had together. */
  pages: number
  /** How many slices were never read; the calls are estimated from first pages of those in `sampled`. */
  unknown: number
  sampled: readonly PlannedSlice[]
}

async function dueOf(scope: Parameters<typeof dueGroups>[0], stream: Stream): Promise<Due> {
  const { sync } = stream
  if (sync.kind === 'fan-out') {
    const of = { ...scope, stream, sync, nowMs: scope.clock.now() }
    const { due, known, pages } = await countDue(scope.warehouse, of)
    return { known, pages, unknown: due - known, sampled: [] }
  }
  const slices = (await dueGroups(scope, stream)).flatMap((group) => group.slices)
  const isKnown = ({ history }: PlannedSlice): boolean => history?.completeAtMs !== undefined
  const known = slices.filter(isKnown)
  const sampled = slices.filter((slice) => !isKnown(slice))
  const pages = known.reduce((sum, { history }) => sum + Math.max(1, history?.pages ?? 1), 0)
  return { known: known.length, pages, unknown: sampled.length, sampled }
}

type Planned = Omit<StreamPlan, 'job' | 'stream' | 'label'>

async function planStream(
  scope: StreamScope,
  stream: Stream,
  { known, pages, unknown, sampled }: Due,
): Promise<Planned> {
  const { sync } = stream
  const parents = sync.kind === 'fan-out' ? scope.expected.get(sync.parent) : undefined
  const added = Math.round(parents?.added ?? 0)
  const isFirst = known === 0 && unknown + added > 0
  const found = !isFirst
    ? undefined
    : sync.kind === 'fan-out'
      ? await scope.sampler?.fanOut(stream, unknown + added)
      : await scope.sampler?.lists(stream, sampled)
  const held = found && (await countPresent(scope.warehouse, { account: scope.account, stream }))
  const estimated = found !== undefined && (unknown > 1 || added > 0)
  if (found !== undefined) {
    const rows = Math.max(0, found.rows - (held ?? 0))
    const atLeast = found.atLeast || parents?.atLeast === true
    scope.expected.set(stream, { added: rows, estimated, atLeast })
    return {
      slices: unknown + added,
      first: true,
      expectedCalls: Math.ceil(found.calls),
      estimated,
      atLeast,
    }
  }
  const mean = known === 0 ? await meanPages(scope, stream, unknown) : pages / known
  const more = unknown + added
  return {
    slices: known + more,
    first: known === 0,
    expectedCalls: pages + Math.ceil(more * mean),
    estimated: added > 0,
    atLeast: more > 0 || (await hasUnreadParent(scope, stream)),
  }
}

/** Whether the number of lists is unknown: the parents were never read, and no first page showed them. */
async function hasUnreadParent(
  { warehouse, account, expected }: StreamScope,
  { sync }: Stream,
): Promise<boolean> {
  if (sync.kind !== 'fan-out' || expected.has(sync.parent)) return false
  return !(await everRead(warehouse, { account, stream: fetchedStream(sync.parent).name }))
}

/** Estimates the pages per slice from the stored rows: at least one. */
async function meanPages(
  { warehouse, account }: StreamScope,
  stream: Stream,
  slices: number,
): Promise<number> {
  const { paging } = stream.operation
  if (paging?.style !== 'token') return 1
  const rows = await countPresent(warehouse, { account, stream })
  return Math.max(1, rows / paging.maxPageSize / Math.max(1, slices))
}
