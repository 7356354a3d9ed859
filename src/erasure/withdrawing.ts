import type { PublishedRow } from '../report/published-reports.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import type { FileFaults } from './published-file.ts'

export interface Withdrawing {
  /** The warehouse. A caller with a lease passes a `transaction` that checks the lease. */
  warehouse: Pick<Warehouse, 'db' | 'transaction'>
  account: string
  signal: AbortSignal
  /** Returns true if a parameter names the person. */
  named: (text: string) => boolean
  /** Whether to count files without changing them. */
  dryRun: boolean
  /** Whether the operator has dealt with the files that the last attempt reported as undecided. */
  settled: boolean
  /** The default folder of reports. */
  directory: string
  /** The names of reports that may have left files in the default folder. */
  names: readonly string[]
  /** Publishes a report again at these paths. Returns the files that cannot be made, with the reason. */
  remake(row: PublishedRow, paths: readonly string[]): Promise<Doubts>
}

export interface Withdrawn {
  /** The number of publications that covered the person, or were made for the person. */
  reports: number
  /** The number of removed files; in a dry run, of files to remove. */
  files: number
  bytes: number
  /** The number of publications that were made again. */
  anew: number
  /** Files, sent copies and tables of a lake in which somebody must look for the erased person. */
  undecided: Doubts
  /** Undecided files and copies after the operator has dealt with them. */
  settled: Doubts
}

export type Doubts = { file: string; why: string }[]

/** One withdrawal in progress, with its results so far. */
export interface Withdrawal extends Withdrawing {
  withdrawn: Withdrawn
  faults: FileFaults
  /** The folders to which reports were published. */
  folders: Set<string>
}
