import { sql } from 'kysely'
import { expect } from 'vitest'
import { readQuotaFacts } from '../../src/account/quota-facts.ts'
import { type ArchiveRun, archiveAccount } from '../../src/archive/archive-account.ts'
import { leftToday } from '../../src/archive/call-budget.ts'
import type { Job } from '../../src/core/define/job.ts'
import { createQuotaLedger } from '../../src/warehouse/ledger/quota-ledger.ts'
import type { World } from './world.ts'

/** Of all that is asked for here only the lists and files of archives are of this label. */
export function mediumPerDay(perDay: number) {
  const wide = { perSecond: 900, pool: 'WIDE' }
  return {
    LIGHT: wide,
    MEDIUM: { perSecond: 900, perDay, pool: 'MEDIUM' },
    HEAVY: wide,
    'RESOURCE-INTENSIVE': wide,
  }
}

/** `callsheet archive`, for the files of these jobs. */
export function archiveFilesOf(
  { account: { deps } }: World,
  jobs: readonly Job[],
  retry = false,
): Promise<ArchiveRun> {
  const sources = jobs.flatMap(({ archive }) => archive ?? [])
  const signal = new AbortController().signal
  return archiveAccount(deps, { account: 'account-0', sources, retry, signal })
}

/** The configuration without files read the rows alone; from here on it wants the files. */
export async function fetchingFrom(world: World, laterMs: number): Promise<void> {
  await world.advance(laterMs)
  const { deps } = world.account
  deps.archive = { ...deps.archive!, settings: { ...deps.archive!.settings, files: true } }
}

/** What the service offers no file for is settled already, as after a night that had enough calls. */
export async function settleWithoutFile({ warehouse }: World): Promise<void> {
  await sql`insert into callsheet.files (account, kind, parent, item, state, state_at, run_id)
    select account, 'activity', session_id, id, 'missing', callsheet.clock(), _run_id
    from svc.whiteboard_activities where position('"download_url"'::bytea in _bytes) = 0`.execute(
    warehouse.db,
  )
}

/** From here on so many MEDIUM calls are left of the day, and files are wanted. */
export async function spendAllBut(world: World, calls: number): Promise<void> {
  // What the governor has put by for the sync is given back, and a new one begins with nothing.
  await world.account.governor.close()
  await fetchingFrom(world, 0)
  const { deps, settings } = world.account
  const ledger = createQuotaLedger(world.warehouse, settings.name)
  const left = async () => leftToday('MEDIUM', await readQuotaFacts(deps, settings, ledger))
  await sql`update callsheet.quota set spent = spent + ${(await left()) - calls}
    where pool = 'MEDIUM'`.execute(world.warehouse.db)
  expect(await left()).toBe(calls)
}
