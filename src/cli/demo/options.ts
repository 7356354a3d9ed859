import type { OpenAccount } from '../../account/open-account.ts'
import type { ExportedAudit } from '../../audit/bundle/exporting.ts'
import type { PublishedReport } from '../../report/publish-report.ts'
import type { RunResult } from '../../sync/run/run-types.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { ChangeCounts } from './demo-service.ts'
import type { DemoState } from './state.ts'

export interface DemoOptions extends CommonOptions {
  mutate?: boolean
  reset?: boolean
  database?: boolean
  out: string
}

/** The outcome of one demo, for its summary. */
export interface DemoOutcome {
  first: boolean
  changes: Record<string, ChangeCounts> | undefined
  results: readonly RunResult[]
  labels: ReturnType<OpenAccount['governor']['stats']>
  published: readonly { title: string; report: PublishedReport }[]
  /** The evidence of one week, as an auditor receives it. */
  bundle: ExportedAudit | undefined
  state: DemoState
  elapsedMs: number
}
