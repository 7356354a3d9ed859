import { sql } from 'kysely'
import { expect } from 'vitest'
import { readQuotaFacts } from '../../src/account/quota-facts.ts'
import { type ArchiveRun, archiveAccount } from '../../src/archive/archive-account.ts'
import { leftToday } from '../../src/archive/call-budget.ts'
import type { Job } from '../../src/core/define/job.ts'
import { createQuotaLedger } from '../../src/warehouse/ledger/quota-ledger.ts'
import type { World } from './world.ts'

/** Of the calls in these tests, only those for lists and files of archives have this label. */
export function mediumPerDay(perDay: number) {
  const wide = { perSecond: 900, pool: 'WIDE' }
  return {
    LIGHT: wide,
    MEDIUM: { perSecond: 900, perDay, pool: 'MEDIUM' },
    HEAVY: wide,
    'RESOURCE-INTENSIVE': wide,
  }
}

/** Runs `callsheet archive` for the files of these jobs. */
export function archiveFilesOf(
  { account: { deps } }: World,
  jobs: readonly Job[],
  retry = false,
): Promise<ArchiveRun> {
  const sources = jobs.flatMap(({ archive }) => archive ?? [])
  const signal = new AbortController().signal
  return archiveAccount(deps, { account: 'account-0', sources, retry, signal })
}

/** Switches to a configuration with files; the one before read only the rows. */
export async function fetchingFrom(world: World, laterMs: number): Promise<void> {
  await world.advance(laterMs)
  const { deps } = world.account
  deps.archive = { ...deps.archive!, settings: { ...deps.archive!.settings, files: true } }
}

/** Records activities without a file as missing, as a night with enough calls would. */
export async function settleWithoutFile({ warehouse }: World): Promise<void> {
  await sql`insert into callsheet.files (account, kind, parent, item, state, state_at, run_id)
    select account, 'activity', session_id, id, 'missing', callsheet.clock(), _run_id
    from svc.whiteboard_activities where position('"download_url"'::bytea in _bytes) = 0`.execute(
    warehouse.db,
  )
}

/** Leaves this many MEDIUM calls for the rest of the day, and switches files on. */
export async function spendAllBut(world: World, calls: number): Promise<void> {
  // Closing the governor returns the calls that it booked for the sync; a new one starts with none.
  await world.account.governor.close()
  await fetchingFrom(world, 0)
  const { deps, settings } = world.account
  const ledger = createQuotaLedger(world.warehouse, settings.name)
  const left = async () => leftToday('MEDIUM', await readQuotaFacts(deps, settings, ledger))
  await sql`update callsheet.quota set spent = spent + ${(await left()) - calls}
    where pool = 'MEDIUM'`.execute(world.warehouse.db)
  expect(await left()).toBe(calls)
}
