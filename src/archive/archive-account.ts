import type { FileSource } from '../core/define/file-source.ts'
import { FencedError } from '../core/errors.ts'
import { enterEvidence } from '../evidence/enter-evidence.ts'
import { statesRuns } from '../evidence/enter-rows.ts'
import type { AppendedEvidence } from '../evidence/log/evidence-access.ts'
import { acquireLease, type Lease } from '../warehouse/ledger/lease.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { endState, errorText } from '../warehouse/ledger/run-end.ts'
import { closeRun, openRun } from '../warehouse/ledger/runs.ts'
import type { RunState } from '../warehouse/schema/types.ts'
import { archiveFiles } from './archive-files.ts'
import { type ArchiveCounts, addArchiveCounts, type FileProgress, noArchive } from './result.ts'
import { type ArchiveDeps, wantsFiles } from './work.ts'

export interface ArchiveAccountOptions {
  account: string
  sources: readonly FileSource[]
  /** Tries written-off files again. */
  retry: boolean
  signal: AbortSignal
  onProgress?: (progress: FileProgress) => void
}

export interface ArchiveRun {
  runId: number
  state: Exclude<RunState, 'running'>
  files: ArchiveCounts
  evidence?: AppendedEvidence
  problems: string[]
  error: unknown
}

/**
 * Fetches an account's pending files as a separate run, without reading new records. Throws BusyError if
 * another process holds the account's lease.
 */
export async function archiveAccount(
  deps: ArchiveDeps,
  options: ArchiveAccountOptions,
): Promise<ArchiveRun> {
  const { account } = options
  const lease = await acquireLease(deps.warehouse, { account, job: JOB, clock: deps.clock })
  try {
    const signal = AbortSignal.any([options.signal, lease.lost])
    const onClosed = statesRuns(deps, account)
    const open = { account, job: JOB, lease, onClosed }
    const { id: runId } = await retryDatabase(deps, () => openRun(deps.warehouse, open))
    const run = await archiveSources(deps, { ...options, signal, lease, runId })
    await signWhatIsThere(deps, { account, lease, signal }, run)
    const { state, problems, files, evidence, error } = run
    const text = error === undefined ? undefined : errorText(error)
    const end = { state, planned: {}, summary: { files, evidence, problems }, error: text }
    if (!(error instanceof FencedError))
      await retryDatabase(deps, () => closeRun(deps.warehouse, { id: runId, lease }, end))
    return run
  } finally {
    await lease.release()
  }
}

async function archiveSources(
  deps: ArchiveDeps,
  options: ArchiveAccountOptions & { lease: Lease; runId: number },
): Promise<ArchiveRun> {
  const { account, lease, runId, signal, onProgress } = options
  const run: ArchiveRun = {
    runId,
    state: 'complete',
    files: noArchive().counts,
    problems: [],
    error: undefined,
  }
  const allNotes: string[] = []
  for (const source of options.sources) {
    if (deps.archive === undefined || !wantsFiles(deps.archive, source)) continue
    const { retry } = options
    const one = { account, lease, runId, source, signal, retry, onProgress }
    const { counts, problems, notes, error } = await archiveFiles(deps, one)
    const { pending } = run.files
    run.files = addArchiveCounts(run.files, counts)
    run.files.pending += pending
    run.problems.push(...problems)
    allNotes.push(...notes)
    run.error ??= error
    if (error !== undefined) break
  }
  run.state = stateOf(run, signal)
  run.problems.push(...allNotes)
  return run
}

/** Logs and signs what was stored, also after an error, but not after a stop or the loss of the lease. */
async function signWhatIsThere(
  deps: ArchiveDeps,
  options: { account: string; lease: Lease; signal: AbortSignal },
  run: ArchiveRun,
): Promise<void> {
  if (deps.evidence === undefined || deps.archive === undefined || options.signal.aborted) return
  try {
    run.evidence = await enterEvidence(deps, options)
    if (run.evidence.unexplained > 0 && run.state === 'complete') run.state = 'incomplete'
    run.problems.push(...run.evidence.problems.map((problem) => `evidence: ${problem}`))
  } catch (error) {
    run.error ??= error
    run.state = endState(run.error, options.signal)
  }
}

function stateOf({ error, problems }: ArchiveRun, signal: AbortSignal): ArchiveRun['state'] {
  if (error === undefined) return problems.length > 0 ? 'incomplete' : 'complete'
  return endState(error, signal)
}

const JOB = 'archive'
