import type { Job } from '../../core/declare/job.ts'
import { FencedError, StoreError } from '../../core/errors/errors.ts'
import type { Lease } from '../../warehouse/ledgers/lease.ts'
import { closeRun, openRun } from '../../warehouse/ledgers/runs.ts'
import { wantsAnyFiles } from '../run/archive-access.ts'
import { retryDatabase } from '../run/retry-database.ts'
import type { EngineDeps } from '../run/run-context.ts'
import { endState, errorText } from '../run/run-end.ts'
import { emptyResult, type RunResult } from '../run/run-types.ts'
import { type AppendedEvidence, appendEvidence } from './append-evidence.ts'

export interface EvidenceOptions {
  account: string
  lease: Lease
  signal: AbortSignal
}

/** Whether a job leaves something behind that the manifest must tell of. */
export function leavesEvidence({ archive, streams }: Job): boolean {
  return archive !== undefined || streams.some(({ audited }) => audited === true)
}

/**
 * Enters and signs what the jobs of a sync wrote, as a run of its own, when none of them writes any more.
 * Undefined in an installation that archives nothing, and where the work is to stop: the next sync does it.
 */
export async function runEvidence(
  deps: EngineDeps,
  { account, lease, signal }: EvidenceOptions,
): Promise<RunResult | undefined> {
  if (deps.evidence === undefined || deps.archive === undefined) return undefined
  if (!wantsAnyFiles(deps.archive) || signal.aborted) return undefined
  const startedMs = deps.clock.elapsed()
  const opening = { account, job: JOB, lease }
  const { id } = await retryDatabase(deps, () => openRun(deps.warehouse, opening))
  const result = emptyResult(id, JOB)
  try {
    result.evidence = await enterEvidence(deps, { account, lease, signal })
    if (result.evidence.unexplained > 0) result.state = 'incomplete'
    result.problems = result.evidence.problems.map((problem) => `${JOB}: ${problem}`)
  } catch (error) {
    result.error = signal.aborted ? signal.reason : error
    result.state = endState(result.error, signal)
    // The entries are in the database; only what is kept of them in the store is still to come.
    if (result.error instanceof StoreError) result.state = 'incomplete'
  }
  result.durationMs = Math.round(deps.clock.elapsed() - startedMs)
  if (!(result.error instanceof FencedError)) await close(deps, lease, result)
  return result
}

/** The same within a run that is open already. */
export async function enterEvidence(
  deps: EngineDeps,
  options: EvidenceOptions,
): Promise<AppendedEvidence> {
  const { archive, evidence } = deps
  if (archive === undefined || evidence === undefined)
    throw new Error('Evidence is entered where an archive and a key are given')
  const store = await archive.store()
  return await appendEvidence(deps, { ...options, ...evidence(), store })
}

async function close(deps: EngineDeps, lease: Lease, result: RunResult): Promise<void> {
  const { runId, state, evidence, problems, error } = result
  const text = error === undefined ? undefined : errorText(error)
  const end = { state, planned: {}, summary: { evidence, problems }, error: text }
  try {
    await retryDatabase(deps, () => closeRun(deps.warehouse, { id: runId, lease }, end))
  } catch (failure) {
    if (!(failure instanceof FencedError)) throw failure
    Object.assign(result, { state: 'failed', error: failure })
  }
}

const JOB = 'evidence'
