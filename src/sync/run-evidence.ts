import { wantsAnyFiles } from '../config/archive-settings.ts'
import type { Job } from '../core/define/job.ts'
import { FencedError, StoreError } from '../core/errors.ts'
import { type EvidenceOptions, enterEvidence } from '../evidence/enter-evidence.ts'
import { statesRuns } from '../evidence/enter-rows.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { closeBy, endState } from '../warehouse/ledger/run-end.ts'
import { openRun } from '../warehouse/ledger/runs.ts'
import type { EngineDeps } from './run/run-context.ts'
import type { RunResult } from './run/run-types.ts'

/** Whether a job produces anything that the manifest must record. */
export function leavesEvidence({ archive, streams }: Job): boolean {
  return archive !== undefined || streams.some(({ audited }) => audited === true)
}

/**
 * Records and signs the results of a sync's jobs, as a run of its own, once all jobs have stopped writing.
 * Returns undefined if the installation keeps no evidence or archives no files, and after a stop: the next
 * sync then does it.
 */
export async function runEvidence(
  deps: EngineDeps,
  { account, lease, signal }: EvidenceOptions,
): Promise<RunResult | undefined> {
  if (deps.evidence === undefined || deps.archive === undefined) return undefined
  if (!wantsAnyFiles(deps.archive.settings) || signal.aborted) return undefined
  const startedMs = deps.clock.elapsed()
  const onClosed = statesRuns(deps, account)
  const opening = { account, job: EVIDENCE_JOB, lease, onClosed }
  const { id } = await retryDatabase(deps, () => openRun(deps.warehouse, opening))
  const end = await entered(deps, { account, lease, signal })
  const durationMs = Math.round(deps.clock.elapsed() - startedMs)
  const noStreams = { tables: {}, slices: {}, trippedGuards: [], notAllowed: {}, read: [] }
  const result = { runId: id, job: EVIDENCE_JOB, ...noStreams, ...end, durationMs }
  if (result.error instanceof FencedError) return result
  const { evidence, problems } = result
  return await closeBy(deps, { lease, result }, { planned: {}, summary: { evidence, problems } })
}

async function entered(
  deps: EngineDeps,
  options: EvidenceOptions,
): Promise<Pick<RunResult, 'state' | 'problems' | 'error' | 'evidence'>> {
  const { signal } = options
  try {
    const evidence = await enterEvidence(deps, options)
    const problems = evidence.problems.map((problem) => `${EVIDENCE_JOB}: ${problem}`)
    const state = evidence.unexplained > 0 ? 'incomplete' : 'complete'
    return { state, problems, error: undefined, evidence }
  } catch (thrown) {
    const error: unknown = signal.aborted ? signal.reason : thrown
    // After a StoreError the entries are in the database; only their copy in the store is missing.
    const state = error instanceof StoreError ? 'incomplete' : endState(error, signal)
    return { state, problems: [], error }
  }
}

/** The name of evidence runs in `callsheet.runs`, where other runs have the name of their job. */
export const EVIDENCE_JOB = 'evidence'
