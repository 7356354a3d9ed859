import type { OpenedFile, PublishedFile } from './published-files.ts'
import type { RunDetail, RunOverview } from './run-overview.ts'
import type { AccountSnapshot } from './snapshot.ts'

/** Where the status pages and the metrics take what they show. All reject while the database is away. */
export interface StatusSources {
  /** Of every account that is served; undefined while they are read for the first time. */
  snapshots(): Promise<Snapshots | undefined>
  /** The latest runs before one, newest first: of one account, or of all that are served. */
  runs(asked: { account: string | undefined; before: number | undefined }): Promise<RunPage>
  run(id: number): Promise<RunDetail | undefined>
  reports(): Promise<readonly PublishedFile[]>
  /** Undefined: there is no such file, or none whose bytes are those that were published. */
  openReport(id: number, place: number): Promise<OpenedFile | undefined>
}

export interface Snapshots {
  value: readonly AccountSnapshot[]
  ageMs: number
}

export interface RunPage {
  runs: readonly RunOverview[]
  /** Whether there are older ones. */
  more: boolean
}
