import { type OpenAccount, openAccount } from '../../account/open-account.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Job } from '../../core/define/job.ts'
import { BusyError, CallsheetError } from '../../core/errors.ts'
import type { Ending } from '../../core/time/ending.ts'
import { endingOf, endingOfError } from '../../sync/ending.ts'
import { syncAccount } from '../../sync/sync.ts'
import { watchStart } from '../../sync/watch-start.ts'
import { eraseDue } from './erase-due.ts'

/**
 * Runs a job of an account once, after the erasures that are due. Everything is opened anew for each run: a
 * service lives for months, and tokens, pools and quotas do not.
 */
export async function runDueJob(
  opened: OpenWarehouse,
  { settings, job, signal }: { settings: AccountSettings; job: Job; signal: AbortSignal },
): Promise<Ending> {
  const { clock, observer } = opened.wiring
  const { warehouse } = opened
  await eraseOrReport(opened, { account: settings.name, signal })
  const start = await watchStart({ warehouse, clock }, { account: settings.name, jobs: [job] })
  let open: OpenAccount | undefined
  try {
    open = await openAccount(opened, settings)
    const scope = { account: settings.name, jobs: [job], signal }
    const results = await syncAccount(open.deps, scope)
    for (const { runId, state, problems, error } of results) {
      const of = { account: settings.name, job: job.name, run: runId }
      const level = state === 'complete' ? 'info' : 'warn'
      observer.event('run ended', { ...of, state, level })
      for (const reason of problems) observer.event('run problem', { ...of, reason, level: 'warn' })
      if (state !== 'failed' || !(error instanceof Error)) continue
      const code = error instanceof CallsheetError ? error.code : 'unexpected'
      observer.event('run failed', { ...of, code, error: error.message })
    }
    const [own] = results
    return own === undefined ? { kind: 'again' } : endingOf(own, clock.now())
  } catch (error) {
    if (signal.aborted || !(await start.failed(error))) throw error
    const code = error instanceof CallsheetError ? error.code : 'unexpected'
    const of = { account: settings.name, job: job.name }
    observer.event('run failed', { ...of, code, error: (error as Error).message })
    return endingOfError(error, clock.now())
  } finally {
    await open?.close()
  }
}

/**
 * An erasure that cannot be ended must not keep archives from being fetched before they expire. It is tried
 * again before the next job, and `erase --list` shows it as open until then.
 */
async function eraseOrReport(
  opened: OpenWarehouse,
  due: { account: string; signal: AbortSignal },
): Promise<void> {
  try {
    await eraseDue(opened, due)
  } catch (error) {
    if (due.signal.aborted || error instanceof BusyError) throw error
    const code = error instanceof CallsheetError ? error.code : 'unexpected'
    opened.wiring.observer.event('erasure failed', {
      account: due.account,
      code,
      error: (error as Error).message,
      level: 'error',
    })
  }
}
