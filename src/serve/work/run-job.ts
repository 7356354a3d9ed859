import { type OpenAccount, openAccount } from '../../account/open-account.ts'
import { openErasure } from '../../account/open-erasure.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Job } from '../../core/define/job.ts'
import { BusyError, CallsheetError } from '../../core/errors.ts'
import type { ExplainedEnding } from '../../core/time/ending.ts'
import { eraseRequests } from '../../erasure/erase-requests.ts'
import { keptCount } from '../../erasure/erasing.ts'
import { readRequests } from '../../erasure/sql/erasure-requests.ts'
import { mayErase } from '../../erasure/sql/erasure-rows.ts'
import { endingOf, endingOfError } from '../../sync/ending.ts'
import type { RunResult } from '../../sync/run/run-types.ts'
import { syncAccount } from '../../sync/sync.ts'
import { watchStart } from '../../sync/watch-start.ts'
import type { Hooks } from './hooks.ts'

/**
 * Tries to complete due erasures, then runs a job of an account once. Opens the account anew for each run,
 * because the process may outlive tokens, connections to the service and quotas.
 */
export async function runJob(
  opened: OpenWarehouse,
  {
    settings,
    job,
    signal,
    hooks,
  }: { settings: AccountSettings; job: Job; signal: AbortSignal; hooks: Pick<Hooks, 'afterRuns'> },
): Promise<ExplainedEnding> {
  const { warehouse, wiring } = opened
  const { clock, observer } = wiring
  const { name: account } = settings
  const scope = { account, jobs: [job], signal }
  await eraseOrLog(opened, { account, signal })
  const start = await watchStart({ warehouse, clock }, scope)
  let open: OpenAccount | undefined
  try {
    open = await openAccount(opened, settings)
    const results = await syncAccount(open.deps, scope)
    hooks.afterRuns(account, results)
    for (const { runId, state, problems, error } of results) {
      const of = { account, job: job.name, run: runId }
      const level = state === 'complete' ? 'info' : 'warn'
      observer.event('run ended', { ...of, state, level })
      for (const reason of problems) observer.event('run problem', { ...of, reason, level: 'warn' })
      if (state === 'failed' && error instanceof Error)
        observer.event('run failed', { ...of, ...faultFields(error) })
    }
    const [own] = results
    if (own === undefined) return { kind: 'again', reason: 'no run was recorded' }
    return { ...endingOf(own, clock.now()), reason: whyNotDone(own) }
  } catch (error) {
    if (signal.aborted || !(await start.failed(error))) throw error
    observer.event('run failed', { account, job: job.name, ...faultFields(error) })
    return { ...endingOfError(error, clock.now()), reason: faultFields(error).error }
  } finally {
    await open?.close()
  }
}

/** Names the run and its first problem; `callsheet runs` lists all of them. */
function whyNotDone({
  runId,
  state,
  error,
  problems,
  trippedGuards,
}: RunResult): string | undefined {
  if (state === 'complete') return undefined
  const [guard] = trippedGuards
  const held = guard === undefined ? undefined : `deletions of ${guard.stream} wait for approval`
  const why = error instanceof Error ? error.message : (problems[0] ?? held)
  const run = `run ${runId} is ${state.replaceAll('_', ' ')}`
  return why === undefined ? run : `${run}: ${why}`
}

function faultFields(error: unknown): { code: string; error: string } {
  const code = error instanceof CallsheetError ? error.code : 'unexpected'
  return { code, error: (error as Error).message }
}

/**
 * Erases the people who are due. A failure is logged and the job still runs, so that archives are fetched
 * before they expire. The erasure is tried again before the next job, and `erase --list` shows it as open.
 */
async function eraseOrLog(
  opened: OpenWarehouse,
  due: { account: string; signal: AbortSignal },
): Promise<void> {
  try {
    await eraseDue(opened, due)
  } catch (error) {
    if (due.signal.aborted || error instanceof BusyError) throw error
    const facts = { account: due.account, ...faultFields(error), level: 'error' as const }
    opened.wiring.observer.event('erasure failed', facts)
  }
}

/**
 * Erases users who removed the app, and continues open erasures, without approval by a person. Logs the
 * request's number but not the person.
 */
export async function eraseDue(
  opened: OpenWarehouse,
  { account, signal }: { account: string; signal: AbortSignal },
): Promise<void> {
  const { warehouse, wiring } = opened
  const { observer } = wiring
  if ((await readRequests(warehouse.db, account, 'ripe')).length === 0) return
  if (!(await mayErase(warehouse.db))) {
    const reason = 'this database role may not delete: callsheet erase --due with one that may'
    observer.event('erasure waits', { account, reason, level: 'warn' })
    return
  }
  const { deps, close } = await openErasure(opened, { account, signal })
  try {
    await eraseRequests(deps, {
      account,
      ripe: true,
      askedBy: 'callsheet serve',
      byName: false,
      dryRun: false,
      signal,
      onUnproven: (requests) =>
        observer.event('erasure request unproven', {
          account,
          request: requests.join(', '),
          level: 'error',
        }),
      onErased: ({ request, outcome: { kept, leftBehind, uncertain, reports } }) => {
        const places = [...Object.keys(leftBehind), ...Object.keys(uncertain)]
        const whole = places.length + keptCount(kept) + reports.undecided.length
        const level = whole === 0 ? 'info' : 'warn'
        const table = places.length > 0 ? places.join(', ') : undefined
        observer.event('person erased', { account, request, left: whole, table, level })
      },
    })
  } finally {
    await close()
  }
}
