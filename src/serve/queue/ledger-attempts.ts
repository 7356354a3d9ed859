import type { Ending } from '../../core/time/ending.ts'
import type { Attempt } from '../../core/time/next-start.ts'
import { nextReset } from '../../sync/ending.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { type AskedJob, type RunAttempt, readAttempts } from '../ledger/attempts.ts'
import { readTaskAttempts } from '../ledger/task-runs.ts'

/** The runs of each job as attempts, oldest first, in the order of the jobs. */
export async function attemptsInLedger(
  warehouse: Warehouse,
  jobs: readonly AskedJob[],
): Promise<Attempt[][]> {
  return inPlace(jobs, await readAttempts(warehouse, jobs))
}

/** The same of tasks, which read nothing from the service. */
export async function taskAttemptsInLedger(
  warehouse: Warehouse,
  tasks: readonly AskedJob[],
): Promise<Attempt[][]> {
  return inPlace(tasks, await readTaskAttempts(warehouse, tasks))
}

function inPlace(asked: readonly AskedJob[], runs: readonly RunAttempt[]): Attempt[][] {
  const attempts = asked.map((): Attempt[] => [])
  for (const run of runs) attempts[run.place - 1]?.push(attemptOf(run))
  return attempts
}

/** A run of the ledger as an attempt; one that is still open counts as interrupted. */
export function attemptOf(run: RunEnd): Attempt {
  const startedMs = Date.parse(run.started_at)
  const endedMs = Date.parse(run.finished_at ?? run.started_at)
  const ending = readEnding(run.ending) ?? usualEnding(run, endedMs)
  return { startedMs, endedMs, ending, failed: run.state === 'failed' }
}

type RunEnd = Pick<RunAttempt, 'state' | 'started_at' | 'finished_at' | 'ending'>

function readEnding(value: unknown): Ending | undefined {
  const { kind, atMs } = (value ?? {}) as { kind?: unknown; atMs?: unknown }
  if (kind === 'at') return typeof atMs === 'number' ? { kind, atMs } : undefined
  return kind === 'done' || kind === 'again' || kind === 'interrupted' || kind === 'person'
    ? { kind }
    : undefined
}

/** For a run that was killed. A run that is still open counts as interrupted. */
function usualEnding({ state }: RunEnd, endedMs: number): Ending {
  if (state === 'complete') return { kind: 'done' }
  if (state === 'paused') return { kind: 'at', atMs: nextReset(endedMs) }
  return { kind: state === 'running' || state === 'interrupted' ? 'interrupted' : 'again' }
}
