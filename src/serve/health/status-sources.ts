import type { AccountSettings } from '../../config/account-settings.ts'
import type { Opened } from './account-health.ts'
import { cachedInRounds } from './cached-reads.ts'
import {
  listPublished,
  type OpenedFile,
  openPublished,
  type PublishedFile,
} from './published-files.ts'
import { readRun, readRuns } from './read-runs.ts'
import { type ReadShownHealth, snapshotReader } from './read-snapshot.ts'
import { detailOf, overviewOf, type RunDetail, type RunOverview } from './run-overview.ts'
import type { AccountSnapshot } from './snapshot.ts'

/** The last run of a page of runs; the next page begins after this run. */
export type RunPlace = Pick<RunOverview, 'startedAt' | 'id'>

/** The data of the status pages and metrics. Its reads reject while the database cannot be reached. */
export interface StatusSources {
  /** Returns the snapshots of all accounts; undefined during the first read. */
  snapshots(): Promise<Snapshots | undefined>
  /** Returns the newest runs, or the newest before a run, of one account or of all. */
  runs(asked: { account: string | undefined; before: RunPlace | undefined }): Promise<RunPage>
  run(account: string, id: number): Promise<RunDetail | undefined>
  reports(): Promise<readonly PublishedFile[]>
  /** Returns undefined if the file does not exist, or if its bytes differ from the published ones. */
  openReport(account: string, file: { id: number; place: number }): Promise<OpenedFile | undefined>
}

export interface Snapshots {
  value: readonly AccountSnapshot[]
  ageMs: number
  /** The accounts whose database has not answered. */
  missing: readonly string[]
}

export interface RunPage {
  runs: readonly RunOverview[]
  /** Whether there are older runs. */
  more: boolean
}

/** Opens the sources for these accounts. The signal ends reads in the background. */
export function openStatusSources(
  opened: Opened,
  settings: readonly AccountSettings[],
  { readShownHealth, signal }: { readShownHealth: ReadShownHealth; signal: AbortSignal },
): StatusSources {
  const { warehouse, wiring } = opened
  const { clock, config } = wiring
  const accounts = settings.map(({ name }) => name)
  const { directory } = config.reports
  const readers = settings.map((one) => snapshotReader(opened, one, readShownHealth))
  const snapshots = cachedInRounds({ clock, signal }, async () => {
    const read: AccountSnapshot[] = []
    // Reads one account after another, to leave connections for the jobs.
    for (const reader of readers) read.push(await reader())
    return read
  })
  return {
    async snapshots() {
      const found = await snapshots()
      return found && { ...found, missing: [] }
    },
    async runs({ account, before }) {
      const of = account === undefined ? accounts : accounts.filter((name) => name === account)
      if (of.length === 0) return { runs: [], more: false }
      const runs = await readRuns(warehouse, { accounts: of, before, limit: RUNS + 1 })
      return { runs: runs.slice(0, RUNS).map(overviewOf), more: runs.length > RUNS }
    },
    async run(account, id) {
      const found = accounts.includes(account)
        ? await readRun(warehouse, { account, id })
        : undefined
      return found && detailOf(found)
    },
    reports: () => listPublished(warehouse, { accounts, directory }),
    async openReport(account, file) {
      if (!accounts.includes(account)) return undefined
      return await openPublished(warehouse, { accounts: [account], directory, ...file })
    },
  }
}

const RUNS = 50
