import type { AccountSettings } from '../../config/account-settings.ts'
import { listPublished, openPublished } from '../health/published-files.ts'
import { readRun, readRunsBefore } from '../health/read-runs.ts'
import { detailOf, overviewOf } from '../health/run-overview.ts'
import type { AccountSnapshot } from '../health/snapshot.ts'
import type { StatusSources } from '../health/status-sources.ts'
import { keptRounds } from './kept-reads.ts'
import { type Opened, type ReadCauses, snapshotReader } from './read-snapshot.ts'

/** What the status pages show of these accounts. The signal ends what is read behind them. */
export function openStatusSources(
  opened: Opened,
  settings: readonly AccountSettings[],
  { readCauses, signal }: { readCauses: ReadCauses; signal: AbortSignal },
): StatusSources {
  const { warehouse, wiring } = opened
  const { clock, config } = wiring
  const accounts = settings.map(({ name }) => name)
  const { directory } = config.reports
  const readers = settings.map((one) => snapshotReader(opened, one, readCauses))
  const snapshots = keptRounds({ clock, signal }, async () => {
    const read: AccountSnapshot[] = []
    // One after the other: the connections are there for the jobs.
    for (const reader of readers) read.push(await reader())
    return read
  })
  return {
    snapshots,
    async runs({ account, before }) {
      const of = account === undefined ? accounts : accounts.filter((name) => name === account)
      if (of.length === 0) return { runs: [], more: false }
      const runs = await readRunsBefore(warehouse, { accounts: of, before, limit: RUNS + 1 })
      return { runs: runs.slice(0, RUNS).map(overviewOf), more: runs.length > RUNS }
    },
    async run(id) {
      const found = await readRun(warehouse, id)
      if (found === undefined || !accounts.includes(found.run.account)) return undefined
      return detailOf(found)
    },
    reports: () => listPublished(warehouse, { accounts, directory }),
    openReport: (id, place) => openPublished(warehouse, { accounts, directory, id, place }),
  }
}

const RUNS = 50
