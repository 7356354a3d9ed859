import type { PublishedRow } from '../report/published-reports.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import type { FileFaults } from './published-file.ts'

export interface Withdrawing {
  /** A caller that holds a lease gives a `transaction` that checks it. */
  warehouse: Pick<Warehouse, 'db' | 'transaction'>
  account: string
  signal: AbortSignal
  /** Whether a parameter names the person. */
  named: (text: string) => boolean
  /** Leaves all files as they are, and counts them. */
  dryRun: boolean
  /** Somebody looked after what the last attempt could not decide. */
  settled: boolean
  /** The default folder of reports, and the names of those that may have left files there. */
  directory: string
  names: readonly string[]
  /** Makes a publication anew at these paths; returns why it could not. */
  remake(row: PublishedRow, paths: readonly string[]): Promise<string | undefined>
}

export interface Withdrawn {
  /** Publications that covered the person, or were made for them. */
  reports: number
  /** Files that were removed. */
  files: number
  bytes: number
  /** Publications that were made anew. */
  anew: number
  /** Files, and copies of them, of which only somebody who looks can say whether they name the person. */
  undecided: Doubts
  /** The same, which somebody looked after. */
  settled: Doubts
}

export type Doubts = { file: string; why: string }[]

/** One run of it, and what it found and did so far. */
export interface Withdrawal extends Withdrawing {
  withdrawn: Withdrawn
  faults: FileFaults
  /** The folders that reports were published to. */
  folders: Set<string>
}
